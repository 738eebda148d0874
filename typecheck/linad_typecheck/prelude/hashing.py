"""Hash tables with linear probing: dicts and sets of ints, texts, members of enumerations, and tuples of these.

A dict is an object with a list of its keys in the order of insertion, a list of its values, and the table: a list whose
length is a power of two, with the position of a key, or -1 for none. A set has keys and a table. At most half of a
table is used.
"""

from __future__ import annotations

from . import code_of, updates


@updates()
def _start(key, mask):
    """Where the search for a key begins. `engine.hashed` has the same function."""
    h = code_of(key) * 2654435761
    return (h ^ (h >> 15)) & mask


@updates()
def _find(keys, table, key):
    """The position of a key, or -1."""
    if len(keys) == 0:
        return -1
    mask = len(table) - 1
    h = _start(key, mask)
    j = table[h]
    while j >= 0:
        if keys[j] == key:
            return j
        h = (h + 1) & mask
        j = table[h]
    return -1


@updates()
def _entered(keys, table, j):
    """The table with the position of one more key, which is not in it."""
    mask = len(table) - 1
    h = _start(keys[j], mask)
    while table[h] >= 0:
        h = (h + 1) & mask
    table[h] = j


@updates()
def _append(d, key):
    """Append a key that is not there."""
    d.keys.append(key)
    n = len(d.keys)
    if 2 * n > len(d.table):
        for h in range(len(d.table)):
            d.table[h] = -1
            d.table.append(-1)
        for j in range(n):
            _entered(d.keys, d.table, j)
    else:
        _entered(d.keys, d.table, n - 1)


@updates()
def _put(d, key, value):
    """``d[key] = value``."""
    j = _find(d.keys, d.table, key)
    if j >= 0:
        d.values[j] = value
    else:
        _append(d, key)
        d.values.append(value)


@updates()
def _place(d, key, value):
    """The position of a key, which is inserted with a value if it is not there."""
    j = _find(d.keys, d.table, key)
    if j < 0:
        j = len(d.keys)
        _append(d, key)
        d.values.append(value)
    return j


@updates()
def _add(s, key):
    """``s.add(key)``."""
    if _find(s.keys, s.table, key) < 0:
        _append(s, key)


@updates()
def _value(values, j, default):
    """The value at a position, or the default at -1."""
    if j >= 0:
        return values[j]
    return default


@updates()
def _unlink(keys, table, j):
    """Take a position out of the table, and move back those that were entered further on because of it."""
    mask = len(table) - 1
    hole = _start(keys[j], mask)
    while table[hole] != j:
        hole = (hole + 1) & mask
    h = (hole + 1) & mask
    while table[h] >= 0:
        home = _start(keys[table[h]], mask)
        if ((h - home) & mask) >= ((h - hole) & mask):
            table[hole] = table[h]
            hole = h
        h = (h + 1) & mask
    table[hole] = -1


@updates()
def _remove(d, j):
    """Remove the key at a position from a dict; later ones move up."""
    _unlink(d.keys, d.table, j)
    d.keys.pop(j)
    value = d.values.pop(j)
    if j < len(d.keys):
        for h in range(len(d.table)):
            if d.table[h] > j:
                d.table[h] -= 1
    return value


@updates()
def _discard(s, j):
    """Remove the key at a position from a set; the last one takes its place."""
    _unlink(s.keys, s.table, j)
    last = s.keys.pop()
    n = len(s.keys)
    if j < n:
        mask = len(s.table) - 1
        h = _start(last, mask)
        while s.table[h] != n:
            h = (h + 1) & mask
        s.table[h] = j
        s.keys[j] = last


@updates()
def _discard_any(s, j):
    """``s.discard(key)``; the position is -1 if the key is not there."""
    if j >= 0:
        _discard(s, j)


@updates()
def _pop(d, j, default):
    """``d.pop(key, default)``; the position is -1 if the key is not there."""
    if j >= 0:
        return _remove(d, j)
    return default


@updates()
def _popitem(d):
    """``d.popitem()`` of a dict that is not empty."""
    j = len(d.keys) - 1
    _unlink(d.keys, d.table, j)
    return d.keys.pop(), d.values.pop()


@updates()
def _update(d, other):
    """``d.update(other)``."""
    for j in range(len(other.keys)):
        _put(d, other.keys[j], other.values[j])


@updates()
def _count(d, key):
    """``d[key] += 1`` of a counter."""
    j = _place(d, key, 0)
    d.values[j] += 1


@updates()
def _union(s, a, b):
    """``s = a | b``, of an empty set ``s``."""
    for k in range(len(a.keys)):
        _add(s, a.keys[k])
    for k in range(len(b.keys)):
        _add(s, b.keys[k])


@updates()
def _intersection(s, a, b):
    """``s = a & b``, of an empty set ``s``."""
    for k in range(len(a.keys)):
        if _find(b.keys, b.table, a.keys[k]) >= 0:
            _add(s, a.keys[k])


@updates()
def _difference(s, a, b):
    """``s = a - b``, of an empty set ``s``."""
    for k in range(len(a.keys)):
        if _find(b.keys, b.table, a.keys[k]) < 0:
            _add(s, a.keys[k])


@updates()
def _symmetric_difference(s, a, b):
    """``s = a ^ b``, of an empty set ``s``."""
    _difference(s, a, b)
    _difference(s, b, a)


@updates()
def _issubset(a, b):
    """``a <= b``."""
    found = True
    for k in range(len(a.keys)):
        if _find(b.keys, b.table, a.keys[k]) < 0:
            found = False
    return found


@updates()
def _isdisjoint(a, b):
    """Whether no element is in both sets."""
    found = True
    for k in range(len(a.keys)):
        if _find(b.keys, b.table, a.keys[k]) >= 0:
            found = False
    return found
