"""Fast path of `vjp_into`: plain arguments, plain buffers and one float result. If in doubt, the general path is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from linad_typecheck.signature import Leaf, ParamInfo, Signature
from linad_typecheck.types import F64, I64, Array

from .arguments import WANTED
from .usual import Row, apart, dim_rows, dims_hold

Kind = tuple[type, np.dtype | None, int]  # the class of an argument; for an array also its element type and rank


@dataclass(frozen=True, slots=True)
class Into:
    """The checks of such a call.

    ``buffers``: the positions of the arguments to differentiate by, with their element types. ``arrays`` and
    ``scalars``: the positions among the buffers of arrays, to which the kernel adds, and of numbers, in the kernel's
    order.
    """

    kinds: tuple[Kind, ...]
    rows: tuple[Row, ...] | None
    buffers: tuple[tuple[int, np.dtype], ...]
    arrays: tuple[int, ...]
    scalars: tuple[int, ...]

    def fit(self, arguments: Sequence[object], into: object) -> tuple[np.ndarray, ...] | None:
        """The buffers, if the call qualifies; else None."""
        parts = into if into.__class__ is tuple else (into,)
        if len(parts) != len(self.buffers):
            return None
        read = []
        for value, (kind, dtype, rank) in zip(arguments, self.kinds):
            if value.__class__ is not kind:
                return None
            if dtype is not None:
                if value.dtype is not dtype or value.ndim != rank or not value.flags.carray:
                    return None
                read.append(value)
            elif kind is int and not -(2**63) <= value < 2**63:
                return None
        if not dims_hold(self.rows, arguments):
            return None
        for part, (k, dtype) in zip(parts, self.buffers):
            if part.__class__ is not np.ndarray or part.dtype is not dtype or not part.flags.carray:
                return None
            if part.shape != (arguments[k].shape if self.kinds[k][1] is not None else ()):
                return None
        return parts if apart(parts, read) else None


def usual_into(signature: Signature, params: Sequence[ParamInfo]) -> Into | None:
    """The fast path for buffers of the given parameters; None if these never qualify."""
    result, given = signature.result, [p.structure for p in signature.params]
    if not isinstance(result, Leaf) or result.type != F64 or signature.updates or signature.hidden:
        return None
    if not all(isinstance(leaf, Leaf) and (isinstance(leaf.type, Array) or leaf.type in (F64, I64)) for leaf in given):
        return None
    wanted = [p.structure.index for p in params]
    arrays, scalars = [], []
    for index in sorted(wanted):
        leaf = next(leaf for leaf in given if leaf.index == index)
        (arrays if isinstance(leaf.type, Array) else scalars).append(wanted.index(index))
    positions = [next(k for k, leaf in enumerate(given) if leaf.index == index) for index in wanted]
    buffers = tuple((k, WANTED[given[k].type.dtype]) for k in positions)
    return Into(tuple(map(_kind, given)), dim_rows(signature), buffers, tuple(arrays), tuple(scalars))


def _kind(leaf: Leaf) -> Kind:
    if isinstance(leaf.type, Array):
        return np.ndarray, WANTED[leaf.type.dtype], leaf.type.rank
    return (float if leaf.type == F64 else int), None, 0
