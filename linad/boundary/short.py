"""Shape specialisation: programs are specialised for short last axes, such as positions in space, and for arrays of
equal shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from linad_typecheck.signature import Alike, ParamInfo, Signature
from linad_typecheck.types import Array

from .dims import parsed
from .results import leaf_types

LONGEST = 4  # maximum size of a short axis: loops with at most as many iterations are unrolled
VERSIONS = 8  # maximum number of specialisations; calls with other shapes run the general program

# flat arguments with the size of their short last axis, and those of equal shape
Short = tuple[tuple[int, int] | Alike, ...]


def matrices(signature: Signature, hidden: Sequence[int] = ()) -> tuple[int, ...]:
    """The flat arguments of rank 2 or more, except those whose last axis has a literal size in the annotation.

    ``hidden``: the ranks of the module-level arrays that the function reads.
    """
    own = [k for info in signature.params for k in _of(info)]
    first = sum(1 for info in signature.params for _ in leaf_types(info.structure))
    return (*own, *(first + k for k, rank in enumerate(hidden) if rank > 1))


def _of(info: ParamInfo) -> Iterator[int]:
    for k, rank, dims in _annotated(info):
        known = dims and parsed(dims[-1])[0] and not parsed(dims[-1])[1]
        if rank > 1 and not known:
            yield k


def _annotated(info: ParamInfo) -> Iterator[tuple[int, int, tuple[str, ...] | None]]:
    """The flat array arguments of a parameter, with their ranks and, if annotated, their dimensions."""
    arrays = [leaf for leaf in leaf_types(info.structure) if isinstance(leaf.type, Array)]
    for leaf, dims in zip(arrays, info.dims or (None,) * len(arrays), strict=True):
        yield leaf.index, leaf.type.rank, dims


def annotated(signature: Signature) -> dict[int, tuple[str, ...]]:
    """The dimensions of flat arguments whose sizes are all named; arguments with the same dimensions have the same
    shape."""
    return {
        k: dims
        for info in signature.params
        for k, _, dims in _annotated(info)
        if dims is not None and all(parsed(d)[0] for d in dims)
    }


def short_axes(shapes: Sequence[tuple[int, ...]], arguments: tuple[int, ...]) -> Short:
    """The arguments whose last axis is short, and shorter than all other axes.

    For a 3 by 3 matrix specialisation would help little, and functions are often tried with small matrices first.
    """
    return tuple(
        (k, shape[-1])
        for k, shape in zip(arguments, shapes, strict=True)
        if shape[-1] <= LONGEST and prod(shape) > shape[-1] ** 2
    )


def alike(
    shapes: Sequence[tuple[int, ...]], arguments: tuple[int, ...], known: Mapping[int, tuple[str, ...]]
) -> tuple[Alike, ...]:
    """The arguments that have the shape of an earlier one, except those ``known`` to have it."""
    first: dict[tuple[int, ...], int] = {}
    named: set[tuple[str, ...]] = set()
    found: list[Alike] = []
    for k, shape in zip(arguments, shapes, strict=True):
        dims = known.get(k)
        if (other := first.setdefault(shape, k)) != k and dims not in named:
            found.append(Alike(k, other))
        if dims is not None:
            named.add(dims)
    return tuple(found)
