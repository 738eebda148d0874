"""Whether arrays share memory, decided conservatively with bounded work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

_WORK = 10_000  # limit on the steps of `np.shares_memory` for strided arrays; beyond it the answer counts as yes


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have a cell in common, or cannot be shown not to.

    Examples
    --------
    >>> x = np.zeros(10)
    >>> overlap(x[:5], x[5:]), overlap(x[:6], x[5:]), overlap(x[::2], x[1::2])
    (False, True, False)
    """
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=_WORK))
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(a: np.ndarray) -> bool:
    """Whether two indices of an array may refer to the same cell, as in a broadcast view.

    Examples
    --------
    >>> overlaps_itself(np.zeros((3, 4)).T), overlaps_itself(np.broadcast_to(np.zeros(3), (2, 3)))
    (False, True)
    """
    if a.flags.c_contiguous or a.flags.f_contiguous or a.size == 0:
        return False
    reach = a.itemsize
    for stride, size in sorted((abs(s), n) for s, n in zip(a.strides, a.shape) if n > 1):
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False


Named = tuple[str, np.ndarray]


def check_apart(function: str, updated: Sequence[Named], others: Iterable[Named]) -> None:
    """Raise an error if an updated array shares memory with another updated array or argument.

    Raises
    ------
    ValueError
        Naming the arguments.
    """
    others = tuple(others)
    for k, (name, a) in enumerate(updated):
        for other, b in (*updated[k + 1 :], *others):
            if overlap(a, b):
                raise ValueError(
                    f"{function}(): `{name}` is updated and shares memory with `{other}`; pass a copy of one of them"
                )


def check_written(function: str, written: Sequence[Named], others: Iterable[Named]) -> None:
    """Raise an error if an array that a call writes to is read-only, overlaps itself or shares memory with another one.

    Raises
    ------
    ValueError
        Naming the arguments.
    """
    others = tuple(others)
    for k, (name, a) in enumerate(written):
        if not a.flags.writeable:
            raise ValueError(f"{function}(): `{name}` is updated, but the array is read-only")
        if overlaps_itself(a):
            raise ValueError(
                f"{function}(): `{name}` is updated, but several of its indices name one cell (a broadcast view)"
            )
        check_apart(function, written[k : k + 1], (*written[k + 1 :], *others))
