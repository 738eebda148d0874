"""Errors quote numbers as Python's do; what could fail by itself is not quoted."""

from __future__ import annotations

import numpy as np
import pytest

from linad.interpret import run
from linad.oracle import attempt
from linad import linear_grad
from linad_typecheck import check_source
from tests.properties.roads import Whole


def number(x, n):
    if n > 2:
        raise ValueError(f"{n} is {{too}} large for {x.shape[0]} cells of {len(x)}: {n=:04d}")
    return x[0] * n


def cell(x, n):
    s = 0.0
    for i in range(n):
        v = x[i] * 2.0
        assert v < 3.0, f"cell {i} is {v:8.3f}, {v}"
        s += v * v
    return s


def arm(x, n):
    s = x[0]
    if n > 0:
        t = s > 0.5
        s = s * 2.0
        raise IndexError(f"{t} {s} {x.size} {x.ndim}")
    return s


def braces(x, n):
    if n > 0:
        raise KeyError("a {b}")
    return x[0]


MODE, LIMIT, TOLERANCE, SIZES, STRONG = "fa{st}", 3, 1e-8, (2, None), np.float64(0.5)


def constants(x, n):
    """``n`` chooses the message."""
    mode, text, v = "slow", "%s: {}", x[0]
    if n == 1:
        raise ValueError(f"mode {MODE} {mode!r:>8} {mode=} {SIZES} {TOLERANCE} {STRONG}")
    if n == 2:
        raise ValueError("mode {} of {}".format(mode, n))
    if n == 3:
        raise ValueError("{1} of {0} {name:>5} {{}} {0!r:>8}".format(mode, MODE, name=n))
    if n == 4:
        raise ValueError("mode %s, %5d of %-4d|, 100%% %r %05.1f" % (MODE, n, LIMIT, mode, v))
    if n == 5:
        raise ValueError(text % mode)
    if n == 6:
        raise ValueError("unknown " + mode + str(n))
    if n == 7:
        raise ValueError(MODE)
    if n == 8:
        raise ValueError(text.format(n))
    if n == 9:
        raise ValueError(f"{n:{LIMIT}}")
    assert n < 10, "mode %s" % mode
    return x[0]


CASES = [(number, 3), (cell, 3), (arm, 1), (braces, 1), *((constants, n) for n in range(1, 11))]


@pytest.mark.parametrize("function, n", CASES, ids=lambda v: getattr(v, "__name__", None))
def test_messages_are_those_of_python(function, n: int) -> None:
    x = np.array([0.25, 1.0, 1.75])
    whole = Whole(function, (x, n))
    with pytest.raises(Exception) as theirs:
        function(x, n)
    mine = attempt(lambda: run(whole.prepared, whole.values)).error
    assert type(mine) is type(theirs.value)
    assert mine.args[0] == theirs.value.args[0].split("\n")[0]  # without what pytest tells of an assertion
    whole.holds()
    Whole(function, (x, 0)).holds()


REFUSED = [
    'f"{x[n]}"', 'f"{n + 1}"', 'f"{x}"', 'f"{mode.upper()}"', 'f"{mode:d}"', 'f"{n:s}"', 'f"{n:{n}}"', '"%d" % x[0]',
    '"%d" % (n, n)', '"%d %d" % n', '"%s" % SIZES', '"%(n)d" % n', '"%*d" % (n, n)', '"{} {}".format(n)',
    '"{0.real}".format(n)', '"{".format(n)', '"{}".format(*SIZES)', '"{}".format(x[n])', "n", "SIZES", "mode + n",
]  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
@pytest.mark.parametrize("statement", ["raise ValueError({})", "assert n > 2, {}"])
def test_what_might_fail_is_not_formatted(message, statement):
    text = (
        "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\nSIZES = (2, 3)\n"
        '@linear_grad\ndef f(x: Float64[np.ndarray, "n"], n: int):\n    mode = "slow"\n    if n > 1:\n'
    )
    assert check_source(f"{text}        {statement.format(message)}\n    return x[0]\n") == []


def test_dots_stand_for_what_is_not_known():
    @linear_grad(backend="interpret")
    def f(x, n: int):
        if n == 1:
            raise ValueError("the cell %s of %d" % (x[0], n + 1), n)
        if n == 2:
            raise ValueError("shape {} and {}".format(x.shape, x[0]))
        assert n != 3, f"size {n} of {x[0]}"
        return x[0]

    for n, told in ((1, "the cell ... of ..."), (2, "shape ... and ..."), (3, "size ... of ...")):
        with pytest.raises((ValueError, AssertionError), match=told):
            f(np.ones(2), n)
