"""The state that changes along a path through a function: one immutable value, from which branches and attempts start.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from ..frozen import frozen
from ..ir.core import Atom
from ..span import Span
from .values import Binding, Value

K = TypeVar("K")
V = TypeVar("V")
F = TypeVar("F")
Classes = Mapping[str, frozenset[str]]
Flight = tuple[tuple[Value | None, ast.expr], ...]  # evaluated values with their nodes; None for one that has been used


class Fixed(dict[K, V]):
    """An immutable dictionary. Changes return a new one."""

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
    """The state of one path through a function. How control leaves the block is a pseudo-name of ``env``."""

    env: Fixed[str, Binding] = Fixed()
    dims: Fixed[tuple, Atom] = Fixed()  # sizes already computed in this block
    cells: Fixed[Value, Value] = Fixed()  # lists and tuples of which this block has stored the items in arrays
    tested: frozenset[str] = frozenset()  # ints that this block has tested to be non-negative
    alike: Classes = Fixed()  # may-alias classes of arrays
    made: frozenset[str] = frozenset()  # arrays allocated in this iteration of the innermost loop
    objects: Fixed[Span, int] = Fixed()  # how many lists, dicts and objects were made at each place
    returned: tuple[tuple[Span, Value], ...] = ()
    dead: bool = False  # after a `raise`
    looping: int = 0  # the number of loops around the code
    owned: frozenset[str] = frozenset()  # names that get an array of their own at the end of each iteration of a loop
    want_ctl: bool = False  # whether the surrounding code needs to know how control leaves the block
    around: int = 0  # number of values in flight that belong to expressions around the current statement
    stmt: ast.stmt | None = None  # being lowered
    flight: Flight = ()
    frame: int = 0  # the values before this position wait for the expression that is being lowered

    def but(self, changes: Mapping[str, Any]) -> Path:
        """The path with some fields replaced, as by `_replace`. The next three methods are faster special cases."""
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
    """The larger of two counts at each place."""
    if one is other or not other:
        return one
    return one.having({place: max(n, one.get(place, 0)) for place, n in other.items()})


def join(before: Path, one: Path, other: Path) -> Path:
    """The join of two paths from ``before``.

    Arrays may alias if they may on either path. Only sizes and stored items from before are kept. Names keep their
    values from before: joining those needs statements at the end of both arms (`joins.join`).
    """
    flight = before.flight
    if flight:  # a value used on either path counts as used
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


@frozen
class Settled(Generic[F]):
    """A memoised result, such as the head of a loop: the path on which it was found, and whether a problem was reported
    there."""

    path: Path
    found: F
    wrong: bool = False
