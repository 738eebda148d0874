"""Who may import whom: the contracts in pyproject.toml, and what an import really loads."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from linad_typecheck import parts as parts_module
from linad_typecheck.parts import parts

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "llvmlite", "scipy", "jaxtyping", "linad")


def loaded_after(statement: str) -> set[str]:
    """Top-level names in sys.modules of a fresh interpreter after the statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    return set(json.loads(done.stdout))


def modules_of(package: str) -> list[Path]:
    return [f.relative_to(ROOT) for f in (ROOT / package).rglob("*.py") if f.name != "__init__.py"]


def test_contracts_of_the_house() -> None:
    env = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run([*command, "--no-cache"], capture_output=True, text=True, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


def contracts() -> list[dict]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize("contract", contracts(), ids=lambda c: c["name"])
def test_contracts_name_modules_that_exist(contract: dict) -> None:
    """A layer in parentheses may be missing: such a line promises nothing."""
    lines = [line for key in ("layers", "source_modules", "forbidden_modules") for line in contract.get(key, ())]
    names = [name.strip() for line in lines for name in re.split("[:|]", line)]
    own = [n for n in names if n.strip("()").split(".")[0] in ("linad", "linad_typecheck")]
    assert [n for n in own if n[0] == "(" or find_spec(n) is None] == []


def test_linad_registers_its_part_of_the_checker() -> None:
    """The checker names no module of linad, in texts neither; what linad adds is in its metadata, and is imported."""
    names = {m.replace("/", ".").removesuffix(".py") for m in map(str, modules_of("linad"))}
    texts = (n.value for f in (ROOT / "typecheck").rglob("*.py") for n in ast.walk(ast.parse(f.read_text("utf-8")))
             if isinstance(n, ast.Constant) and isinstance(n.value, str))  # fmt: skip
    assert names and not names.intersection(texts)
    assert {"show", "explain", "remarks", "cache", "doctor"} == set(parts())
    assert all(callable(p.load()) for p in parts().values())


def test_parts_are_found_in_metadata_and_in_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed = {p.name: p.value for p in parts_module._of_checkout(ROOT)}
    assert listed == {p.name: p.value for p in parts().values()}
    assert parts_module._of_checkout(tmp_path) == []
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert parts_module._of_checkout(tmp_path) == []
    metadata = tmp_path / "plugin-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{parts_module.GROUP}]\nextra = json:dumps\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = parts.__wrapped__()
    assert found["extra"].load() is json.dumps and found["show"].value == listed["show"]


@pytest.mark.parametrize("module", ["linad_typecheck", "linad_typecheck.cli"])
def test_the_front_end_is_standard_library_only(module: str) -> None:
    assert loaded_after(f"import {module}").isdisjoint(HEAVY)


def test_importing_linad_loads_no_compiler() -> None:
    assert loaded_after("import linad; linad.linear_grad").isdisjoint({"numba", "llvmlite", "scipy"})


def test_decorating_loads_no_compiler() -> None:
    program = "import linad\nfrom linad import grad\n"
    assert loaded_after(program).isdisjoint({"numba", "llvmlite", "scipy"})
