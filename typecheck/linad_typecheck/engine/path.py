"""The state that changes along a path through a function: one immutable value, from which branches and attempts start.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar

from ..ir.core import Atom
from ..span import Span
from .values import Binding, Value

K = TypeVar("K")
V = TypeVar("V")
Classes = Mapping[str, frozenset[str]]
Flight = tuple[tuple[Value | None, ast.expr], ...]  # evaluated values; None for one that was used


class Fixed(dict[K, V]):
    """An immutable dictionary: changes give a new one."""

    def _fixed(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("a path is never changed: `Lowering.bind` and the like go on with another one")

    __setitem__ = __delitem__ = __ior__ = _fixed  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _fixed  # type: ignore[assignment]

    def having(self, more: Mapping[K, V]) -> Fixed[K, V]:
        new = Fixed(self)
        dict.update(new, more)
        return new

    def without(self, keys: Iterable[K]) -> Fixed[K, V]:
        gone = set(keys)
        return Fixed({k: v for k, v in self.items() if k not in gone})


class Path(NamedTuple):
    """The state of a path through a function. How the block is left is a pseudo-name of ``env``."""

    env: Fixed[str, Binding] = Fixed()
    dims: Fixed[tuple, Atom] = Fixed()  # sizes that the block has asked for
    tested: frozenset[str] = frozenset()  # ints that are not negative: the block has tested them
    alike: Classes = Fixed()  # arrays that may be one array in Python, each with its class
    made: frozenset[str] = frozenset()  # arrays that this iteration of the innermost loop has made
    objects: Fixed[Span, int] = Fixed()  # how many lists, dicts and objects were made at each place
    returned: tuple[tuple[Span, Value], ...] = ()
    dead: bool = False  # after a `raise`
    looping: bool = False  # whether what is lowered is in a loop
    owned: frozenset[str] = frozenset()  # names that a loop carries on with an array of their own, where iterations end
    want_ctl: bool = False  # whether how the block is left matters to what is around it
    around: int = 0  # how many values in flight are of expressions that the statement being lowered was made for
    stmt: ast.stmt | None = None  # being lowered
    flight: Flight = ()
    frame: int = 0  # the values before it wait for the expression that is being lowered

    def but(self, changes: Mapping[str, Any]) -> Path:
        """The path with some fields replaced, as by `_replace`; the next three are faster special cases."""
        parts = list(self)
        for name in changes:
            parts[_PLACES[name]] = changes[name]
        return _path(Path, parts)

    def naming(self, name: str, binding: Binding) -> Path:
        env = Fixed(self[0])
        dict.__setitem__(env, name, binding)
        return _path(Path, (env, *self[1:]))

    def at(self, stmt: ast.stmt, flight: Flight) -> Path:
        return _path(Path, (*self[:-3], stmt, flight, self[-1]))

    def evaluating(self, flight: Flight, frame: int) -> Path:
        return _path(Path, (*self[:-2], flight, frame))


_path = tuple.__new__
_PLACES = {name: k for k, name in enumerate(Path._fields)}


def coarser(one: Classes, other: Classes) -> Classes:
    """The finest partition that is coarser than both."""
    if one is other or not other:
        return one
    found: dict[str, frozenset[str]] = dict(one)
    for together in set(other.values()):
        if found.get(next(iter(together))) != together:
            merged = together.union(*(found.get(n, ()) for n in together))
            found.update(dict.fromkeys(merged, merged))
    return Fixed(found)


def more(one: Fixed[Span, int], other: Fixed[Span, int]) -> Fixed[Span, int]:
    """The larger count of each place."""
    if one is other or not other:
        return one
    return one.having({place: max(n, one.get(place, 0)) for place, n in other.items()})


def join(before: Path, one: Path, other: Path) -> Path:
    """The join of two paths from ``before``: arrays may alias if they may on either path, and only facts about sizes
    from before are kept. Names keep their meaning from before; joining those takes statements at both ends
    (`joins.join`)."""
    flight = before.flight
    if flight:  # what was handed on along either is handed on
        ends = zip(flight, one.flight, other.flight, strict=False)
        flight = tuple((None if None in (v, x, y) else v, node) for (v, node), (x, _), (y, _) in ends)
    return before._replace(
        alike=coarser(one.alike, other.alike),
        made=one.made | other.made,
        objects=more(one.objects, other.objects),
        returned=one.returned + other.returned[len(before.returned) :],
        dead=before.dead or (one.dead and other.dead),
        flight=flight,
    )
