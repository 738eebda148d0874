"""Alias analysis of lists, dicts and objects of classes: which values may be the same object.

During lowering these are immutable values, and a change makes a new value. In Python there is one object that may have
many names. Each value therefore carries a points-to set (`TupleValue.made`): the objects that it may be, each
identified by its allocation site and the number of objects made there before. If the set has one element, the update is
strong: it is applied to every name and every value that holds the object, as in Python. If it has several elements, the
change is refused while another live name may be one of them.

A loop allocates at the same sites in each iteration. Objects of the current iteration are distinguished; those of
earlier iterations are marked ``again``, because one such mark may stand for several objects. A callee numbers the
objects that are passed to it (`number_objects`), and the type of a result numbers the new objects in it
(`result_type`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..engine.refusal import Refused
from ..engine.state import CTL, RET
from ..engine.values import (
    ANY_LISTS, ARRAYS, HELD, ROWS, TWICE, UNKNOWN, ClosureType, DerivativeType, Origin, TupleType,
    TupleValue, Value, ValueType, arrays, map_objects, objects,
)
from ..names.scope import HASHED
from ..messages.language import UnknownIdentity, Unsupported
from ..span import Span
from .state import may_overlap

if TYPE_CHECKING:
    from ..engine.path import Fixed
    from ..engine.state import Lowering

Made = frozenset[Origin]

CALLER, MODULE = (frozenset((Origin(what),)) for what in ("caller", "module"))
_OUTSIDE = {
    "caller": "which its caller sees",
    "module": "of the module",
    "unknown": "that is an item of a list of a computed length",
    "held": "that is an item of a list of a computed length",
    "twice": "that may be two items of a list",
}
_GIVEN, _NEW = "given", "new"
_IN_CALLS = 1 << 20  # deeper than any loop


def may_be_one(ctx: Lowering, a: Value, b: Value) -> bool:
    """Whether a change of one value may be visible in the other: arrays that may share a cell, or objects that may
    be the same. The parts of an object are not considered."""
    match a, b:
        case TupleValue(), TupleValue():
            if not (a.changes and b.changes and _kind(a) == _kind(b)):
                return False
            if None in (a.made, b.made) or UNKNOWN <= a.made | b.made:
                return True
            return not (a.made - HELD - TWICE).isdisjoint(b.made)
    return isinstance(a, ARRAYS) and isinstance(b, ARRAYS) and may_overlap(ctx, a, b)


def _kind(v: TupleValue) -> str:
    """What two values of one object have in common: objects of a class have the same attributes at one time."""
    return "list" if v.record in ANY_LISTS else "dict" if v.mapping or v.record in HASHED else v.record.mark


def is_held(v: TupleValue) -> bool:
    """Whether a value is, or may be, an item of a growing list."""
    return v.made is not None and HELD <= v.made


def is_single_object(v: TupleValue) -> bool:
    """Whether a value is known to be one particular object."""
    origin = next(iter(v.made)) if v.made is not None and len(v.made) == 1 else None
    return origin is not None and not origin.again and origin.place not in _OUTSIDE


def is_same_object(ctx: Lowering, a: Value, b: Value) -> bool | None:
    """Whether two values are the same list, dict or object; None if that is not known."""
    if not (isinstance(a, TupleValue) and isinstance(b, TupleValue) and (a.changes or b.changes)):
        return None
    if not may_be_one(ctx, a, b):
        return False
    return True if is_single_object(a) and a.made == b.made else None


# ------------------------------------------------------------------------------------------------- where they are made


def allocated_at(ctx: Lowering, v: Value, span: Span) -> Value:
    """The value, with ``span`` as the allocation site of each list, dict and object that has no origin."""
    origin = lambda: frozenset((new_origin(ctx, span),))
    return map_objects(v, lambda o: o if o.made is not None else replace(o, made=origin()))


def new_origin(ctx: Lowering, span: Span, again: int = 0) -> Origin:
    """The origin of a new object with the allocation site ``span``."""
    count = ctx.path.objects.get(span, 0)
    ctx.go(objects=ctx.path.objects.having({span: count + 1}))
    return Origin(span, count, again)


def from_outside(v: Value, made: Made) -> Value:
    """The value, with ``made`` as the points-to set of each object that has none: objects of the caller or of the
    module."""
    return map_objects(v, lambda o: replace(o, made=made) if o.made is None else o)


def earlier(t: ValueType, before: Fixed[Span, int], depth: int) -> ValueType:
    """A type as the next iteration of a loop sees it: objects made since ``before`` are marked as made in an earlier
    iteration. ``depth``: of the loop. Marks of inner loops are replaced, because the next iteration makes new ones."""

    def past(o: Origin) -> Origin:
        here = isinstance(o.place, Span) and o.number >= before.get(o.place, 0)
        return replace(o, again=depth) if here and not 0 < o.again <= depth else o

    return _with_origins(t, lambda made: frozenset(map(past, made)))


def _with_origins(t: ValueType, change: Callable[[Made], Made]) -> ValueType:
    match t:
        case TupleType(items=items, made=made):
            parts = tuple(_with_origins(x, change) for x in items)
            return replace(t, items=parts, made=None if made is None else change(made))
        case ClosureType(captured=c):
            return replace(t, captured=tuple((n, _with_origins(x, change)) for n, x in c))
        case DerivativeType(function=f):
            return replace(t, function=_with_origins(f, change))
    return t


# ---------------------------------------------------------------------------------------------------------------- calls


def origins(t: ValueType) -> set[Origin]:
    """The union of the points-to sets of the objects in a value of this type."""
    found: set[Origin] = set()
    _with_origins(t, lambda made: found.update(made) or made)
    return found


def number_objects(values: Iterable[Value]) -> dict[Origin, Origin]:
    """The numbers that a callee gives to the objects passed to it. Equal numbers are all that it knows about their
    identity."""
    every = (o for v in values for part in objects(v) for o in sorted(part.made or (), key=str))
    numbers: dict[Origin, Origin] = {}
    for o in every:
        if o.place not in _OUTSIDE:
            numbers.setdefault(o, Origin(_GIVEN, len(numbers), int(o.again > 0)))
    return numbers


def rename_objects(v: Value, names: Mapping[Origin, Origin]) -> Value:
    """The value with its objects renamed."""
    if not names:
        return v

    def name(x: Origin) -> Origin:
        whole = replace(x, part=0)
        return names[x] if x in names else replace(names[whole], part=x.part) if whole in names else x

    rename = lambda o: replace(o, made=None if o.made is None else frozenset(map(name, o.made)))
    return map_objects(v, rename)


def result_type(t: ValueType) -> ValueType:
    """The type of a result as callers see it. New objects are numbered; all those whose identity is uncertain share
    one mark."""
    found: list[Made] = []
    _with_origins(t, lambda made: found.append(made) or made)
    inside = lambda made: {o for o in made if o.place not in _OUTSIDE and o.place != _GIVEN}
    unsure = {o for made in found for o in inside(made) if len(made) > 1 or o.again}
    numbers = {o: k for k, o in enumerate(dict.fromkeys(o for made in found for o in inside(made) - unsure))}
    many = Origin(_NEW, 0, _IN_CALLS)
    here = lambda made: {many if o in unsure else Origin(_NEW, numbers[o]) for o in inside(made)}
    return _with_origins(t, lambda made: frozenset((made - inside(made)) | here(made)))


def from_callee(ctx: Lowering, v: Value, numbers: Mapping[Origin, Origin], span: Span) -> Value:
    """The result of a call as the caller sees it. ``numbers``: those of `number_objects`."""
    names = {number: o for o, number in numbers.items()}
    for part in objects(v):
        for o in part.made or ():
            if o.place == _NEW and o not in names:
                names[o] = new_origin(ctx, span, o.again)
    return allocated_at(ctx, rename_objects(v, names), span)


# -------------------------------------------------------------------------------------------------------------- changes


def change(ctx: Lowering, old: TupleValue, new: TupleValue, name: str, what: str, instead: str, span: Span) -> None:
    """Replace the object ``old``, which ``name`` holds if it is not empty, by ``new`` wherever it is held.

    Raises `Refused` if the result could differ from Python. ``what`` names the change, ``instead`` says what to write.
    """
    may_change(ctx, old, name, what, instead, span)
    if any(may_be_one(ctx, part, old) for x in new.items for part in objects(x)):
        told = "an object that holds itself, directly or in one of its parts,"
        raise Refused(Unsupported(span, told, "pass it where it is used, or keep the index of an item instead"))
    known = is_single_object(old)

    def changed(part: TupleValue) -> TupleValue:
        return replace(new, made=old.made) if part.made == old.made and (known or part == old) else part

    left = {n: map_objects(b.value, changed) for n, b in ctx.env.items() if n not in (RET, CTL)}
    ctx.bind_all({n: replace(ctx.env[n], value=v) for n, v in left.items() if v is not ctx.env[n].value})
    if name in ctx.env:
        ctx.typed(name, span, ctx.env[name].value)


def may_change(ctx: Lowering, old: TupleValue, name: str, what: str, instead: str, span: Span) -> None:
    """Raise `Refused` if a change of an object would be visible where it cannot be recorded."""
    outside = next((_OUTSIDE[o.place] for o in old.made or UNKNOWN if o.place in _OUTSIDE), "")
    mine = {o for o in old.made or () if o.place == _GIVEN}
    if mine and not ctx.spec.options.changes:
        outside = _OUTSIDE["caller"]
    if old.made is not None and not MODULE.isdisjoint(old.made):  # assigning to its name would make that a local one
        instead = "make one of the function's own, under another name"
    if outside:
        raise Refused(Unsupported(span, f"{what} {outside},", instead))
    if any(may_be_one(ctx, part, old) for v, _ in ctx.waiting() for part in objects(v)):
        raise Refused(
            Unsupported(span, f"{what} inside an expression that uses it,", "change it in a statement of its own")
        )
    known, later = is_single_object(old), used_later(ctx)
    holders: list[str] = []
    for n, b in ctx.env.items():
        if n in (RET, CTL) or not (later is None or n in later or n[0] == "%"):
            continue
        parts = [part for part in objects(b.value) if may_be_one(ctx, part, old)]
        if n.startswith("%over") and any(part in parts for part in _run_over(b.value)):
            raise Refused(Unsupported(span, f"{what} while a loop runs over it,", instead))
        holders += [n for part in parts if not known or part.made != old.made]
    if not known and len(holders) == 1:  # no other name or value may be one of these objects
        holders = []
    if holders:
        other = next((n for n in holders if n not in (name, "") and n[0] != "%"), name or "another name")
        raise Refused(UnknownIdentity(span, f"{what} which `{other}` may be, too,", instead))
    if mine:
        ctx.spec.changed |= {replace(o, part=0) for o in mine}


def row_may_change(
    ctx: Lowering, row: TupleValue, holder: TupleValue | None, what: str, instead: str, span: Span
) -> None:
    """Raise `Refused` if a change of a list that a growing list holds would not be visible wherever Python shows it.

    ``row`` is a view of its cells, or has the cells of all lists there. ``holder`` is the growing list if that changes
    with it; it is None if a number in a cell changes, which all views of the cell show.
    """
    places = {o.place for o in row.made or UNKNOWN}
    outside = next((_OUTSIDE[p] for p in ("twice", "unknown", "caller", "module") if p in places), "")
    mine = {o for o in row.made or () if o.place == _GIVEN}
    if mine and holder is not None and not ctx.spec.options.changes:
        outside = _OUTSIDE["caller"]
    if outside:
        raise Refused(Unsupported(span, f"{what} {outside},", instead))
    cells, later = {v.name for v in arrays(row)}, used_later(ctx)
    for n, b in ctx.env.items():
        if n in (RET, CTL) or not (later is None or n in later or n[0] == "%"):
            continue
        parts = list(objects(b.value))
        inside = {
            id(x)
            for o in parts
            if holder is not None and is_single_object(o) and o.made == holder.made
            for x in objects(o)
        }
        for part in parts:
            shown = any(v.name in cells for v in arrays(part)) or id(part) in inside
            if may_be_one(ctx, part, row) and not shown:
                other = n if n[0] != "%" else "another name"
                raise Refused(UnknownIdentity(span, f"{what} which `{other}` may be, too,", instead))
    if mine and holder is not None:
        ctx.spec.changed |= mine


def own_arrays(ctx: Lowering, v: TupleValue) -> bool:
    """Whether an update of the arrays that store the items of a list is visible to whoever passed the list to the
    function. It is not if the function has stored them in arrays of its own."""
    given = any(o.place == _GIVEN for o in v.made or ())
    return not given or all(a.name in ctx.spec.flat for a in arrays(v))


def only_in(ctx: Lowering, v: TupleValue) -> bool:
    """Whether the lists that a growing list holds are held there once, and by nothing else."""
    rows = v.items[0]
    if rows.made is None or any(o.place in _OUTSIDE and o not in HELD or o.place == _GIVEN for o in rows.made):
        return False
    parts = (part for b in ctx.env.values() for part in objects(b.value))
    return not any(may_be_one(ctx, part, rows) and part != rows for part in parts)


def used_later(ctx: Lowering) -> frozenset[str] | None:
    """The names that may be used by the current statement or after it; None if all may be."""
    after = ctx.live.after.get(ctx.path.stmt)
    return None if after is None else after | ctx.live.used(ctx.path.stmt) | ctx.live.always


def _run_over(v: Value) -> list[Value]:
    """The lists that a loop iterates over, from the value that it holds under a pseudo-name."""
    first = v.items[0] if isinstance(v, TupleValue) and v.items and not v.changes else None
    return [v, *(first.items if isinstance(first, TupleValue) else ())]


def without_held(v: Value, others: Iterable[Value]) -> Value:
    """The value without the contents of those objects that are known to be in ``others`` as well, where callers find
    them."""
    known = {o.made for v in others for o in objects(v) if is_single_object(o)}
    return map_objects(v, lambda o: replace(o, items=()) if o.made in known else o)


def expand_held(v: Value, others: Iterable[Value]) -> Value:
    """The inverse of `without_held`: the value with the contents of those objects taken from ``others``."""
    known = {o.made: o for v in others for o in objects(v) if is_single_object(o)}
    return map_objects(v, lambda o: known.get(o.made, o))


def changed_by_call(
    ctx: Lowering,
    before: Iterable[Value],
    after: Iterable[Value],
    changed: frozenset[Origin],
    function: str,
    span: Span,
) -> None:
    """Give the objects of ``changed`` the values that a callee left in them."""
    was = {part.made: part for v in before for part in objects(v)}
    for holder in was.values():
        for part in objects(holder):
            if part.record in ROWS and holder.record not in ROWS and not changed.isdisjoint(part.made or ()):
                told = f"a call of `{function}`, which changes what it is given,"
                row_may_change(ctx, part, holder, told, "let the function return a new one", span)
    for part in (part for v in after for part in objects(v) if part.record not in ROWS):
        old = was.pop(part.made, None)
        if old is not None and not changed.isdisjoint(part.made):
            instead = "let the function return a new one, or give it parts"
            change(ctx, old, part, "", f"a call of `{function}`, which changes what it is given,", instead, span)
