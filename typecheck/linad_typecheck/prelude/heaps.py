"""Heaps in lists: the functions of `heapq`, for lists of numbers or of tuples."""

from __future__ import annotations

from . import updates


@updates()
def _sift_down(heap, start, pos):
    """Move the item at ``pos`` towards the root, to the position where its parent is not greater."""
    item = heap[pos]
    while pos > start:
        parent = (pos - 1) // 2
        if not item < heap[parent]:
            break
        heap[pos] = heap[parent]
        pos = parent
    heap[pos] = item


@updates()
def _sift_up(heap, pos):
    """Move the item at ``pos`` to a leaf along the smaller children, and from there up to its place, as CPython does:
    the order of equal items is the same."""
    end = len(heap)
    start = pos
    item = heap[pos]
    child = 2 * pos + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    heap[pos] = item
    _sift_down(heap, start, pos)


@updates("heapq.heappush")
def heappush(heap, item):
    """Push an item onto a heap.

    Parameters
    ----------
    heap : list
        A heap.
    item : float, int or tuple
        The item.

    Returns
    -------
    None

    Examples
    --------
    >>> heap = [1.0, 3.0]
    >>> heappush(heap, 0.5)
    >>> heap
    [0.5, 3.0, 1.0]
    """
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


@updates("heapq.heappop")
def heappop(heap):
    """Remove the smallest item of a heap. IndexError if it is empty.

    Parameters
    ----------
    heap : list
        A heap.

    Returns
    -------
    float, int or tuple
        The item.

    Examples
    --------
    >>> heappop([1.0, 3.0])
    1.0
    """
    last = heap.pop()
    if len(heap) == 0:
        return last
    item = heap[0]
    heap[0] = last
    _sift_up(heap, 0)
    return item


@updates("heapq.heapreplace")
def heapreplace(heap, item):
    """Remove the smallest item of a heap, then push another one. IndexError if the heap is empty.

    Parameters
    ----------
    heap : list
        A heap.
    item : float, int or tuple
        The new item.

    Returns
    -------
    float, int or tuple
        The item that was removed.

    Examples
    --------
    >>> heapreplace([1.0, 3.0], 2.0)
    1.0
    """
    smallest = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return smallest


@updates("heapq.heappushpop")
def heappushpop(heap, item):
    """Push an item onto a heap, then remove the smallest one.

    Parameters
    ----------
    heap : list
        A heap.
    item : float, int or tuple
        The new item.

    Returns
    -------
    float, int or tuple
        The smallest item.

    Examples
    --------
    >>> heappushpop([1.0, 3.0], 2.0)
    1.0
    """
    if len(heap) > 0 and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return smallest
    return item


@updates("heapq.heapify")
def heapify(x):
    """Rearrange the items of a list so that it is a heap.

    Parameters
    ----------
    x : list
        The list.

    Returns
    -------
    None

    Examples
    --------
    >>> x = [3.0, 1.0, 2.0]
    >>> heapify(x)
    >>> x
    [1.0, 3.0, 2.0]
    """
    for i in range(len(x) // 2 - 1, -1, -1):
        _sift_up(x, i)
