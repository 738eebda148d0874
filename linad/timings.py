"""The stages of a first gradient and their times: ``linad doctor --timings FILE::FUNCTION``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TypeVar

from linad_typecheck.garbage import uncollected
from linad_typecheck.ir.core import Program, walk

from . import pipeline
from .codegen import EmitOptions, emit
from .codegen.startup import import_numba
from .show.command import checked_function, gradient_by
from .switches import switched_off

T = TypeVar("T")


@dataclass(frozen=True)
class Timing:
    """A stage of a first gradient.

    Attributes
    ----------
    name : str
        The stage.
    seconds : float
        CPU time of all threads together.
    waited : float
        Wall-clock time.
    size : str
        The size of its result.
    """

    name: str
    seconds: float
    waited: float
    size: str = ""


def timings(place: str) -> Iterator[Timing]:
    """The stages between a function's source and the machine code of its gradient, yielded as they finish.

    Parameters
    ----------
    place : str
        ``FILE::FUNCTION``. The file is read but not executed.
    """

    @uncollected()  # as in a first call
    def timed(name: str, make: Callable[[], T], size: Callable[[T], str] = lambda made: "") -> tuple[T, Timing]:
        used, began = process_time(), perf_counter()
        made = make()
        return made, Timing(name, process_time() - used, perf_counter() - began, size(made))

    (function, checked), stage = timed(
        "check and lower", lambda: checked_function(place), lambda c: _size(c[1].program)
    )
    yield stage
    off = switched_off()
    ready, stage = timed("inline and simplify", lambda: pipeline.prepare(checked.program, off=off), _size)
    yield stage
    wrt = gradient_by(function, checked)
    simple, stage = timed("differentiate", lambda: pipeline.differentiate(ready, wrt, True, off=off).simplified, _size)
    yield stage
    settled, stage = timed("simplify again", lambda: pipeline.inline_rules(simple, off=off), _size)
    yield stage
    numba, stage = timed("import Numba", _numba)
    yield stage
    made, stage = timed("optimise and print", lambda: emit(settled, numba.options(off)), lambda m: _lines(m.source))
    yield stage
    yield timed("machine code", lambda: numba.load("timings", made.source))[1]


@dataclass(frozen=True)
class _Numba:
    """The functions that need Numba."""

    options: Callable
    load: Callable


def _numba() -> _Numba:
    import_numba()
    from .codegen import machine

    def options(off: tuple[str, ...]) -> EmitOptions:
        return EmitOptions(checked="hoisted", vector_math=machine.choice(), workspace=True, off=off)

    return _Numba(options, machine.compile.load)


def _size(program: Program) -> str:
    return f"{sum(1 for f in program.functions.values() for _ in walk(f.body)):,} statements"


def _lines(source: str) -> str:
    return f"{source.count(chr(10)):,} lines"


def report(place: str) -> Iterator[str]:
    """The lines of a table, yielded as stages finish."""
    seconds = waited = 0.0
    for stage in timings(place):
        if not seconds:
            yield f"{'stage':<22}{'CPU':>8}{'clock':>9}"
        seconds, waited = seconds + stage.seconds, waited + stage.waited
        yield f"{stage.name:<22}{stage.seconds:>6.2f} s{stage.waited:>7.2f} s  {stage.size}".rstrip()
    yield f"{'in all':<22}{seconds:>6.2f} s{waited:>7.2f} s"
