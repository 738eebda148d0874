"""Views as data: the cells of an array that a basic index, a transpose or a reshape selects.

A view does not exist at run time. Its base is an array variable; an index into the view is translated to an index into
the base wherever a cell is read or written, so reads and updates through a view, and their adjoints, access the base
directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace

from ..ir.core import Atom, Const, Var
from ..frozen import frozen
from ..types import I64

_ZERO, _ONE = Const(0, I64), Const(1, I64)


@frozen(slots=True)
class Whole:
    """The size of axis ``axis`` of the base."""

    axis: int


Size = Atom | Whole


@frozen(slots=True)
class Along:
    """One axis of the base. Its index is ``start + step * k``, where ``k`` is the index along axis ``of`` of the view,
    or ``start`` if ``of`` is None.

    ``end``, if known, is a bound that no index reaches.
    """

    start: Atom
    step: Atom = _ONE
    of: int | None = None
    end: Atom | None = field(default=None, compare=False)


@frozen(slots=True)
class Flat:
    """The base as an array of shape ``sizes`` whose k-th cell in C order is cell ``start + step * k`` of the base."""

    sizes: tuple[Atom, ...]
    start: Atom = _ZERO
    step: Atom = _ONE


# Views of the cells of a list: an array that is its item, and the list as an array, of which NumPy makes a copy. An
# update goes through the first only if no other item is the same array (`state.item_updated`).
ITEM, LISTED = "an array that a list holds", "a list as an array"
# Why the fields of an object that a list holds cannot be written through: they are views of the cells of the list. A
# number is a view of rank 0. By whether the numbers are Python's own.
FIELDS = ("a field of an object that a list holds", "a number that an object in a list holds")


@frozen(slots=True)
class View:
    """A view as data. ``axes``: one entry per axis of the base. ``shape``: one size per axis of the view.

    With ``flat``, ``axes`` are those of the flattened base.
    """

    axes: tuple[Along, ...]
    shape: tuple[Size, ...]
    flat: Flat | None = None
    readonly: str = ""  # why it cannot be written through; empty if it can
    taken_of: View | None = field(default=None, compare=False)  # the view that it was taken from


def within(view: View, other: View) -> bool:
    """Whether a view was derived from another one, directly or indirectly."""
    while view.taken_of is not None:
        view = view.taken_of
        if view == other:
            return True
    return False


def whole(rank: int) -> View:
    """An array of ``rank`` as a view of itself."""
    return View(tuple(Along(_ZERO, _ONE, k) for k in range(rank)), tuple(map(Whole, range(rank))))


def is_whole(view: View) -> bool:
    return view.flat is None and view == replace(whole(len(view.axes)), readonly=view.readonly)


def atoms(view: View) -> Iterator[Atom | Whole | None]:
    """Every number in a view, in order."""
    for a in view.axes:
        yield a.start
        yield a.step
    yield from view.shape
    if view.flat is not None:
        yield from (*view.flat.sizes, view.flat.start, view.flat.step)


def map_atoms(view: View, change: Callable[[Atom | Whole | None], object]) -> View:
    """The view with every number replaced, in the order of `atoms`."""
    axes = tuple(Along(change(a.start), change(a.step), a.of) for a in view.axes)
    shape = tuple(change(n) for n in view.shape)
    flat = view.flat and Flat(
        tuple(change(n) for n in view.flat.sizes), change(view.flat.start), change(view.flat.step)
    )
    return View(axes, shape, flat, view.readonly)


def skeleton(view: View) -> View:
    """The view with None for the parts known only at run time."""
    return map_atoms(view, lambda a: None if isinstance(a, Var) else a)


def meet(a: View, b: View) -> View | None:
    """The common part of two skeletons; None if they select cells in different ways."""
    if [x.of for x in a.axes] != [x.of for x in b.axes] or len(a.shape) != len(b.shape):
        return None
    if (a.flat is None) != (b.flat is None) or (a.flat and b.flat and len(a.flat.sizes) != len(b.flat.sizes)):
        return None
    other = atoms(b)

    def same(x):
        y = next(other)
        return x if x == y else None

    found = map_atoms(a, same)
    return replace(found, readonly=a.readonly or b.readonly)
