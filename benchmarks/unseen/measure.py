"""Gradients over values, values over plain Numba's, and what is logged."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from types import FunctionType

import numpy as np

from benchmarks.timing import engineering

from .cases import arguments, function

GROW = 4
TINY = 1 / 16
BARS = {"median": 2.0, "most": 3.5, "numba": 1.1}


@dataclass(frozen=True)
class Times:
    """Seconds of the value, of value and gradient, and of the same function by plain Numba; nan if it lacks what is called.
    """

    primal: float
    gradient: float
    numba: float = math.nan

    @property
    def ratio(self) -> float:
        return self.gradient / self.primal

    @property
    def beside_numba(self) -> float:
        return self.primal / self.numba


@dataclass(frozen=True)
class Row:
    """A program at both sizes; steps of value and gradient over those of the value, and words logged for each of these, are
    counted where it is small."""

    name: str
    times: tuple[Times, ...]
    steps: float
    words: int
    logged: float


def least(calls: dict[str, Callable[[], object]], rounds: int, batch: float = 0.0005) -> dict[str, float]:
    """Least time of each call, over short batches in turns: others may use the machine meanwhile. Of wall clocks: that of a
    thread's processor time counts in steps of 4 ms on some machines."""
    repeats = {}
    for name, call in calls.items():
        call()
        repeats[name] = max(1, int(batch / max(_batch(call, 2), 1e-9)))
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            found[name] = min(found[name], _batch(call, repeats[name]))
    return found


def _batch(call: Callable[[], object], repeats: int) -> float:
    started = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - started) / repeats


def plain(f: FunctionType) -> FunctionType:
    """A function as Numba compiles it, with the helpers that it calls."""
    import numba

    own = {k: v for k, v in f.__globals__.items() if k in f.__code__.co_names}
    ready = {k: numba.njit(v) if isinstance(v, FunctionType) else v for k, v in own.items()}
    return numba.njit(FunctionType(f.__code__, {**f.__globals__, **ready}, f.__name__))


def _compiled(name: str, args: tuple) -> Callable[..., object] | None:
    """A program by plain Numba, if Numba has what it calls."""
    from numba.core.errors import TypingError

    compiled = plain(function(name))
    try:
        compiled(*args)
    except TypingError:
        return None
    return compiled


def measure(names: Iterable[str] = (), timed: bool = True, rounds: int = 150) -> Iterator[Row]:
    """Each program in turn; without ``timed`` it is only counted."""
    from linad import cost, linear_grad, release_memory

    wanted = set(names)
    small = arguments(TINY)
    for name, args in small.items():
        if wanted and name not in wanted:
            continue
        release_memory()
        f = linear_grad(function(name))
        counted = cost(f, *args)
        times: list[Times] = []
        for grow in (1, GROW) if timed else ():
            large = arguments(grow)[name]
            calls = {"primal": lambda a=large: f(*a), "gradient": lambda a=large: f.value_and_grad(*a)}
            if (numba := _compiled(name, large)) is not None:
                np.testing.assert_allclose(f(*large), numba(*large), rtol=1e-9)
                calls["numba"] = lambda a=large: numba(*a)
            times.append(Times(**least(calls, rounds)))
        yield Row(name, tuple(times), counted.ratio, counted.log_words, counted.log_words / counted.primal)


def table(rows: list[Row]) -> str:
    """The section of the documents."""
    lines = []
    for row in rows:
        cells = [f"{t.ratio:.2f}" for t in row.times] + [f"{t.beside_numba:.2f}" for t in row.times]
        lines.append(f"| {row.name} | {' | '.join(cells)} | {row.steps:.2f} | {row.words} |")
    told = ["## Programs that no pass was written for", ""]
    for k, size in enumerate(("at first", f"with {GROW} times as many cells")):
        ratios = [row.times[k].ratio for row in rows if row.times]
        slow = [row.times[k].beside_numba for row in rows if row.times]
        if ratios:
            told.append(
                f"{len(ratios)} programs {size}: the median of gradient over value is {statistics.median(ratios):.2f}, "
                f"{sum(q > BARS['most'] for q in ratios)} are above {BARS['most']}; {sum(q > BARS['numba'] for q in slow)} "
                f"values take more than {BARS['numba']} of plain Numba's time."
            )
    head = "| program | gradient / value | at size 4 | value / Numba's | at size 4 | steps | words logged, tiny |"
    return "\n".join([*told, "", head, "|:---|---:|---:|---:|---:|---:|---:|", *lines]) + "\n"


def told(row: Row) -> str:
    """A row as it is found."""
    times = "  ".join(f"{engineering(t.primal):>8} grad {t.ratio:5.2f} numba {t.beside_numba:5.2f}" for t in row.times)
    return f"{row.name:26} {times}  steps {row.steps:5.2f} words {row.words:6} ({row.logged:.3f} a step)"
