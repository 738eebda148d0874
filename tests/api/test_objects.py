"""Objects of the user's classes, methods, partial applications and functions as arguments."""

import functools
import math
import sys

import numpy as np
import pytest
from linad import LinadError, linear_grad

from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([0.3, 0.5, 0.7])


class Base:
    factor = 3.0

    def scaled(self, x):
        return self.factor * x


class Model(Base):
    def __init__(self, a):
        self.a = a
        self.weights = np.array([1.0, 2.0, 3.0])
        self.activation = np.sin
        self.inner = Base()
        self.square = lambda t: t * t

    def value(self, x):
        return self.a * x + self.weights.sum() + self.scaled(x) * self.twice + self.inner.factor

    @property
    def twice(self):
        return 2 * self.a

    @staticmethod
    def more(x):
        return x + 1

    @classmethod
    def of_class(cls, x):
        return x * cls.factor

    def __call__(self, x, p=1.0):
        return self.value(x) * p + self.activation(x) + self.square(x) + self.more(x) + self.of_class(x)


class Config:
    SCALE = 2.5
    TABLE = np.array([1.0, 2.0, 3.0])

    @staticmethod
    def doubled(x):
        return x * 2


def product(a, x, b=1.0):
    return a * x * b


model = Model(2.0)
tripled = functools.partial(product, 3.0, b=2.0)
bound = model.value


def of_an_object(x):
    return (model(x, p=2.0) + model.twice + model.weights @ x + bound(x)).sum()


def of_a_class(x):
    scale = Config.SCALE if isinstance(model, Base) and not isinstance(model, Config) and callable(model) else 0.0
    return (scale * x + Config.TABLE * x + Config.doubled(x)).sum() + sys.float_info.epsilon


def partly_applied(x):
    g = functools.partial(product, b=x[0])
    return (tripled(x) + g(2.0, x)).sum() + sum(map(functools.partial(product, 2.0), x))


@pytest.mark.parametrize("f", [of_an_object, of_a_class, partly_applied], ids=lambda f: f.__name__)
def test_what_is_found_outside(f):
    for backend in ("interpret", "numba"):
        value, grad = linear_grad(f, backend=backend).value_and_grad(X)
        assert np.isclose(value, f(X)) and np.allclose(grad, differences(f, X), atol=1e-6)


def applied(f, x):
    return f(x).sum()


@pytest.mark.parametrize("given", [lambda t: t * t, model.value, model, tripled, np.sin, Config.doubled], ids=["lambda", "method", "object", "partial", "ufunc", "static"])
def test_what_is_called_as_argument(given):
    f = linear_grad(applied, backend="interpret")
    assert np.isclose(f(given, X), applied(given, X))
    assert np.allclose(f.grad(given, X), differences(lambda x: applied(given, x), X), atol=1e-6)


@pytest.mark.compiled
def test_functions_made_by_one_text_are_compiled_once():
    def times(c):
        return lambda t: c * t

    f = linear_grad(applied, backend="interpret")
    one, two = 1.0, 2.0
    assert [f(times(c), X) for c in (one, two, one)] == pytest.approx([1.5, 3.0, 1.5])
    assert sum(map(len, f._known.values())) == 2
    assert linear_grad(lambda f, x: f(x) * x, backend="interpret")(math.sin, 0.3) == 0.3 * math.sin(0.3)


def test_attributes_are_read_at_each_call():
    mine = Model(1.0)
    f = linear_grad(lambda x: mine.a * x.sum() + mine.weights @ x, backend="interpret")
    assert f(X) == pytest.approx(1.5 + mine.weights @ X)
    mine.a, mine.weights[0] = 7.0, 100.0
    assert f(X) == pytest.approx(7.0 * 1.5 + mine.weights @ X)
    mine.weights = np.zeros(3)
    assert f(X) == pytest.approx(7.0 * 1.5)


def without_it(x):
    return model.absent * x.sum()


def changed(x):
    model.a = x[0]
    return x.sum()


def test_what_an_object_does_not_have():
    with pytest.raises(LinadError, match="`.absent` of `model`, a `Model` object"):
        linear_grad(without_it)(X)
    with pytest.raises(LinadError, match="assigning to the attribute"):
        linear_grad(changed)(X)


class Backend:
    """Takes what it lacks from a module, as shims of array libraries do."""

    def __init__(self, module):
        self.module = module

    def __getattr__(self, name):
        return getattr(self.module, name)

    def cos(self, x):
        return x * x


class Chooses(Backend):
    def __getattr__(self, name):
        return np.cos if name == "sin" else getattr(self.module, name)


backend, chooses = Backend(np), Chooses(np)


def test_attributes_that_an_object_takes_from_a_module():
    def f(x):
        if type(x) in (float, backend.float64) or not isinstance(x, backend.ndarray):
            return 0.0
        return backend.sum(backend.sin(x) * backend.pi + backend.cos(x))

    g = linear_grad(f, backend="interpret")
    np.testing.assert_allclose(g(X), f(X), rtol=1e-14)
    np.testing.assert_allclose(g.grad(X), np.cos(X) * np.pi + 2.0 * X, rtol=1e-14)
    backend.module = Config
    try:
        with pytest.raises(LinadError, match="has no attribute|the attribute `.float64`"):
            g(X)
    finally:
        backend.module = np
    np.testing.assert_allclose(g(X), f(X), rtol=1e-14)


def test_attributes_that_an_object_chooses():
    with pytest.raises(LinadError, match="the attribute `.sin`"):
        linear_grad(lambda x: chooses.sin(x), backend="interpret")(X)


class Count:
    def __init__(self, a):
        self.a = a

    def add(self, k):
        self.a += k
        return self


def pair_with_change(x):
    p = Count(x[0])
    both = (p, p.add(x[1]))
    return both[0].a * both[1].a


def argument_and_change(x):
    p = Count(x[0])
    return product(p, p.add(x[1]).a).a


def two_targets(x):
    p = Count(x[0])
    q, r = p, p.add(x[1])
    return q.a * r.a


@pytest.mark.parametrize("f", [pair_with_change, argument_and_change, two_targets], ids=lambda f: f.__name__)
def test_a_change_of_an_object_that_the_expression_around_has_read(f):
    with pytest.raises(LinadError, match="inside an expression that uses it"):
        linear_grad(f, backend="interpret")(X)
