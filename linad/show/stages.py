"""The stages of a checked function by name, each as text."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from linad_typecheck.ir.core import Function, Program
from linad_typecheck.ir.text import print_program
from linad_typecheck.types import is_float

from ..codegen import EmitOptions, emit
from ..pipeline import Gradient, differentiate, inline_rules, linear, prepare
from .home import at_home
from .table import Table, make_table

Stage = Literal["table", "lowered", "linear", "reverse", "stored", "simplified", "numba"]
STAGES: tuple[Stage, ...] = ("table", "lowered", "linear", "reverse", "stored", "simplified", "numba")


@dataclass(frozen=True)
class Text:
    """Text that prints as itself, and preformatted in a notebook."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def stage_of(
    program: Program,
    stage: Stage,
    wrt: Sequence[str] | None = None,
    source: dict[int, str] | None = None,
    off: tuple[str, ...] = (),
) -> Table | Text:
    """One stage of the derivative of a lowered program.

    Parameters
    ----------
    program
        The program lowered from the user's function.
    stage
        ``"lowered"`` is the program itself, ``"linear"`` its linear form, ``"reverse"`` its derivative with every
        needed value logged, ``"stored"`` the derivative under the storage plan, ``"simplified"`` what is compiled,
        ``"numba"`` the module generated from that, ``"table"`` primal and adjoint side by side.
    wrt
        Parameters of the core program to differentiate by; by default all floats.
    source
        The user's lines by number, for the table; by default the program's own lines.
    off
        Passes to disable.
    """
    if stage not in STAGES:
        raise ValueError(f"no stage {stage!r}: there are {', '.join(map(repr, STAGES))}")
    if stage == "lowered":
        return Text(print_program(program))
    ready = prepare(at_home(program), off=off)
    if stage == "linear":
        return Text(print_program(linear(ready)))
    names = tuple(wrt) if wrt is not None else tuple(p.var.name for p in ready.main.params if is_float(p.var.type))
    gradient = differentiate(ready, names, True, log_everything=stage == "reverse", off=off)
    if stage == "numba":
        return _numba(gradient, off)
    return _PRINT[stage](program.entry, ready, gradient, source)


def _table(name: str, ready: Program, gradient: Gradient, source: dict[int, str] | None) -> Table:
    return make_table(name, source if source is not None else {}, ready.main, gradient.simplified.main)


def _numba(gradient: Gradient, off: tuple[str, ...]) -> Text:
    return Text(emit(inline_rules(gradient.simplified, off=off), EmitOptions(off=off)).source)


def _stored(name: str, ready: Program, gradient: Gradient, source: object) -> Text:
    return Text(print_program(gradient.stored))


_PRINT: dict[str, Callable[..., Table | Text]] = {
    "table": _table,
    "reverse": _stored,
    "stored": _stored,
    "simplified": lambda name, ready, gradient, source: Text(print_program(gradient.simplified)),
}


def lines_of(f: Function, lines: Sequence[str], first: int) -> dict[int, str]:
    """The source lines of a function by number, without their common indentation.

    ``first`` is the line number of the first of ``lines``.
    """
    numbers = range(f.span.line, f.span.end_line + 1) if f.span.line else range(0)
    found = {n: lines[n - first] for n in numbers if 0 <= n - first < len(lines)}
    common = min((len(t) - len(t.lstrip()) for t in found.values() if t.strip()), default=0)
    return {n: t[common:].rstrip() for n, t in found.items() if t.strip()}
