"""Every library function on edge arguments against NumPy and SciPy; docs/reference/deviations.md has a row for each
difference."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


from linad_typecheck import registry
from linad_typecheck.library.arrays import METHODS, OWN

from .allowed import ALLOWED
from .edges import DTYPES, letters
from .sweep import Refused, sweep
from .table import ELSEWHERE, TABLE

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "deviations.md").read_text(encoding="utf-8")
# they lose digits at their zeros
ROUGH = dict.fromkeys(("math.lgamma", *(f"scipy.special.{n}" for n in ("gammaln", "loggamma", "multigammaln"))), 1e-8)


def dtypes(text: str) -> tuple[str, ...]:
    """The dtypes that make a difference to an expression: Python's numbers are no f32 and no i32."""
    found = letters(text)
    return DTYPES[:1] if not set(found) - set("mnp") else ("f64", "i64", "bool") if set(found) & set("uv") else DTYPES


def unexpected(name: str, text: str, dtype: str, other: str = "", **how: bool) -> list[str]:
    """The mismatches that no row of the page allows; `Refused` where the checker says that it does not have it."""
    found = sweep(name, text, dtype, other, rtol=ROUGH.get(name, 0.0), **how)
    return [str(m) for m in found if not any(a.covers(m) for a in ALLOWED)]


def test_every_function_is_in_the_table():
    registered = {*filter(registry.has_rule, registry.registry()), *(f"ndarray.{m}" for m in (*METHODS, *OWN))}
    assert registered == {*TABLE, *ELSEWHERE}
    assert not TABLE.keys() & ELSEWHERE.keys()


LIMIT = 120.0  # seconds of processor time of one function, of which the slowest takes 20 to 40 in all dtypes


@pytest.fixture
def bounded() -> Iterator[None]:
    """A combination of arguments for which a function does not come to an end is a failure."""

    def late(signum: int, frame: object) -> None:
        raise TimeoutError(f"more than {LIMIT:g} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.usefixtures("bounded")
@pytest.mark.one_in(20)
@pytest.mark.parametrize("name", TABLE)
def test_edges_of_two_dtypes(name):
    """Each function as it is lowered, in the first dtype that it takes, and one of its expressions in another one and
    after the passes before differentiation, on part of the numbers."""
    told, turn = [], [*TABLE].index(name)
    for k, text in enumerate(TABLE[name]):
        refused = []
        for dtype in dtypes(text):
            try:
                told += unexpected(name, text, dtype, prepared=k == turn % len(TABLE[name]))
                break
            except Refused as e:
                refused.append(e)
        else:
            told.append(f"{text} is refused for all dtypes: {refused}")
        others = dtypes(text)[len(refused) + 1 :]
        if others and k == turn % len(TABLE[name]):
            with contextlib.suppress(Refused):
                told += unexpected(name, text, others[turn % len(others)])
    assert not told, "\n".join(told[:20])


@pytest.mark.thorough
@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("name", TABLE)
def test_edges_of_all_dtypes(name):
    told = []
    for text in TABLE[name]:
        for dtype in dtypes(text):
            others = [d for d in dtypes(text) if d != dtype] if set(letters(text)) & set("fvyB") else []
            for other in ("", *others):
                try:
                    told += unexpected(name, text, dtype, other, all_numbers=True)
                except Refused:
                    pass
    assert not told, "\n".join(told[:40])


@pytest.mark.parametrize("allowed", ALLOWED, ids=lambda a: a.row)
def test_allowed_deviations_are_on_the_page_and_exist(allowed):
    assert f"| **{allowed.row}** |" in PAGE
    text, dtypes_ = allowed.example
    dtype, _, other = dtypes_.partition(", ")
    names = [n for n, texts in TABLE.items() if text in texts]
    assert any(allowed.covers(m) for n in names for m in sweep(n, text, dtype, other, all_numbers=bool(other)))
