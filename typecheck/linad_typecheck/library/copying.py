"""`copy.copy` and `copy.deepcopy` of arrays, numbers, tuples, lists, dicts and objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..arrays.from_parts import copy
from ..engine import growing
from ..engine.growing import is_growing
from ..engine.places import materialise
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import (
    GROWING, HASHED, OPTIONAL, SILENT, NoneValue, ScalarValue, TextValue, TupleValue, Value, arrays, is_choice,
    map_arrays, objects,
)
from ..messages.language import BadCall, Unsupported
from ..names.scope import RecordClass
from ..ownership.objects import is_single_object


def _rule(deep: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        if len(args.values) != 1 or args.keywords:
            raise Refused(BadCall(args.span, args.name, "takes one argument"))
        (v,) = args.values
        if isinstance(v, SILENT):
            raise Refused(None)
        return _deep(ctx, v, args) if deep else _shallow(ctx, v, args)

    return apply


def _shallow(ctx: Lowering, v: Value, args: Args) -> Value:
    if is_array(v):
        return copy(ctx, v, args.hint, args.span)
    if isinstance(v, ScalarValue | NoneValue | TextValue) or is_choice(v):
        return v
    if not isinstance(v, TupleValue) or not _is_plain(v):
        raise _refused(args)
    if v.record in GROWING:
        return growing.copied(ctx, v, args.span)
    if v.record in HASHED:
        own = (growing.copied(ctx, x, args.span) if is_growing(x) else x for x in v.items)
        return replace(v, items=tuple(own), made=None)
    return replace(v, made=None) if v.changes else v  # a tuple is its own copy


def _deep(ctx: Lowering, v: Value, args: Args) -> Value:
    """A copy of everything in a value. What is in it twice is in the copy twice, too."""
    several = list(arrays(v))
    if len(set(several)) < len(several) or not all(map(is_single_object, objects(v))):
        raise Refused(Unsupported(args.span, f"`{args.name}` of what may hold an array or an object twice", _INSTEAD))
    found = list(objects(v))
    if len({o.made for o in found}) < len(found):
        raise Refused(Unsupported(args.span, f"`{args.name}` of what holds an object twice", _INSTEAD))
    return _copied(ctx, v, args)


def _copied(ctx: Lowering, v: Value, args: Args) -> Value:
    if is_array(v):
        return copy(ctx, v, args.hint, args.span)
    if isinstance(v, ScalarValue | NoneValue | TextValue) or is_choice(v):
        return v
    if not isinstance(v, TupleValue) or not _is_plain(v):
        raise _refused(args)
    if v.record in GROWING:
        own: Callable[[Value], Value] = partial(_owned, ctx, args)
        return replace(v, items=(map_arrays(v.items[0], own), v.items[1]), made=None)
    return replace(v, items=tuple(_copied(ctx, x, args) for x in v.items), made=None if v.changes else v.made)


def _owned(ctx: Lowering, args: Args, cells: Value) -> Value:
    return materialise(ctx, cells, "items", args.span)


def _is_plain(v: TupleValue) -> bool:
    """Whether it is a tuple, a list, a dict, or an object whose class does not say how it is copied."""
    if v.record is None or v.record in (*GROWING, *HASHED, OPTIONAL) or v.listed or v.mapping:
        return True
    own = isinstance(v.record, RecordClass) and not v.record.key.startswith(("builtins.", "%"))
    return own and not any(n in v.record.others for n in ("__copy__", "__deepcopy__", "__getstate__"))


_INSTEAD = "make another one: `list(x)`, `dict(x)`, or an object of its class"


def _refused(args: Args) -> Refused:
    return Refused(Unsupported(args.span, f"`{args.name}` of this", _INSTEAD))


enter_rules({"copy.copy": _rule(False), "copy.deepcopy": _rule(True)}, of="arrays")
