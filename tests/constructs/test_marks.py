"""Objects of which only the identity is known: defaults that no caller gives."""

from __future__ import annotations

import numpy as np
from linad import linear_grad

X = np.array([0.5, -1.5, 2.0])
NOTHING = object()


class _Missing:
    def __repr__(self):
        return "missing"


MISSING = _Missing()


def scaled(x, by=NOTHING, shift=MISSING):
    if by is NOTHING:
        by = 3.0
    return x * by if shift is MISSING else x * by + shift


def helped(x):
    return scaled(x) + scaled(x, shift=x[0]) + scaled(x, MISSING is not NOTHING)


def same(x, a, b):
    return x * 2.0 if a is b else x


def test_a_default_is_told_from_what_is_given():
    f = linear_grad(scaled, backend="interpret", cache=False)
    for given in ({}, {"by": 2.0}, {"shift": X}, {"by": 2.0, "shift": 1.0}, {"by": NOTHING, "shift": MISSING}):
        assert np.array_equal(f(X, **given), scaled(X, **given))
    g = linear_grad(helped, backend="interpret", cache=False)
    assert np.array_equal(g(X), helped(X))
    assert np.array_equal(g.vjp(X)[1](np.ones(3))[0], [10.0, 7.0, 7.0])


def test_each_object_is_itself_only():
    f = linear_grad(same, backend="interpret", cache=False)
    other = _Missing()
    pairs = (MISSING, MISSING), (MISSING, other), (other, other), (NOTHING, object()), (MISSING, NOTHING), (MISSING, None)
    for pair in pairs:
        assert np.array_equal(f(X, *pair), same(X, *pair))


def test_a_name_of_the_module_may_be_bound_to_another_object(monkeypatch):
    f = linear_grad(scaled, backend="interpret", cache=False)
    assert np.array_equal(f(X, shift=MISSING), X * 3.0)
    old = MISSING
    monkeypatch.setitem(globals(), "MISSING", _Missing())
    assert np.array_equal(f(X, shift=MISSING), X * 3.0)
    assert np.array_equal(f(X, 2.0, shift=1.0), X * 2.0 + 1.0)
    monkeypatch.undo()
    assert np.array_equal(f(X, shift=old), X * 3.0)
