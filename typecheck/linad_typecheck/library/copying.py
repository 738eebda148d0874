"""`copy.copy` and `copy.deepcopy` of arrays, numbers, tuples, lists, dicts and objects."""

from __future__ import annotations

from dataclasses import replace

from ..arrays.from_parts import copy
from ..engine import growing
from ..engine.places import loaded, materialise
from ..engine.refusal import Refused
from ..engine.rulebook import Args, Rule, enter_rules
from ..engine.sizes import is_array
from ..engine.state import Lowering
from ..engine.values import (
    GROWING, HASHED, OPTIONAL, SEQUENCES, SILENT, NoneValue, ScalarValue, TextValue, TupleValue, Value, arrays,
    is_choice, map_arrays, objects,
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
        v = loaded(ctx, v, args.span, whole=True)
        if deep:
            _hold_everything_once(v, args)
        return _copied(ctx, v, args, deep)

    return apply


def _hold_everything_once(v: Value, args: Args) -> None:
    """Refuse what may hold an array or an object twice: so would its deep copy, and they would have to be found."""
    held, parts = list(arrays(v)), list(objects(v))
    known = all(map(is_single_object, parts))
    if len(set(held)) < len(held) or not known or len({o.made for o in parts}) < len(parts):
        raise Refused(Unsupported(args.span, f"`{args.name}` of what may hold an array or an object twice", _INSTEAD))


def _copied(ctx: Lowering, v: Value, args: Args, deep: bool) -> Value:
    if is_array(v):
        return copy(ctx, v, args.hint, args.span)
    if isinstance(v, ScalarValue | NoneValue | TextValue) or is_choice(v):
        return v
    if not isinstance(v, TupleValue) or not _is_plain(v):
        raise Refused(Unsupported(args.span, f"`{args.name}` of this", _INSTEAD))
    if v.record in GROWING and not deep:
        return growing.copied(ctx, v, args.span)
    if v.record in GROWING:
        own = map_arrays(v.items[0], lambda cells: materialise(ctx, cells, "items", args.span))
        return replace(v, items=(own, v.items[1]), made=None)
    if deep or v.record in HASHED:  # the lists in which a dict stores its items are its own
        return replace(v, items=tuple(_copied(ctx, x, args, deep) for x in v.items), made=None if v.changes else v.made)
    return replace(v, made=None) if v.changes else v  # a tuple is its own copy


def _is_plain(v: TupleValue) -> bool:
    """Whether it is a tuple, a list, a dict, or an object whose class does not say how it is copied."""
    if v.record in (*SEQUENCES, *GROWING, OPTIONAL) or v.record in HASHED or v.mapping:
        return True
    own = isinstance(v.record, RecordClass) and not v.record.key.startswith(("builtins.", "%"))
    return own and not any(n in v.record.others for n in ("__copy__", "__deepcopy__", "__getstate__"))


_INSTEAD = "make another one: `list(x)`, `dict(x)`, or an object of its class"


enter_rules({"copy.copy": _rule(False), "copy.deepcopy": _rule(True)}, of="arrays")
