"""Loop heads: the assumptions about the names that a loop carries, and their values at the head."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from ..ir.core import Atom, Var
from ..messages.language import EverDeeper
from ..messages.types import TypeChanges
from ..types import Array
from .values import (
    ArrayType, ArrayValue, Binding, LostArray, OtherType, Poison, ScalarType, ScalarValue, TupleType, TupleValue,
    UnionValue, Value, ValueType, ViewValue, contains, join_settling, leaves, rebuild, type_leaves, type_of,
)


Place = tuple[str, int]  # a name, and the number of a run-time part of its value
TOP = OtherType(Poison())  # the type of a name without a single type


@dataclass
class Head:
    """The facts about names at the head of a loop: an element of the lattice over which `fixpoint` iterates.

    Each field only grows, and has finite height. Types join by `join_settling`, pointwise in tuples, up to `Poison`.
    The lost arrays of a value grow up to the whole value. The sets range over names that the loop binds, places in
    their values, and outer arrays. An attempt enters what contradicts its head into a copy.
    """

    types: dict[str, ValueType] = field(default_factory=dict)  # of carried names
    flagged: set[str] = field(default_factory=set)  # carried names that may be undefined, and so need a flag
    lost: dict[str, Value] = field(default_factory=dict)  # values with lost arrays
    negative: set[str] = field(default_factory=set)  # carried ints that are not known to stay non-negative
    wrapping: set[str] = field(default_factory=set)  # carried ints that are non-negative unless they overflow
    disordered: set[Place] = field(default_factory=set)  # arrays that may not be in C order
    longer: set[tuple[Place, tuple[int, bool]]] = field(default_factory=set)  # what does not hold of `Lowering.ones`
    moving: set[Place] = field(default_factory=set)  # arrays in tuples that an iteration rebinds, by leaf
    # pairs that may alias in later iterations: two carried arrays, or a carried one and an outer one
    mixed: set[tuple[Place, Place | str]] = field(default_factory=set)
    doubled: set[Place | Var] = field(default_factory=set)  # cells of lists that may share items (`shares_items`)
    shared: dict[Place, Var | Place] = field(default_factory=dict)  # see `share`
    # names that may hold either of two arrays at the end of an iteration: they get a copy of the new one
    owned: set[str] = field(default_factory=set)
    split: set[Place] = field(default_factory=set)  # objects in values that another name does not carry
    unbound: set[str] = field(default_factory=set)  # names that never get a value with a type
    # names without a single type, with the message
    changes: dict[str, TypeChanges | EverDeeper] = field(default_factory=dict)

    def copy(self) -> Head:
        return Head(*[getattr(self, name).copy() for name in _PARTS])

    def join(self, other: Head) -> Head:
        """The least head above both. Names are in the order of ``other``."""
        own = self.types
        types = {n: t if n not in own else join_settling(own[n], t) or TOP for n, t in other.types.items()}
        lost = {n: v if n not in self.lost else lost_parts(self.lost[n], v) for n, v in other.lost.items()}
        for mine, found in ((self.types, types), (self.lost, lost)):
            found.update((n, x) for n, x in mine.items() if n not in found)
        firsts = {n: {**getattr(other, n), **getattr(self, n)} for n in ("shared", "changes")}
        sets = {n: getattr(self, n) | getattr(other, n) for n in _SETS}
        return Head(types, lost=lost, **firsts, **sets)

    def share(self, name: str, k: int, holder: Var | Place) -> None:
        """Record that each iteration ends with ``name`` holding an array that is also held elsewhere.

        The name is first bound in the loop; the holder is an outer array, or the place of another name. In the next
        iteration and after the loop the name denotes that array.
        """
        self.shared[name, k] = holder
        self.types[name] = self.types.pop(name)  # names that share come after the names that carry

    def steady(self, before: dict[str, Binding]) -> dict[Place, Var]:
        """The arrays in tuples and records that keep their place while other parts change. The loop does not carry
        them."""
        found: dict[Place, Var] = {}
        for name, t in self.types.items():
            b = before.get(name)
            if not isinstance(t, TupleType) or b is None or name in self.lost or not fits(b.value, t):
                continue
            parts = list(leaves(b.value))
            kinds = list(type_leaves(t))
            if len(parts) == len(kinds):
                pairs = enumerate(zip(parts, kinds, strict=True))
                found |= {
                    (name, k): a for k, (a, kind) in pairs if isinstance(kind, Array) and (name, k) not in self.moving
                }
        return found


_PARTS = tuple(f.name for f in fields(Head))
_SETS = tuple(n for n in _PARTS if n not in ("types", "lost", "shared", "changes"))


def lost_leaf(v: Value) -> LostArray:
    """The first lost array of a value. A name that holds one is lost as a whole if a loop binds it."""
    if isinstance(v, LostArray):
        return v
    return next(lost_leaf(x) for x in v.items if contains(x, LostArray))


def lost_parts(head: Value, end: Value) -> Value:
    """What remains of a name at the head of a loop. A tuple that no iteration binds keeps its other parts."""
    found = _without(head, end)
    return found if found is not None else lost_leaf(head if contains(head, LostArray) else end)


def _without(head: Value, end: Value) -> Value | None:
    """A value without the arrays that either value has lost; None if they differ otherwise."""
    match head, end:
        case LostArray(), _:
            return head
        case ArrayValue() | ViewValue() | UnionValue(), LostArray():
            return end
        case TupleValue(items=items), TupleValue(items=others) if len(items) == len(others):
            parts = tuple(map(_without, items, others))
            return None if None in parts else replace(head, items=parts)
        case _:
            return head if head == end else None


def fits(v: Value, t: ValueType) -> bool:
    """Whether a value has the structure of a type."""
    match t, v:
        case TupleType(items=items), TupleValue(items=values):
            return v.record is t.record and len(items) == len(values) and all(map(fits, values, items))
        case ArrayType(), ArrayValue():
            return True
        case ScalarType(), ScalarValue():
            return True
        case _:
            return not isinstance(t, (TupleType, ArrayType, ScalarType))


def renamed(v: Value, final: dict[str, Var]) -> Value:
    """A value at the head of the loop, in terms of the variables after the loop."""
    # the two kinds of most values are written out: this is done for every name after every loop
    held = (v.atom,) if type(v) is ScalarValue else (v.var,) if type(v) is ArrayValue else tuple(leaves(v))
    if not any([type(a) is Var and a.name in final for a in held]):
        return v
    return rebuild(type_of(v), iter([outside(a, final) for a in held]))


def outside(a: Atom | None, final: dict[str, Var]) -> Atom | None:
    """An atom at the head of the loop, as it is after the loop."""
    return final.get(a.name, a) if isinstance(a, Var) else a
