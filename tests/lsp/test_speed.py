"""Nobody waits: the first diagnostics of a file of 1,000 lines, and those after a keystroke. The targets are 300 and 60 ms;
`python -m benchmarks lsp` measures them, these tests see a fall behind."""

import time

import pytest
from linad_typecheck.lsp.analysis import Analyser

from benchmarks import lsp

pytestmark = pytest.mark.timing


def test_a_keystroke_is_answered_quickly():
    text = lsp.program()
    a = Analyser("/nowhere/kernels.py")
    a.analyse(text)
    runs = []
    for k in range(9):
        changed = text.replace("+ w * d", f"+ w * d * {k}.5", 1)
        start = time.process_time()
        a.analyse(changed)
        runs.append(time.process_time() - start)
    assert a.checks == len(text.split("@linear_grad")) - 1 + 9
    assert min(runs) < 0.06


def test_the_first_answer_does_not_wait_for_the_library():
    assert min(lsp.first()[0] for _ in range(4)) < 0.45
