"""Arrays with a short last axis, such as positions in space: programs are specialised for its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from linad_typecheck.signature import ParamInfo, Signature
from linad_typecheck.types import Array

from .dims import parsed
from .results import leaf_types

LONGEST = 4  # cells of an axis that counts as short: loops of as many iterations are written out
VERSIONS = 8  # sets of such sizes that programs are made for; calls with others run the program for any sizes

Short = tuple[tuple[int, int], ...]  # flat arguments whose last axis is short, and its size


def matrices(signature: Signature, hidden: Sequence[int] = ()) -> tuple[int, ...]:
    """The flat arguments of rank 2 or more, except those whose last axis has a literal size in the annotation.

    ``hidden``: the ranks of the module-level arrays that the function reads.
    """
    own = [k for info in signature.params for k in _of(info)]
    first = sum(1 for info in signature.params for _ in leaf_types(info.structure))
    return (*own, *(first + k for k, rank in enumerate(hidden) if rank > 1))


def _of(info: ParamInfo) -> Iterator[int]:
    arrays = [leaf for leaf in leaf_types(info.structure) if isinstance(leaf.type, Array)]
    for leaf, dims in zip(arrays, info.dims or (None,) * len(arrays), strict=True):
        known = dims and parsed(dims[-1])[0] and not parsed(dims[-1])[1]
        if leaf.type.rank > 1 and not known:
            yield leaf.index


def short_axes(shapes: Sequence[tuple[int, ...]], arguments: tuple[int, ...]) -> Short:
    """The arguments whose last axis is short, and shorter than all other axes.

    For a 3 by 3 matrix the specialisation would help little, and functions are often tried with small matrices first.
    """
    return tuple(
        (k, shape[-1])
        for k, shape in zip(arguments, shapes, strict=True)
        if shape[-1] <= LONGEST and prod(shape) > shape[-1] ** 2
    )
