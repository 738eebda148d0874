"""What a user waits for before anything runs: imports, the check of a file, and a function compiled the day before."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TRIES = 7

FUNCTION = '''
@linear_grad
def f{i}(x: Float64[np.ndarray, "n"], w: float) -> float:
    v = x.copy()
    for i in range(1, len(v)):
        v[i] += w * v[i - 1]
        if v[i] > 10.0:
            break
    s = 0.0
    for i in range(len(v)):
        s += v[i] * v[i]
    return s
'''
HEADER = "import numpy as np\nfrom jaxtyping import Float64\n\nfrom linad import linear_grad\n"

IMPORT = "import time; s = time.perf_counter(); import {name}{rest}; print(time.perf_counter() - s)"
CHECK = """
import time
from linad_typecheck import check_file
check_file({warm!r})
s = time.perf_counter(); found = check_file({path!r}); print(time.perf_counter() - s)
assert not [d for d in found if d.severity == "error"], found
"""
WARM = """
import time, sys
sys.path.insert(0, {folder!r})
import numpy as np
s = time.perf_counter(); import numba; numba_seconds = time.perf_counter() - s
x = np.ones(100)
s = time.perf_counter(); import module_of_a_user; module_of_a_user.f0.grad(x, 0.5)
print(time.perf_counter() - s)
"""


@dataclass(frozen=True)
class Wait:
    """Something a user waits for: seconds, and the target, None where there is none."""

    what: str
    seconds: float
    target: float | None


def _run(code: str, tries: int = TRIES, **env: str) -> float:
    """Median of what fresh interpreters print."""
    runs = []
    for _ in range(tries):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **env}
        )
        runs.append(float(done.stdout))
    return statistics.median(runs)


def source(lines: int) -> str:
    """A file of checked functions with about so many lines."""
    text = HEADER
    i = 0
    while text.count("\n") < lines:
        text += "\n" + FUNCTION.replace("{i}", str(i))
        i += 1
    return text


def measure() -> Iterator[Wait]:
    """Each wait in turn, in fresh interpreters."""
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder, "big.py"), Path(folder, "module_of_a_user.py")
        big.write_text(source(300))
        small.write_text(source(10))
        yield Wait("import linad", _run(IMPORT.format(name="linad", rest="")), 0.15)
        yield Wait("from linad import linear_grad", _run(IMPORT.format(name="linad", rest="; linad.linear_grad")), None)
        yield Wait("import linad_typecheck", _run(IMPORT.format(name="linad_typecheck", rest="")), 0.1)
        yield Wait("check a 300-line file", _run(CHECK.format(path=str(big), warm=str(small))), 0.05)
        yield Wait("import numba", _run(IMPORT.format(name="numba", rest="")), None)
        cache = {"LINAD_CACHE_DIR": str(Path(folder, "cache"))}
        first = WARM.format(folder=folder)
        yield Wait("first gradient, nothing cached, numba imported before", _run(first, 1, **cache), None)
        yield Wait("first gradient, cached by an earlier run, numba imported before", _run(first, 5, **cache), None)
