"""Sorted lists: the order of items by columns of keys, and the functions of `bisect`."""

from __future__ import annotations

import numpy as np

from . import implements, updates


def _order(column, sign):
    """The stable order of the numbers in a column; descending if ``sign`` is -1."""
    return np.argsort(column if sign == 1 else -1 * column, kind="stable")


def _refined(order, column, sign):
    """An order refined by a column of keys that count more: where these are equal, it stays."""
    return order[_order(column[order], sign)]


def _order_by_less(xs, sign):
    """The stable order of items that only ``<`` compares, by merging; descending if ``sign`` is -1."""
    n = len(xs)
    order = np.arange(n)
    merged = np.arange(n)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            i = low
            j = middle
            for k in range(low, high):
                first = j == high
                if i < middle and j < high:
                    a = xs[order[i]]
                    b = xs[order[j]]
                    first = not (b < a if sign == 1 else a < b)
                if first:
                    merged[k] = order[i]
                    i += 1
                else:
                    merged[k] = order[j]
                    j += 1
        order[:] = merged
        width *= 2
    return order


def _repeated(xs, times):
    """``xs * times``."""
    made = []
    for _ in range(times):
        for x in xs:
            made.append(x)
    return made


def _spliced(xs, low, high, ys):
    """A list with the items of ``ys`` in place of ``xs[low:high]``."""
    n = len(xs)
    lo = 0 if low is None else low
    hi = n if high is None else high
    lo = max(lo + n, 0) if lo < 0 else min(lo, n)
    hi = max(hi + n, 0) if hi < 0 else min(hi, n)
    return xs[:lo] + ys + xs[max(lo, hi) :]


def _stored(xs, low, high, step, ys):
    """A list with the items of ``ys`` as those of ``xs[low:high:step]``."""
    at = np.arange(len(xs))[low:high:step]
    if len(at) != len(ys):
        raise ValueError("attempt to assign a sequence of another size to an extended slice")
    made = xs[:]
    for k in range(len(at)):
        made[at[k]] = ys[k]
    return made


def _without(xs, low, high, step):
    """A list without the items of ``xs[low:high:step]``."""
    kept = np.ones(len(xs), dtype=bool)
    kept[low:high:step] = False
    made = []
    for k in range(len(xs)):
        if kept[k]:
            made.append(xs[k])
    return made


def _equal(a, b):
    """Whether two lists have equal items."""
    same = len(a) == len(b)
    if same:
        for k in range(len(a)):
            if not a[k] == b[k]:
                same = False
                break
    return same


def _index(xs, value):
    """``xs.index(value)``."""
    for k, x in enumerate(xs):
        if x == value:
            return k
    raise ValueError("the value is not in the list")


def _count(xs, value):
    """``xs.count(value)``."""
    n = 0
    for x in xs:
        if x == value:
            n += 1
    return n


@implements("bisect.bisect_left")
def bisect_left(a, x, lo=0, hi=None):
    """The first position in a sorted list at which an item may be inserted.

    Parameters
    ----------
    a : list or array
        Sorted items.
    x : float, int or tuple
        The item.
    lo, hi : int
        The part that is searched.

    Returns
    -------
    int
        The position: all items before it are less than ``x``.

    Examples
    --------
    >>> bisect_left([1.0, 2.0, 2.0, 3.0], 2.0)
    1
    """
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@implements("bisect.bisect_right", "bisect.bisect")
def bisect_right(a, x, lo=0, hi=None):
    """The last position in a sorted list at which an item may be inserted.

    Parameters
    ----------
    a : list or array
        Sorted items.
    x : float, int or tuple
        The item.
    lo, hi : int
        The part that is searched.

    Returns
    -------
    int
        The position: all items from there on are greater than ``x``.

    Examples
    --------
    >>> bisect_right([1.0, 2.0, 2.0, 3.0], 2.0)
    3
    """
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@updates("bisect.insort_left")
def insort_left(a, x, lo=0, hi=None):
    """Insert an item into a sorted list, before equal ones.

    Parameters
    ----------
    a : list
        Sorted items.
    x : float, int or tuple
        The item.
    lo, hi : int
        The part that is searched.

    Returns
    -------
    None

    Examples
    --------
    >>> a = [1.0, 3.0]
    >>> insort_left(a, 2.0)
    >>> a
    [1.0, 2.0, 3.0]
    """
    a.insert(bisect_left(a, x, lo, hi), x)


@updates("bisect.insort_right", "bisect.insort")
def insort_right(a, x, lo=0, hi=None):
    """Insert an item into a sorted list, after equal ones.

    Parameters
    ----------
    a : list
        Sorted items.
    x : float, int or tuple
        The item.
    lo, hi : int
        The part that is searched.

    Returns
    -------
    None

    Examples
    --------
    >>> a = [1.0, 3.0]
    >>> insort_right(a, 2.0)
    >>> a
    [1.0, 2.0, 3.0]
    """
    a.insert(bisect_right(a, x, lo, hi), x)


@updates()
def _end_to_end(xs):
    """The arrays of a list, which may have several lengths, as one."""
    if len(xs) == 0:
        raise ValueError("need at least one array to concatenate")
    count = 0
    for x in xs:
        count += x.shape[0]
    joined = np.zeros(count, dtype=xs[0].dtype)
    at = 0
    for x in xs:
        for i in range(x.shape[0]):
            joined[at + i] = x[i]
        at += x.shape[0]
    return joined
