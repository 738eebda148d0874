"""The methods of `collections.deque`: an object with a list, the position of its first item there, and `maxlen` or -1.

Room before the first item is made when it is needed, and given up when it is more than half of the list, so that a
method takes a constant number of steps on average. None of these functions raises: their callers have checked.
"""

from __future__ import annotations

from . import taken, updates


@updates()
def _append(d, value):
    if d.most != 0:
        if len(d.items) > 0 and len(d.items) - d.head == d.most:
            _pop_left(d)
        d.items.append(value)


@updates()
def _append_left(d, value):
    if d.most != 0:
        if len(d.items) > 0 and len(d.items) - d.head == d.most:
            d.items.pop()
        n = len(d.items)
        if d.head == 0:
            room = n + 8
            for _ in range(room):
                d.items.append(value)
            for i in range(n - 1, -1, -1):
                d.items[i + room] = d.items[i]
            d.head = room
        d.head -= 1
        d.items[d.head] = value


@updates()
def _pop_left(d):
    value = taken(d.items, d.head)
    d.head += 1
    n = len(d.items) - d.head
    if d.head > 16 and d.head > n:
        for i in range(n):
            d.items[i] = d.items[d.head + i]
        for _ in range(d.head):
            d.items.pop()
        d.head = 0
    return value


@updates()
def _rotate(d, steps):
    n = len(d.items) - d.head
    if n > 0:
        k = steps % n
        for _ in range(k):
            value = d.items.pop()
            _append_left(d, value)


@updates()
def _pop(d):
    return d.items.pop()
