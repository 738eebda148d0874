"""Which parts of one array are known to share no cell: what is not warned of never does, by brute force; and the pairs
that programs are written with are known."""

from itertools import combinations

import numpy as np
import pytest
from linad_typecheck import check_source
from linad_typecheck.ownership.rules import HEAD

PLACES = (
    "i", "i - 1", "i + 1", "2 * i", "2 * i + 1", "n - 1", "-i", "0", "k", "i - k", "min(k, i)",
    ":i", "i:", "i + 1:", "i - 1:i + 1", "1::2", ":k", "k + 1:", "abs(k):", "min(k, i):", "i::-1",
)  # fmt: skip
APART = {
    "range(n - 1)": {("i", "i + 1"), ("2 * i", "2 * i + 1"), ("i", ":i"), (":i", "i:"), ("i", "i + 1:"), ("0", "1::2")},
    "range(1, n)": {("i", "i - 1"), ("i - 1", "i + 1"), ("i", "0"), ("i + 1", "i - 1:i + 1"), ("i - 1", "i:")},
    "range(n - 1, 0, -1)": {("i", "i - 1")},
}


def meet(loop: str, one: str, other: str) -> bool:
    """Whether the two share a row for some size, index and number."""
    for n in range(1, 6):
        for k in range(-2, 3):
            for i in eval(loop, {"n": n}):
                rows, names = np.arange(n), {"i": i, "k": k, "n": n, "abs": abs, "min": min}
                try:
                    found = [np.atleast_1d(eval(f"rows[{e}]", names | {"rows": rows})) for e in (one, other)]
                except IndexError:
                    continue
                if np.intersect1d(*found).size:
                    return True
    return False


def silent(loop: str) -> set[tuple[str, str]]:
    """The pairs of views of which no warning says that an update of one shows in the other."""
    pairs, text, at = list(combinations(PLACES, 2)), HEAD, {}
    for number, (one, other) in enumerate(pairs):
        text += f"""

@linear_grad
def f{number}(x: Float64[np.ndarray, "n m"], k: int) -> float:
    A, s = x.copy(), 0.0
    n = A.shape[0]
    for i in {loop}:
        a, b = A[{one}], A[{other}]
        a[:] = 2.0
        s += b.sum()
    return s
"""
        at[text.count("\n") - 1] = one, other  # the line of `b.sum()`
    found = check_source(text, "f.py")
    assert not [d for d in found if d.severity == "error"]
    return set(pairs) - {at[d.span.line] for d in found if d.slug == "shared-update"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("loop", APART)
def test_what_is_not_warned_of_shares_no_cell(loop: str):
    known = silent(loop)
    assert not [pair for pair in known if meet(loop, *pair)]
    assert APART[loop] <= known


def test_parts_passed_to_a_call():
    program = """

def step(a, b):
    a[0] = 1.0
    b[0] += a[1]


@linear_grad
def f(x: Float64[np.ndarray, "n m"]) -> float:
    A = x.copy()
    for i in range(1, A.shape[0]):
        step(A[{}], A[{}])
    return A[-1, 0]
"""
    assert check_source(HEAD + program.format("i", "i - 1"), "f.py") == []
    assert [d.slug for d in check_source(HEAD + program.format("i", "-i"), "f.py")] == ["shared-update"]
