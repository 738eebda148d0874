"""Objects, dicts and lists are values here: where a call may have given two names to one, neither is changed."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

X = np.array([0.5, -1.0, 2.0, 0.3])


class Model:
    def __init__(self, w):
        self.w = w
        self.b = 1.0

    def me(self):
        return self

    def total(self):
        return self.w.sum() * self.b


class Holder:
    def __init__(self, model):
        self.model = model


def same(v):
    return v


def pick(one, other, first):
    return one if first else other


def held_by_another(x):
    m = Model(x.copy())
    h = Holder(m)
    m.b = x[1] * 2.0
    return h.model.total()


def given_back(x):
    m = Model(x.copy())
    n = same(m)
    n.b = x[0]
    return m.total()


def changed_before_a_loop_gives_it_back(x):
    m = Model(x.copy())
    n = m
    for i in range(2):
        m = Model(x.copy())
        m.b = x[i]
        n = same(m)
    m.b = x[2]
    return n.total()


def given_back_in_a_tuple(x):
    m = Model(x.copy())
    t = same((m, 1.0))
    m.b = x[0]
    return t[0].total()


def given_back_by_a_method(x):
    m = Model(x.copy())
    n = m.me()
    n.b = x[0]
    return m.total()


def given_back_by_a_nested_function(x):
    m = Model(x.copy())

    def get():
        return m

    n = get()
    n.b = x[0]
    return m.total()


def one_of_two(x):
    m, q = Model(x.copy()), Model(x * 2.0)
    n = pick(m, q, x[0] > 0.0)
    n.b = x[1]
    return m.total() + q.total()


def a_list(x):
    xs = []
    for v in x:
        xs.append(v)
    ys = same(xs)
    ys.append(1.0)
    return np.array(xs).sum() * len(xs)


def a_dict(x):
    d = {"a": x[0], "b": x[1]}
    e = same(d)
    e["a"] = x[2]
    return d["a"] * d["b"]


@pytest.mark.parametrize("f", [v for v in list(globals().values()) if getattr(v, "__code__", None) and v.__code__.co_varnames[:1] == ("x",)], ids=lambda f: f.__name__)
def test_what_a_call_may_give_back_is_not_changed(f):
    with pytest.raises(LinadError, match="LIN201"):
        linear_grad(f, backend="interpret", cache=False)(X)


def squares(xs):
    out = []
    for v in xs:
        out.append(v * v)
    return out


def test_lists_made_of_lists():
    def f(x):
        out = []
        for v in squares([x[0], x[1], x[2]]):
            out.append(v * 2.0)
        m = Model(x.copy())

        def scaled():
            return m.b * out[0]

        m.b = x[1]
        return np.array(out).sum() + scaled()

    checked = linear_grad(f, backend="interpret", cache=False)
    assert np.isclose(checked(X), f(X))
    np.testing.assert_allclose(checked.grad(X), [4 * 0.5 + 2 * 0.5 * 2 * -1.0, -4.0 + 2 * 0.25, 8.0, 0.0])
