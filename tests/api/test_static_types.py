"""Type checkers find what `static_types` says that they find, and nothing else."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import linad_typecheck
import pytest

import linad

SAMPLE = Path(__file__).with_name("static_types.py")
ROOTS = [str(Path(package.__file__).parents[1]) for package in (linad, linad_typecheck)]


def run(*command, **options):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_packages_say_that_they_have_types():
    assert all(Path(package.__file__).with_name("py.typed").exists() for package in (linad, linad_typecheck))


@pytest.mark.thorough  # every day by basedpyright alone
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy():
    kept = Path(os.environ["LINAD_CACHE_DIR"]) / "mypy"
    path = {**os.environ, "MYPYPATH": os.pathsep.join(ROOTS)}
    run("mypy", "--warn-unused-ignores", "--cache-dir", str(kept), str(SAMPLE), env=path)


@pytest.mark.skipif(find_spec("basedpyright") is None, reason="basedpyright is not installed")
def test_pyright(tmp_path):
    """By basedpyright, which is pyright in a package that brings its own node."""
    config = {
        "include": [str(SAMPLE)],
        "extraPaths": ROOTS,
        "typeCheckingMode": "standard",
        "enableTypeIgnoreComments": False,
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    run("basedpyright", "--project", str(tmp_path), "--pythonpath", sys.executable)
