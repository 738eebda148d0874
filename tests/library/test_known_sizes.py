"""Library functions of arrays that are written out: their sizes are known when the function is compiled."""

from __future__ import annotations

import numpy as np
import pytest


from linad import linear_grad, oracle

from ..kit import load
from .allowed import ALLOWED
from .edges import letters
from .sweep import HEAD, Mismatch, same
from .table import TABLE

WRITTEN = {
    "x": "np.array([u, 2.0, -0.5])", "y": "np.array([v, 1.0, u])", "k": "np.array([1, 0])", "b": "np.array([u, v])",
    "e": "np.array([u, 2.0])", "f": "np.array([v, 1.0])", "g": "np.array([0.5, u])", "S": "np.array([[3.0, u], [u, 2.0]])",
    "A": "np.array([[u, 1.0], [v, 3.0], [0.5, u]])", "B": "np.array([[v, 1.0], [u, 3.0], [0.5, u]])",
    "C": "np.array([[u, v], [1.0, 2.0]])", "T": "np.array([[[u, 1.0], [v, 2.0]], [[0.5, u], [1.0, v]]])",
}  # fmt: skip
ARGS = (0.7, 0.3)


def takes_written(text: str) -> bool:
    return bool(letters(text)) and set(letters(text)) <= WRITTEN.keys()


@pytest.mark.filterwarnings("ignore::linad.ZeroGradientWarning", "ignore::RuntimeWarning")
@pytest.mark.one_in(32)
@pytest.mark.parametrize("name", [n for n in TABLE if any(map(takes_written, TABLE[n]))])
def test_arrays_that_are_written_out(name):
    told = []
    for text in filter(takes_written, TABLE[name]):
        lines = [f"{n} = {WRITTEN[n]}" for n in letters(text)]
        lines += text.split("; ") if "return " in text else [f"return {text}"]
        f = load(f"{HEAD}def f(u: float, v: float):\n" + "".join(f"    {line}\n" for line in lines))
        try:
            checked = linear_grad(f, backend="interpret")
        except TypeError as refused:  # told with a code, where the expression is not one of floats
            assert "error[LIN" in str(refused) and "LIN9" not in str(refused), (text, refused)
            continue
        with np.errstate(all="ignore"):
            m = Mismatch(name, text, "f64", ARGS, oracle.attempt(lambda: f(*ARGS)), oracle.attempt(lambda: checked(*ARGS)))
        if not same(m.numpy, m.linad, False, 1e-9, True) and not any(a.covers(m) for a in ALLOWED):
            told.append(str(m))
    assert not told, "\n".join(told)
