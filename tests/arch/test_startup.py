"""Importing is quick enough for an editor and for a script that may never differentiate anything."""

import subprocess
import sys

import pytest


def import_seconds(module: str, tries: int = 5) -> float:
    """Fastest of several fresh interpreters, as the interpreter itself measures it."""
    code = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(tries)]
    return min(float(run.stdout) for run in runs)


@pytest.mark.timing
@pytest.mark.parametrize(("module", "limit"), [("linad", 0.15), ("linad_typecheck", 0.1)])
def test_import_is_quick(module: str, limit: float) -> None:
    assert import_seconds(module) < limit
