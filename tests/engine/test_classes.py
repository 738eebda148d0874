"""Classes as other people write them: parents, properties that are set and cached, functions as results, objects that
keep arrays."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod

import numpy as np
import pytest
from linad import LinadError, linear_grad

X = np.array([0.3, 0.5, 0.8, 0.9])


def agrees(f, *args):
    """Value and pullback are those of CPython and of differences."""
    checked = linear_grad(f, backend="interpret", cache=False)
    copies = lambda by: [a + by * np.cos(np.arange(1.0, np.size(a) + 1)).reshape(np.shape(a)) for a in args]
    value, pullback = checked.vjp(*copies(0.0))
    wanted = f(*copies(0.0))
    assert np.allclose(value, wanted, 1e-12), (value, wanted)
    weights = np.sin(np.arange(1.0, np.size(value) + 1)).reshape(np.shape(value))
    back = pullback(float(weights) if np.ndim(value) == 0 else weights)
    slope = np.sum(weights * (np.asarray(f(*copies(1e-6))) - np.asarray(f(*copies(-1e-6)))) / 2e-6)
    assert np.isclose(sum(np.sum(b * (c - a)) for a, b, c in zip(args, back, copies(1.0))), slope, 1e-5, 1e-7)


# ------------------------------------------------------------------------------------------- functions as results


def scaled(a):
    def by(t):
        return t * a

    return by


def pair(a, b):
    return (lambda t: t * a), b


def compose(f, g):
    return lambda t: f(g(t))


def over_own_array(n):
    w = np.zeros(n)

    def f(t):
        return t * w[0]

    w[0] = 5.0
    return f


def over_part(x):
    w = x[1:]
    return lambda t: t * w


def twice(f):
    @functools.wraps(f)
    def wrapped(*args, **options):
        return 2 * f(*args, **options)

    return wrapped


@twice
def decorated(x, k=3.0):
    return x**k


def made_twice(x):
    f, g = scaled(x), scaled(2.0 * x)
    return f(g(x))


def made_with_another(x):
    f, s = pair(x, x[0])
    return f(s) + compose(np.sin, scaled(x))(2.0)


def made_over_an_array(x):
    y = x * 2.0
    f = over_part(y)
    y *= 3.0  # the function sees it
    return f(2.0).sum() + over_own_array(3)(x).sum()


def made_in_a_loop(x):
    f = scaled(x)
    for _ in range(3):
        f = scaled(f(0.5))
    return f(2.0)


# ---------------------------------------------------------------------------------------------------------- parents


class Base(ABC):
    def __init__(self, k):
        self.k = k

    def go(self, x):
        return self.core(x) * self.k

    @abstractmethod
    def core(self, x): ...

    @property
    def area(self):
        return self.k * 2.0


class Derived(Base):
    def __init__(self, k, j):
        super().__init__(k)
        self.j = j

    def core(self, x):
        return x**2 + self.j

    def go(self, x):
        return super().go(x) + 1.0

    @property
    def area(self):
        return super().area + 1.0


class Last(Derived):
    def __init__(self, k):
        super(Last, self).__init__(k, j=3.0)
        Base.__init__(self, k * 2.0)

    def core(self, x):
        return super().core(x) * 2.0


class Left(Derived):
    def core(self, x):
        return super().core(x) * 3.0


class Both(Left, Last):
    pass


OF_MODULE = Derived(2.0, 1.0)


def parents(x):
    return Derived(x, 2.0).go(x) + Last(x).area


def diamond(x):
    return Both(x).go(x)


def of_module(x):
    return OF_MODULE.go(x) * OF_MODULE.area


# ------------------------------------------------------------------------------------------------------- attributes


class Kept:
    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = value * 2.0

    @property
    def read_only(self):
        return self._x

    @functools.cached_property
    def cached(self):
        return self._x * 2.0


class Empty:
    pass


class Lazy:
    def __init__(self, x):
        self.x, self.value = x, None

    def get(self):
        if self.value is None:
            self.value = self.x * 2.0
        return self.value


class Parts:
    def __init__(self, x):
        self.whole = x * 2.0
        self.flat = self.whole.reshape(-1)
        self.part = self.whole[1:3]

    def new(self, x):
        self.t = x * 3.0
        self.same = self.t
        return self.t[1:]


def set_by_property(x):
    o = Kept(x)
    o.x = x
    o.x += 1.0
    return o.x


def cached_once(x):
    o = Kept(x)
    first = o.cached
    o.x = x * 7.0
    return o.cached + first + o.x


def without_init(x):
    o = Empty()
    o.a = x
    return o.a * 2.0


def returned_and_kept(x):
    o = Lazy(x)
    y = o.get()
    y[0] = 5.0
    return (o.get() * y).sum()


def parts_of_arrays(x):
    o = Parts(x)
    o.whole[2] = 7.0 * x[0]
    r = o.new(x)
    o.same[3] = x[1]
    return (o.flat * x).sum() + o.part.sum() + r.sum()


def rebound_to_a_part(x):
    o = Parts(x)
    return o.flat * 2.0


@pytest.mark.parametrize(
    "f",
    [
        made_twice, made_with_another, made_over_an_array, made_in_a_loop, decorated, parents, diamond, of_module,
        set_by_property, cached_once, without_init, returned_and_kept, parts_of_arrays, rebound_to_a_part,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f):
    agrees(f, X)


class New:
    def __new__(cls, x):
        return x * 3.0

    def __init__(self, x): ...


class Meta(type):
    def __call__(cls, x):
        return x * 9.0


class Called(metaclass=Meta):
    def __init__(self, x):
        self.x = x


class Descriptor:
    def __get__(self, of, cls=None):
        return of.kept * 2.0

    def __set__(self, of, value):
        of.kept = value


class Described:
    x = Descriptor()

    def __init__(self, x):
        self.x = x


def sets_what_is_read_only(x):
    o = Kept(x)
    o.read_only = x
    return o.read_only


def keeps_one_of_two(x):
    y, z = x * 2.0, x * 3.0
    o = Empty()
    o.t = y if x[0] > 0.1 else z
    return o.t * x


@pytest.mark.parametrize(
    ("f", "word"),
    [
        (lambda x: New(x), "`New`"),
        (lambda x: Called(x), "`Called`"),
        (lambda x: Described(x).x, "descriptor"),
        (sets_what_is_read_only, "no setter"),
        (lambda x: scaled(x), "returning a function"),
    ],
)
def test_refused(f, word):
    with pytest.raises(LinadError, match=word):
        linear_grad(f, backend="interpret", cache=False)(X)
