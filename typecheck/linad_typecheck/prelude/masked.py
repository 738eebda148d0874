"""Reductions of the cells that a mask chooses, and of a first value."""

from __future__ import annotations

import numpy as np


def _sum(a, axis=None, keepdims=False, initial=0, where=True):
    return np.sum(_chosen(where, a, 0), axis=axis, keepdims=keepdims) + initial


def _prod(a, axis=None, keepdims=False, initial=1, where=True):
    return np.prod(_chosen(where, a, 1), axis=axis, keepdims=keepdims) * initial


def _any(a, axis=None, keepdims=False, where=True):
    return np.any(np.logical_and(_mask(where, a), a), axis=axis, keepdims=keepdims)


def _all(a, axis=None, keepdims=False, where=True):
    return np.all(np.logical_or(np.logical_not(_mask(where, a)), a), axis=axis, keepdims=keepdims)


def _mean(a, axis=None, keepdims=False, where=True):
    return _sum(a, axis, keepdims, where=where) / np.sum(_mask(where, a), axis=axis, keepdims=keepdims)


def _var(a, axis=None, ddof=0, keepdims=False, where=True):
    apart = _chosen(where, a - _mean(a, axis, True, where), 0)
    count = np.sum(_mask(where, a), axis=axis, keepdims=keepdims)
    return np.sum(apart**2, axis=axis, keepdims=keepdims) / np.maximum(count - ddof, 0)


def _std(a, axis=None, ddof=0, keepdims=False, where=True):
    return np.sqrt(_var(a, axis, ddof, keepdims, where))


def _mask(where, a):
    """The mask of each cell of an array."""
    return np.broadcast_to(where, np.shape(a))


def _chosen(where, a, instead):
    """The chosen cells of an array, and a neutral number in place of the others."""
    return np.where(_mask(where, a), a, instead)
