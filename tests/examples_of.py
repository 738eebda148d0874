"""How many examples tests draw, and which: a few in an everyday run, always the same ones. LINAD_EXAMPLES=n draws n times
as many, LINAD_SEED=n others; `make test-thorough` does both, with a seed of its own that it prints."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings

MANY = int(os.environ.get("LINAD_EXAMPLES", "1"))  # a factor
SEED = int(os.environ["LINAD_SEED"]) if os.environ.get("LINAD_SEED") else None  # None: the same examples in each run


def quick(examples: int) -> Callable[[Callable], Callable]:
    """The settings of a test whose examples Hypothesis draws: a third of so many in an everyday run."""
    chosen = settings(
        max_examples=max(1, examples // 3) if SEED is None else examples * MANY,
        deadline=None,
        derandomize=SEED is None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    def applied(test: Callable) -> Callable:
        test = pytest.mark.drawn(chosen(test))
        return test if SEED is None else seed(SEED)(test)

    return applied


def seeds(count: int) -> range:
    """The seeds of programs that a test draws itself, this many in an everyday run; it carries the marker `drawn`."""
    first = 0 if SEED is None else (SEED % 2**20 + 1) * 1000
    return range(first, first + count * MANY)


def daily(cases: Iterable[Any], one_of: int) -> list[Any]:
    """One in so many, from the first one on: which cases run every day is decided here, and nowhere else."""
    return [case for k, case in enumerate(cases) if k % one_of == 0]


def sample(items: Iterable[pytest.Item]) -> None:
    """Mark as `thorough` the tests with the marker `one_in(n)`, the rows of a table or programs of one kind, that do not
    run every day."""
    rows: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        if (mark := item.get_closest_marker("one_in")) and not item.get_closest_marker("thorough"):
            rows.setdefault((item.nodeid.partition("[")[0], mark.args[0]), []).append(item)
    for (_, n), found in rows.items():
        for item in set(found) - set(daily(found, n)):
            item.add_marker("thorough")


def some(cases: Iterable[Any], one_of: int) -> list[Any]:
    """Parameters of which one in so many runs every day, where `one_in` cannot mark the test: those of a fixture, or of
    a backend."""
    sets = [c if hasattr(c, "marks") else pytest.param(*(c if isinstance(c, tuple) else (c,))) for c in cases]
    every_day = set(daily(range(len(sets)), one_of))
    rare = [pytest.param(*c.values, id=c.id, marks=(*c.marks, pytest.mark.thorough)) for c in sets]
    return [c if k in every_day else r for k, (c, r) in enumerate(zip(sets, rare, strict=True))]


def on_backends(cases: Iterable[Any], one_of: int) -> list[Any]:
    """Parameters with a backend as the last of each: the interpreter for all cases and Numba for one in so many, where
    all that compiling adds is time. With the marker `thorough` every case is compiled."""
    named = [(f"{case}" if isinstance(case, str) else getattr(case, "__name__", None), case) for case in cases]
    made = {
        backend: [pytest.param(c, backend, id=None if name is None else f"{name}-{backend}") for name, c in named]
        for backend in ("interpret", "numba")
    }
    return made["interpret"] + some(made["numba"], one_of)
