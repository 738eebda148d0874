"""The input of `show` and `explain`: a checked function's program, derivative parameters, source lines and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linad_typecheck.ir.core import Program, base_name
from linad_typecheck.facts import Fact
from linad_typecheck.signature import Alike

from .. import derive
from ..boundary.errors import refusal
from ..boundary.results import float_leaves
from ..boundary.short import Short
from ..decorator import linear_grad
from ..function import CheckedFunction
from ..options import Options
from ..specialise import Specialisation
from ..transforms.application import Transformed
from .stages import lines_of


@dataclass(frozen=True)
class Reading:
    """What there is to show of a function. ``wrt``: names of core parameters; ``lines``: the function's own lines by
    number."""

    name: str
    program: Program
    wrt: tuple[str, ...]
    lines: dict[int, str]
    facts: tuple[Fact, ...]
    options: Options


def reading_of(f: object) -> Reading:
    """The reading of a checked or plain function, for the types and short axes of its latest call.

    Raises
    ------
    LinadError
        If a parameter has no type before a first call.
    """
    checked_function = _checked(f)
    s = specialisation_of(checked_function)
    program = s.lowered(s.latest.sizes)
    checked = s.checked
    assert checked is not None
    entry = s.record.entry()
    first = getattr(entry.source, "first_line", 1)
    lines = lines_of(program.main, entry.source.lines, first)
    wrt = _wrt(checked_function, s, program)
    facts = checked.facts if program is checked.program else (*_sizes(program, s.latest.sizes), *checked.facts)
    return Reading(checked_function.__name__, program, wrt, lines, facts, checked_function.options)


def _checked(f: object) -> CheckedFunction:
    """The checked function to show: for a transformed one that has been called, what it computes, or else the function
    that it transforms."""
    if isinstance(f, Transformed):
        return f.composed if f.composed.signature else f.function
    return f if isinstance(f, CheckedFunction) else linear_grad(f)  # type: ignore[call-overload]


def _sizes(program: Program, sizes: Short) -> Iterator[Fact]:
    """A fact for each axis size or shape equality of a call that the program is specialised for."""
    params, made = program.main.params, "in the last call, which the code is made for"
    for known in sizes:
        if isinstance(known, Alike):
            v, what = params[known.array].var, f"the shape of {base_name(params[known.other].var.name)}"
        else:
            v = params[known[0]].var
            what = f"{known[1]} along axis {v.type.rank - 1}"
        yield Fact("size", base_name(v.name), program.main.span, f"{what} {made}")


def specialisation_of(f: CheckedFunction) -> Specialisation:
    """The latest specialisation of a function; before any call, the one of its annotations if they give all types."""
    latest = [kept[0] for kept in f._known.values() if kept]
    if latest:
        return latest[-1]
    if not f._missing:
        return f.specialisation(())
    names = ", ".join(f"`{n}`" for n in f._missing)
    raise refusal(
        "bad-call",
        f"`{f.__name__}`: the type of {names} is not known before a first call",
        help="annotate the parameter, or call the function or `warmup` once",
    )


def _wrt(f: CheckedFunction, s: Specialisation, program: Program) -> tuple[str, ...]:
    if f.options.wrt is None and not any(float_leaves(p.structure) for p in s.signature.params):
        return ()
    leaves = derive.wanted(s.signature, f.options.wrt).leaves
    return tuple(program.main.params[k].var.name for k in leaves)
