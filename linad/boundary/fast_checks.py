"""Fast path for common calls: all arguments have the right type and layout. If in doubt, the general path is taken,
which also words the errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from linad_typecheck.signature import Leaf, Signature
from linad_typecheck.types import Array

from .dims import parsed

Row = tuple[int, int, int, str, int]  # parameter, axis, and the annotated size as a factor, a name and a constant


def dim_rows(signature: Signature) -> tuple[Row, ...] | None:
    """The annotated sizes of array parameters; None if other parameters have annotated sizes, too."""
    rows: list[Row] = []
    for k, info in enumerate(signature.params):
        if not info.dims:
            continue
        if not (isinstance(info.structure, Leaf) and isinstance(info.structure.type, Array)):
            return None
        for dims in info.dims:
            for axis, text in enumerate(dims or ()):
                factor, name, shift = parsed(text)
                if factor:
                    rows.append((k, axis, factor, name, shift))
    return tuple(rows)


def dims_hold(rows: tuple[Row, ...] | None, arguments: Sequence[object]) -> bool:
    """Whether sizes match their annotations."""
    if rows is None:
        return False
    bound: dict[str, int] = {"": 0}
    for k, axis, factor, name, shift in rows:
        size = arguments[k].shape[axis] - shift
        known = bound.get(name)
        if known is None:
            if factor != 1:
                size, rest = divmod(size, factor)
                if rest:
                    return False
            if size < 0:
                return False
            bound[name] = size
        elif size != factor * known:
            return False
    return True


def no_overlap(written: Sequence[np.ndarray], read: Sequence[np.ndarray]) -> bool:
    """Whether no written array overlaps another array, by address ranges."""
    return _owners_apart(written, read) or _spans_apart(written, read)


def _owners_apart(written: Sequence[np.ndarray], read: Sequence[np.ndarray]) -> bool:
    """Whether each written array owns its memory, and no other array lies in it.

    `_spans_apart` takes a microsecond per array; this test is faster and suffices for nearly every call.
    """
    owners: set[int] = set()
    for a in written:
        owner = a if a.flags.owndata else a.base
        if owner.__class__ is not np.ndarray or not owner.flags.owndata:
            return False
        owners.add(id(owner))
    if len(owners) != len(written):
        return False
    for a in read:
        owner = a if a.flags.owndata else a.base
        if owner.__class__ is not np.ndarray or not owner.flags.owndata or id(owner) in owners:
            return False
    return True


def _spans_apart(written: Iterable[np.ndarray], read: Iterable[np.ndarray]) -> bool:
    """Whether no written array overlaps another array, by sorting their address ranges."""
    spans: list[tuple[int, int, bool]] = []
    for arrays, writes in ((written, True), (read, False)):
        for a in arrays:
            if a.size:
                if not a.flags.c_contiguous:
                    return False
                start = a.__array_interface__["data"][0]
                spans.append((start, start + a.nbytes, writes))
    spans.sort()
    reached = written_to = 0
    for start, end, writes in spans:
        if start < (reached if writes else written_to):
            return False
        if end > reached:
            reached = end
        if writes and end > written_to:
            written_to = end
    return True
