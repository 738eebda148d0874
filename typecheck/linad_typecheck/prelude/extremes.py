"""The largest and smallest cells of arrays together with a first value, which an array without cells has, too."""

from __future__ import annotations

import numpy as np


def _max_from(a, axis=None, keepdims=False, initial=0.0, where=True):
    return _most(np.max, np.asarray(a), axis, keepdims, initial, where)


def _min_from(a, axis=None, keepdims=False, initial=0.0, where=True):
    return _most(np.min, np.asarray(a), axis, keepdims, initial, where)


def _most(most, a, axis, keepdims, initial, where):
    if isinstance(axis, tuple):
        raise TypeError("takes one axis or none with `initial` here")
    if np.asarray(initial).dtype.kind == "f" and a.dtype.kind != "f":
        raise TypeError("takes an `initial` of the dtype of the array here")
    if isinstance(where, bool) and where:
        kept = a
    else:
        kept = np.where(where, a, initial)
    if axis is None:
        found = most(np.append(np.ravel(kept), initial))
        return np.reshape(found, (1,) * a.ndim) if keepdims else found
    rows = np.moveaxis(kept, axis, 0)
    found = most(np.concatenate((np.full((1, *rows.shape[1:]), initial, dtype=a.dtype), rows)), 0)
    return np.expand_dims(found, axis) if keepdims else found
