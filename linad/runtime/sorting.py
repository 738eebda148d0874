"""Sorting permutations: by counting for few cells, else quicksort, and quickselect where only some positions count.

Cells are ordered by value and then by index, so there are no ties: the result does not depend on the algorithm, and is
that of a stable sort.
"""

from __future__ import annotations

import numpy as np

from .compilation import exact

__all__ = ["dense_order", "dense_order_of_ints"]

RUN = 16  # cells that are sorted by insertion
FEW, FEWER = 128, 64  # cells that are sorted by counting: of which all positions are wanted, and a few
PART = 4  # selection, if fewer than one in so many positions are wanted
STEPS = 60  # partitions of a cell, which takes about 1.4 log2(n): after them the merge sort, whose cost is bounded


@exact
def _by_counting(keys, order):
    """Sort all cells: before a cell are all that are smaller, or equal and earlier. Each is compared with each, but in
    vector instructions, and without branches that the processor mispredicts."""
    n = keys.shape[0]
    for i in range(n):
        key = keys[i]
        place = 0
        for j in range(i):
            place += np.int64(keys[j] <= key)
        for j in range(i + 1, n):
            place += np.int64(keys[np.uint64(j)] < key)  # an index that does not wrap
        order[place] = i


@exact
def _insertion(keys, order, low, high):
    for i in range(low + 1, high):
        key, at = keys[i], order[i]
        j = i
        while j > low and (key < keys[j - 1] or (key == keys[j - 1] and at < order[j - 1])):
            keys[j], order[j] = keys[j - 1], order[j - 1]
            j -= 1
        keys[j], order[j] = key, at


@exact
def _merge_sort(keys, order, low, high):
    """Sort a range, by merging runs."""
    n = high - low
    for start in range(low, high, RUN):
        _insertion(keys, order, start, min(start + RUN, high))
    if n <= RUN:
        return
    from_keys, from_order = keys[low:high], order[low:high]
    to_keys, to_order = np.empty_like(from_keys), np.empty_like(from_order)
    width, swapped = RUN, False
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j, k = start, middle, start
            while i < middle and j < end:
                a, b = from_keys[i], from_keys[j]
                right = (b < a) | ((b == a) & (from_order[j] < from_order[i]))
                to_keys[k] = b if right else a
                to_order[k] = from_order[j] if right else from_order[i]
                i, j, k = i + (not right), j + right, k + 1
            while i < middle:
                to_keys[k], to_order[k] = from_keys[i], from_order[i]
                i, k = i + 1, k + 1
            while j < end:
                to_keys[k], to_order[k] = from_keys[j], from_order[j]
                j, k = j + 1, k + 1
        from_keys, to_keys, from_order, to_order = to_keys, from_keys, to_order, from_order
        width, swapped = 2 * width, not swapped
    if swapped:
        for i in range(n):  # for an assignment of slices Numba compiles a message about shapes, which takes seconds
            to_keys[i], to_order[i] = from_keys[i], from_order[i]


@exact
def _swap(keys, order, i, j):
    keys[i], keys[j] = keys[j], keys[i]
    order[i], order[j] = order[j], order[i]


@exact
def _partition(keys, order, low, high):
    """Partition a range of at least four cells around the median of three. Returns the place of that cell."""
    middle, last = low + (high - low) // 2, high - 1
    for i, j in ((low, middle), (middle, last), (low, middle)):
        if keys[j] < keys[i] or (keys[j] == keys[i] and order[j] < order[i]):
            _swap(keys, order, i, j)
    _swap(keys, order, middle, last - 1)
    key, at = keys[last - 1], order[last - 1]
    i, j = low, last - 1
    while True:
        i += 1
        while keys[i] < key or (keys[i] == key and order[i] < at):
            i += 1
        j -= 1
        while key < keys[j] or (keys[j] == key and at < order[j]):
            j -= 1
        if i >= j:
            break
        _swap(keys, order, i, j)
    _swap(keys, order, i, last - 1)
    return i


@exact
def _sort(keys, order, low, high):
    """Sort a range: quicksort, and merge sort of parts for which it needs too many steps."""
    lows, highs, left = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.int64)
    lows[0], highs[0], left[0] = low, high, STEPS
    top = 0
    while top >= 0:
        low, high, steps = lows[top], highs[top], left[top]
        top -= 1
        while high - low > RUN:
            if steps == 0:
                _merge_sort(keys, order, low, high)
                low = high
                break
            steps -= 1
            place = _partition(keys, order, low, high)
            top += 1
            left[top] = steps
            if place - low < high - place:  # the longer part waits, so that fewer than 64 do
                lows[top], highs[top] = place + 1, high
                high = place
            else:
                lows[top], highs[top] = low, place
                low = place + 1
        _insertion(keys, order, low, high)


@exact
def _select(keys, order, low, high, k):
    """Bring the cell of position ``k`` of a range to its place, larger ones after it: quickselect."""
    for _ in range(STEPS):
        if high - low <= RUN:
            _insertion(keys, order, low, high)
            return
        place = _partition(keys, order, low, high)
        if place < k:
            low = place + 1
        elif place > k:
            high = place
        else:
            return
    _merge_sort(keys, order, low, high)


@exact
def dense_order(order, a, bounds):
    """The positions from ``bounds[0]`` to ``bounds[1]`` of the permutation that sorts ``a``, with NaNs last. The other
    positions hold the other indices, those of NaNs last."""
    n = a.shape[0]
    keys = np.empty(n, a.dtype)
    m = 0
    for i in range(n):
        keys[m], order[m] = a[i], i
        m += a[i] == a[i]
    last = m
    for i in range(n if m < n else 0):
        if a[i] != a[i]:
            order[last] = i
            last += 1
    first, last = max(bounds[0], 0), min(bounds[1], m - 1)
    if first > last:
        return
    few = (last - first) * PART < m
    if m == n and n <= (FEWER if few else FEW):
        _by_counting(keys, order)
    elif few:
        _select(keys, order, 0, m, first)
        if first < last:
            _select(keys, order, first + 1, m, last)
            _sort(keys, order, first + 1, last)
    else:
        _sort(keys, order, 0, m)


dense_order_of_ints = dense_order
