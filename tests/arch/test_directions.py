"""Who may import whom: the contracts in pyproject.toml, and what an import really loads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "llvmlite", "scipy", "jaxtyping", "linad")


def loaded_after(statement: str) -> set[str]:
    """Top-level names in sys.modules of a fresh interpreter after the statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    return set(json.loads(done.stdout))


def test_contracts_of_the_house() -> None:
    env = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run([*command, "--no-cache"], capture_output=True, text=True, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["linad_typecheck", "linad_typecheck.cli"])
def test_the_front_end_is_standard_library_only(module: str) -> None:
    assert loaded_after(f"import {module}").isdisjoint(HEAVY)


def test_importing_linad_loads_no_compiler() -> None:
    assert loaded_after("import linad; linad.linear_grad").isdisjoint({"numba", "llvmlite", "scipy"})


def test_decorating_loads_no_compiler() -> None:
    program = "import linad\nfrom linad import grad\n"
    assert loaded_after(program).isdisjoint({"numba", "llvmlite", "scipy"})
