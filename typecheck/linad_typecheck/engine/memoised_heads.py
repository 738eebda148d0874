"""Memoised loop heads, for a loop that is lowered again in every attempt of an enclosing loop.

A head found on one path is the starting point on another path that is above it in the lattice: with the same names,
with arrays held, shared and borrowed in the same way, and with scalars of the same or wider types and no more facts.
Each attempt still checks its head, so only the number of attempts depends on this. It makes that number linear in the
depth of the nest.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.core import Atom, Const, Var
from .loop_head import TOP, Head
from .path import Path, Settled
from .state import Lowering
from .values import (
    ArrayValue, Binding, Bottom, DerivativeValue, FunctionValue, LostArray, ScalarValue, TupleValue, UnionValue, Value,
    ValueType, ViewType, ViewValue, contains, join_types, type_of,
)
from .views import View, Whole, atoms, skeleton


def settled_from(ctx: Lowering, found: Settled[Head] | None, start: Head) -> Head | None:
    """The starting point of the search for a head above ``start`` on the path of ``ctx``; None if nothing is memoised.
    """
    pairs = None if found is None else above(ctx, found.path, ctx.path)
    if found is None or pairs is None:
        return None
    known = found.found
    types = {n: _moved(t, pairs) for n, t in known.types.items()}
    shared = {p: pairs.get(h.name) if isinstance(h, Var) else h for p, h in known.shared.items()}
    mixed = {(p, pairs.get(q) if isinstance(q, str) else q) for p, q in known.mixed}
    doubled = {pairs.get(q.name) if isinstance(q, Var) else q for q in known.doubled}
    if None in (*types.values(), *shared.values(), *doubled) or any(q is None for _, q in mixed):
        return None
    mixed = {(p, q.name if isinstance(q, Var) else q) for p, q in mixed}
    unsure = any(contains(b.value, Bottom) for b in found.path.env.values())
    known = replace(known.copy(), types=types, shared=shared, mixed=mixed, doubled=doubled)
    if unsure:
        known = replace(known, unbound=set())
    both = start.join(known)
    # objects that the body changes without binding a name are not in ``start``: here they may be more than they were
    entered = {n: ctx.env[n].value for n in types.keys() - start.types.keys() if n in ctx.env}
    objects = {n: type_of(v) for n, v in entered.items() if isinstance(v, TupleValue) and not contains(v, LostArray)}
    both = replace(both, types={n: join_types(objects.get(n, t), t) or TOP for n, t in both.types.items()})
    first = [n for n in start.types if not any(n == shares for shares, _ in shared)]
    return replace(both, types={n: both.types[n] for n in dict.fromkeys((*first, *both.types))})


def above(ctx: Lowering, old: Path, new: Path) -> dict[str, Atom] | None:
    """The mapping from the variables of a path to those of a path above it; None if it is not above."""
    same = all(getattr(old, n) == getattr(new, n) for n in ("owned", "want_ctl", "looping"))
    if not same or len(old.flight) != len(new.flight):
        return None
    pairs = _Pairs(ctx, old, new)
    for name, b in old.env.items():
        c = new.env.get(name)
        if c is None or not pairs.bindings(b, c):
            return None
    return pairs.all() if pairs.classes() else None


class _Pairs:
    def __init__(self, ctx: Lowering, old: Path, new: Path) -> None:
        self.ctx, self.old, self.new = ctx, old, new
        self.found: dict[str, Atom] = {}
        self.arrays: dict[str, str] = {}  # arrays of the new path to those of the old one

    def bindings(self, b: Binding, c: Binding) -> bool:
        return (b.defined is None or c.defined is not None) and self.values(b.value, c.value)

    def values(self, x: Value, y: Value) -> bool:
        if isinstance(x, Bottom):
            return True
        match x, y:
            case ScalarValue(atom=a), ScalarValue(atom=b):
                return join_types(type_of(x), type_of(y)) == type_of(y) and self.scalars(a, b)
            case ArrayValue(var=a), ArrayValue(var=b):
                return self.variables(a, b)
            case ViewValue(var=a, view=v), ViewValue(var=b, view=w):
                return self.variables(a, b) and self.views(v, w)
            case UnionValue(one=p, other=q), UnionValue(one=r, other=s):
                return self.values(p, r) and self.values(q, s)
            case TupleValue(items=xs, record=r, made=at), TupleValue(items=ys, record=s, made=other):
                fewer = at == other or (None not in (at, other) and at <= other)
                return r is s and fewer and len(xs) == len(ys) and all(map(self.values, xs, ys))
            case FunctionValue(captured=xs), FunctionValue(captured=ys) if xs is not None and ys is not None:
                same = x.source == y.source and [n for n, _ in xs] == [n for n, _ in ys]
                return same and all(self.values(p, q) for (_, p), (_, q) in zip(xs, ys, strict=True))
            case DerivativeValue(function=f), DerivativeValue(function=g):
                return x.transform == y.transform and self.values(f, g)
            case LostArray(type=t), LostArray(type=u):
                return t == u
        return x == y

    def scalars(self, a: Atom, b: Atom) -> bool:
        if isinstance(b, Const):
            return a == b
        if isinstance(a, Var):
            self.found[a.name] = b
        return self.known(b, self.new) <= self.known(a, self.old)

    def known(self, a: Atom, path: Path) -> int:
        """How much is known about an int scalar, as a rank."""
        if isinstance(a, Const):
            return 3
        known = self.ctx.known(a)
        return 2 + (known.bits <= 50) if known.nonneg or a.name in path.tested else int(known.wraps)

    def variables(self, a: Var, b: Var) -> bool:
        variables = self.ctx.variables
        same = a.type == b.type and variables.lent(a.name) == variables.lent(b.name)
        same = same and self.ctx.known(a).in_order >= self.ctx.known(b).in_order
        same = same and self.ctx.ones(a, self.old) >= self.ctx.ones(b, self.new)
        return same and self.found.setdefault(a.name, b) == b and self.arrays.setdefault(b.name, a.name) == a.name

    def views(self, v: View, w: View) -> bool:
        if skeleton(v) != skeleton(w):
            return False
        both = zip(atoms(v), atoms(w), strict=True)
        return all(isinstance(a, Whole) or a is None or self.scalars(a, b) for a, b in both)

    def all(self) -> dict[str, Atom]:
        """The pairs, including sizes that both paths have computed of an array."""
        for (array, *rest), size in self.old.dims.items():
            if isinstance(size, Var) and array in self.found:
                again = self.new.dims.get((self.found[array].name, *rest))
                if again is not None:
                    self.found.setdefault(size.name, again)
        return self.found

    def classes(self) -> bool:
        """Whether the may-alias classes of the old path include those of the new one."""
        old, new = self.old.alike, self.new.alike
        for name, together in old.items() if new is not old else ():
            if name in self.found:
                now = new.get(self.found[name].name, frozenset({self.found[name].name}))
                if any(n in self.found and self.found[n].name not in now for n in together):
                    return False
        return True


def _moved(t: ValueType, pairs: dict[str, Atom]) -> ValueType | None:
    """A type whose views refer to the corresponding arrays of another path."""
    if isinstance(t, ViewType) and isinstance(t.base, Var):
        base = pairs.get(t.base.name)
        return None if base is None else replace(t, base=base)
    if any(isinstance(part, Var) for part in _bases(t)):
        return None
    return t


def _bases(t: ValueType):
    """The base arrays of views in a type, nested ones included."""
    if isinstance(t, ViewType):
        yield t.base
    single = (getattr(t, n) for n in ("one", "other", "function") if hasattr(t, n))
    for part in (*getattr(t, "items", ()), *(p for _, p in getattr(t, "captured", ())), *single):
        yield from _bases(part)
