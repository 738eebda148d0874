"""Accesses outside of a buffer end a process with guard pages, and what linad compiles makes none."""

import signal
import subprocess
import sys

import pytest

from . import guard_pages, programs_models, programs_small_loops

pytestmark = pytest.mark.skipif(not guard_pages.available(), reason="needs glibc and a compiler of C")

PROGRAM = """
import inspect, os, sys
import numpy as np
from tests.soak import guard_pages, {module} as programs
from tests.soak.judge import judge
from tests.strategies import Program

before = guard_pages.preloaded().guarded_blocks()
given = programs.CASES[{name!r}]
text = inspect.getsource(programs) + "\\nf = {name}\\n"
print(judge(Program(text, given[0] if isinstance(given, list) else given), ("compiled",), "derivative"))
print(guard_pages.preloaded().guarded_blocks() - before)
"""

OUTSIDE = """
import ctypes
import numpy as np
from tests.soak import guard_pages

with guard_pages.on({side}):
    x = np.arange(5.0)
cells = (ctypes.c_double * 7).from_address(x.ctypes.data - 8)
print(cells[{inside}], flush=True)
print(cells[{outside}])
"""


def run(tmp_path, text):
    environment = guard_pages.environment(tmp_path)
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("side,inside,outside", [(1, 5, 6), (2, 1, 0)], ids=["behind", "before"])
def test_an_access_outside_ends_the_process(tmp_path, side, inside, outside):
    done = run(tmp_path, OUTSIDE.format(side=side, inside=inside, outside=outside))
    assert done.returncode == -signal.SIGSEGV and done.stdout == f"{float(inside - 1)}\n", done.stderr


CASES = [(m.__name__.rpartition(".")[2], n) for m in (programs_models, programs_small_loops) for n in m.CASES]


@pytest.mark.one_in(50)
@pytest.mark.parametrize("module,name", CASES)
def test_programs(tmp_path, module, name):
    done = run(tmp_path, PROGRAM.format(module=module, name=name))
    told, blocks = done.stdout.split("\n")[:2] if done.returncode == 0 else (done.stderr[-2000:], 0)
    assert done.returncode == 0 and (told in ("agrees", "raises") and int(blocks) > 4 or told.startswith("refused")), told
