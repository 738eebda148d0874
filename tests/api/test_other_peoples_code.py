"""Idioms of functions that nobody wrote for linad."""

import dataclasses
import enum
import functools
import math
import os
import warnings
from typing import cast

import linad
import numba
import numpy as np
import pytest
from scipy.sparse import issparse
from linad import LinadError, linear_grad

from tests.two_roads import differences

pytestmark = pytest.mark.interpreted

X = np.array([1.5, -2.0, 3.0])
AXES = {"sxyz": (0, 0, 1), "rxyz": (1, 0, 2)}
TABLE = {"begin": 1, "end": 0, 0: 5, "k": [1.0, 2.0]}
WEIGHTS = [1.0, 2.0, 3.0]


class OutOfRange(ValueError):
    pass


class FarOut(OutOfRange):
    pass


def agrees(f, *args, **given):
    g = linear_grad(f, backend="interpret")
    assert g(*args, **given) == pytest.approx(f(*args, **given))
    found = g.grad(*args, **given)
    first = found[0] if isinstance(found, tuple) else found
    assert np.allclose(first, differences(lambda x: f(x, *args[1:], **given), args[0]), atol=1e-6)


def tried(x, axes="sxyz", when="end"):
    try:
        i, j, k = AXES[axes.lower()]
    except (AttributeError, KeyError):
        raise ValueError("no such axes") from None
    try:
        x = x.values
    except AttributeError:
        pass
    try:
        eps = -np.finfo(x.dtype).eps * 3
    except (AttributeError, ValueError):
        eps = 1.0
    try:
        n = len(x)
    except TypeError:
        n = 1
    else:
        n += 1
    return x.sum() * (k + 1) + i + j + TABLE[when] + eps + n + sum(TABLE["k"])


def test_blocks_that_are_tried():
    agrees(tried, X)
    agrees(tried, X, "RXYZ", "begin")
    with pytest.raises(ValueError, match="no such axes"):
        linear_grad(tried, backend="interpret")(X, "other")


def root_or_zero(u):
    try:
        r = math.sqrt(u)
    except ValueError:
        r = 2.0 * u
    return r * r


def inverse(u):
    try:
        r = 1 / u
    except ZeroDivisionError:
        r = 5 * u + 1.0
    return r


def two_places(u):
    try:
        return 1.0 / (u * u) + math.log(u)
    except (ZeroDivisionError, ValueError):
        return -u


def too_large(u):
    try:
        r = math.exp(u)
    except OverflowError:
        r = 7.0 * u
    return r


def of_numpys_numbers(u):
    v = np.float64(u)
    try:
        r = 1.0 / (v * v + 1.0) + np.sqrt(v + 2.0)
    except (ZeroDivisionError, ValueError):
        r = 0.0
    return r


def one_after_the_other(u):
    done = 1.0
    try:
        r = math.sqrt(u)
        done = 3.0
        if r > 20.0:
            raise OverflowError("too large")
        s = 1.0 / r
    except (ValueError, ZeroDivisionError) as error:
        print("no root:", error)
        return done * u
    except OverflowError:
        s = 0.01 * u
    else:
        s = s + 1.0
    return s * done


def at_last(u):
    try:
        r = 1.0 / u
    except ZeroDivisionError:
        r = 4.0
    finally:
        u = u + 1.0
    return r * u


TRIED = [root_or_zero, inverse, two_places, too_large, of_numpys_numbers, one_after_the_other, at_last]


@pytest.mark.parametrize("f", TRIED, ids=lambda f: f.__name__)
def test_what_is_tried_at_run_time(f):
    g = linear_grad(f, backend="interpret")
    for u in (0.5, -1.0, 0.0, 800.0):
        assert g(u) == pytest.approx(f(u))
        if u in (0.5, -1.0):
            assert g.grad(u) == pytest.approx((f(u + 1e-6) - f(u - 1e-6)) / 2e-6, rel=1e-6)


def test_an_index_that_is_tried():
    def cell(x, k):
        try:
            r = x[k]
        except IndexError:
            r = 0.5
        return r * x[0]

    g = linear_grad(cell)
    for k in (1, 7, -3, -4):
        assert g(X, k) == cell(X, k)
        assert np.allclose(g.grad(X, k), differences(lambda x, k=k: cell(x, k), X), atol=1e-6)


def test_what_no_test_tells_is_refused(tmp_path):
    from linad_typecheck import check_source

    text = "import numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n@linear_grad\n"
    text += 'def f(x: Float64[np.ndarray, "n"], k: int):\n    y = x.copy()\n    try:\n        for i in range(k):\n            y[i] = x[i + 1]\n    except IndexError:\n        y[0] = 0.0\n    return y[0]\n'
    found = [d.message for d in check_source(text, "program.py")]
    assert found == ["`try` whose block may raise what it catches cannot be used in a differentiated function"]


def of_one_cell(x):
    x = np.atleast_1d(x)
    if len(x) == 1:
        x = x[0]
    return 2.0 * x


def of_turns(x):
    total, functions = 0.0, [np.cos, np.sin, np.tanh]
    for k in range(3):
        if x[k] < -2.5:
            continue
        total += functions[k](x[k]) * len([x[k]] * k)
        if total > 100.0:
            break
    return total


def of_its_items(x):
    rows = []
    for k in range(len(x)):
        rows.append({"square": x[k] ** 2, "count": k})
    return sum(r["square"] * r["count"] for r in rows)


class Stream(os.PathLike):
    def __fspath__(self):
        return ""


def of_others(x: np.ndarray):
    first, row = np.atleast_1d(x[0], x)
    row = row * 2.0
    row.setflags(write=False)
    factor = {"a": 1.0}.get(x[1], 3.0)
    return first[0] * row.sum() * factor if not isinstance(x, (str, Stream)) else 0.0


def test_shapes_and_iterations_that_decide_types():
    for f in (of_turns, of_its_items, of_others):
        agrees(f, X)
    g = linear_grad(of_one_cell, backend="interpret")
    for x in (X, X[:1], X[1:], 3.0):
        assert np.array_equal(g(x), of_one_cell(x)) and np.shape(g(x)) == np.shape(of_one_cell(x))
        assert np.array_equal(g.vjp(x)[1](of_one_cell(x))[0], 2.0 * np.reshape(of_one_cell(x), np.shape(x)))


def test_a_return_inside_what_is_tried():
    def f(x):
        for i in range(3):
            try:
                if x[i] > 1.0:
                    return x[i] * x[i]
                y = len(x)
            except TypeError:
                y = 0
        return x[0] * y

    agrees(f, X)
    agrees(f, X - 3.0)


def test_warnings_are_off():
    def f(x):
        if x[0] > 1.0:
            warnings.warn(f"large: {x[0]}", stacklevel=2)
        with np.errstate(divide="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asanyarray(x).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees(f, X)


def root(v):
    if v < 0.0:
        raise OutOfRange("below")
    if v > 2.0:
        raise FarOut("above")
    return np.sqrt(v)


def test_errors_of_the_users_own_are_caught():
    def by_its_class(x):
        total = 0.0
        for v in x:
            try:
                total += root(v)
            except (FarOut, OutOfRange):
                total += 3.0 * v
        return total

    def by_a_base_class(x):
        try:
            if x[0] > -9.0:
                raise FarOut("no")
            y = x[0]
        except OutOfRange:
            y = x[1] * 2.0
        return y

    def by_no_handler(x):
        try:
            y = root(x[0] + 9.0)
        except KeyError:
            y = 0.0
        return y

    agrees(by_its_class, X)
    agrees(by_its_class, X * 3.0)
    agrees(by_a_base_class, X)
    with pytest.raises(FarOut):
        linear_grad(by_no_handler, backend="interpret")(X)


def test_what_is_warned_of_is_set_back():
    def f(x):
        before = np.seterr(all="ignore")
        y = np.log(x * x)
        np.seterr(**before)
        return y.sum() * len(np.geterr())

    agrees(f, X)


def test_tuples_of_a_computed_length_in_numpy():
    def f(x, n):
        parts = []
        for i in range(n):
            parts.append(x * i)
        whole = np.concatenate(tuple(parts)) + np.array(tuple(v * v for v in x)).sum()
        return whole.sum() + np.vstack(tuple(parts))[1] @ x

    agrees(f, X, 3)


def test_errors_of_the_users_own():
    def f(x):
        if x[0] > 1.0:
            raise OutOfRange("%s is too large" % x[0])
        return x.sum()

    with pytest.raises(OutOfRange, match="... is too large"):
        linear_grad(f, backend="interpret")(X)


def test_lists_and_dicts_of_the_module_are_read_as_they_are_now():
    def f(x):
        return WEIGHTS[1] * x[0] + TABLE["end"] + (np.array(WEIGHTS) * x).sum()

    g = linear_grad(f, backend="interpret")
    before = g(X)
    assert before == f(X)
    WEIGHTS[1], TABLE["end"] = 10.0, 7
    try:
        assert g(X) == f(X) != before
        assert np.allclose(g.grad(X), [11.0, 10.0, 3.0])
    finally:
        WEIGHTS[1], TABLE["end"] = 2.0, 0


@numba.vectorize
def relu(x, k):
    if x > 0:
        return x * k
    return 0.0


@np.vectorize
def bent(x):
    return x * x if x > 1 else x


@functools.lru_cache
def lowered(mode):
    return mode.lower()


def test_functions_under_other_decorators():
    def f(x, mode="Sum"):
        y = relu(x, 2.0) + cast(np.ndarray, bent(x))
        return y.sum() if lowered(mode) == "sum" else y[0]

    agrees(f, X)
    agrees(f, X, "first")


def test_copies_that_are_asked_for():
    def f(x):
        y = np.array(x, copy=True, ndmin=2)
        z = np.array(x, dtype=float, copy=False)
        y[0, 0] = 0.0
        a, b = np.broadcast_arrays(y, z)
        return (a * b).sum() + np.zeros(np.broadcast(x, y).shape).size + np.prod(np.broadcast_shapes((3, 1), (1, 2)))

    agrees(f, X)


def test_an_array_that_is_updated_and_returned():
    def scale(y, k):
        for i in range(len(y)):
            y[i] *= k
        return y

    f = linear_grad(scale, updates="y")
    y = np.array([1.0, 2.0])
    assert f(y, 3.0) is y and np.array_equal(y, [3.0, 6.0])
    turned = np.array([[1.0, 5.0], [2.0, 5.0]])[:, 0]
    assert f(turned, 3.0) is turned and np.array_equal(turned, [3.0, 6.0])
    value, pull = f.vjp(np.array([1.0, 2.0]), 3.0)
    assert len(value) == 1 and np.array_equal(value[0], [3.0, 6.0])
    y_bar, k_bar = pull((np.array([1.0, 1.0]),))
    assert np.array_equal(y_bar, [3.0, 3.0]) and k_bar == 3.0
    (value, tangent) = f.jvp((np.array([1.0, 2.0]), 3.0), (np.array([1.0, 0.0]), 1.0))
    assert np.array_equal(tangent[0], [4.0, 2.0])

    @linear_grad(updates="y", backend="interpret")
    def sometimes(y):
        y[0] = 1.0
        if y[1] > 0.0:
            return y
        return y * 2.0

    y = np.ones(2)
    assert sometimes(y) is not y and np.array_equal(sometimes(y), y)  # a copy: on another path it is another array


def test_an_argument_that_is_returned():
    def parts(p, y, c=1.0):
        if c > 0.0:
            return p["a"], y, y[1:], p["a"].sum()
        return p["a"], y * c, y[1:], 0.0

    for backend in ("numba", "interpret"):
        f = linear_grad(parts, backend=backend)
        p, y = {"a": np.array([[1.0, 5.0], [2.0, 5.0]])[:, 0]}, np.array([3.0, 4.0])
        first, second, third, total = f(p, y)
        assert first is p["a"] and second is not y and np.array_equal(second, y) and third == [4.0] and total == 3.0
        value, pull = f.vjp(p, y)
        assert value[0] is not p["a"]
        p_bar, y_bar, _ = pull((np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([5.0]), 10.0))
        assert np.array_equal(p_bar["a"], [11.0, 12.0]) and np.array_equal(y_bar, [1.0, 7.0])

    @linear_grad(updates="y")
    def with_total(x, y):
        y[:] = np.sin(x)
        return y, x, y.sum()

    x, y = np.array([0.1, 0.2]), np.empty(2)
    found = with_total(x, y)
    assert found[0] is y and found[1] is x and np.isclose(found[2], y.sum())
    (value, y_after), pull = with_total.vjp(x, y)
    x_bar, _ = pull((tuple(np.ones(2) for _ in range(2)) + (1.0,), np.ones(2)))
    assert np.allclose(x_bar, 3.0 * np.cos(x) + 1.0)


def test_a_search_says_that_it_has_no_gradient():
    with pytest.warns(linad.ZeroGradientWarning, match="`c`"):

        @linear_grad(backend="interpret")
        def root(c: float, low: float, high: float) -> float:
            for _ in range(60):
                middle = 0.5 * (low + high)
                if middle * middle - c > 0.0:
                    high = middle
                else:
                    low = middle
            return low


def test_a_smallest_value_that_begins_as_infinity():
    def least(x, found=np.inf):
        best = np.inf
        for i in range(len(x)):
            if x[i] * x[i] < best:
                best = x[i] * x[i]
        return min(best, found)

    agrees(least, X)
    agrees(least, X, 1.0e9)


class Kind(enum.IntEnum):
    FIRST = 1
    SECOND = 2


def small_things(x, **options):
    from fractions import Fraction  # noqa: F401
    from tests.two_roads import differences  # noqa: F401

    global WEIGHTS
    scale = options.pop("scale", 2.0)
    options.setdefault("shift", 1.0)
    options.update(power=2.0)
    inside = (x > -1.0) * (x < 2.0)
    y = np.where(inside + (x > 2.5), x, 0.0) * Kind.SECOND + x[Kind.FIRST] * len(options)
    z = np.asarray(x[0] * scale)
    z[z > 0.0] = z[z > 0.0] ** options["power"]
    total = float(np.asarray(y[0])) + z[()]
    for w, v in zip((1.0, 2.0, 3.0), x, strict=True):
        total += w * v * options["shift"]
    return total + sum(WEIGHTS) * np.concatenate([v[..., np.newaxis] for v in (x[1], x[2])]).sum()


def test_small_things():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of arrays as numbers
        agrees(small_things, X)
        agrees(small_things, -X, scale=3.0, shift=0.5)


def more_small_things(x, c=0.1):
    a, b, _ = sorted((x[2], x[0] * 2.5, x[1]))
    root = np.empty_like(x)
    np.abs(x, root)
    np.sqrt(root, out=root)
    np.add(root, x, root)
    square = np.outer(x, x)
    square[c > 0.0, 0] = -1.0
    total = (a - 2 * b) * sorted(x, reverse=True)[0] + sum(x.tolist()) + np.degrees((x[0], x[1]), dtype=np.float64).sum()
    if type(x).__name__ == "ndarray" and x.__class__.__name__ != "DataFrame" and not issubclass(x.__class__, np.integer):
        total += np.vectorize(lambda t: t * t if t > c else 0.0)(x).sum() + x.imag.sum()
    for _ in (None, None, None):
        total = total - 0.1 * np.sin(total)
        if abs(total) < 1e-6:
            break
    rows = np.apply_along_axis(np.sum, 1, square) + np.apply_along_axis(lambda r: r @ r, 0, square)
    if x.ndim > 1 or c in (None, Ellipsis):
        raise getattr(np, "exceptions", np).AxisError(1, x.ndim)
    try:
        total = total + np.repeat(x, x > 0.0).sum() * np.dot(x, x).T
    except MemoryError:
        raise
    return total * rows.sum() + root.sum() + all(v.size == 1 for v in (np.array([3]), x))


def test_more_small_things():
    agrees(more_small_things, X)
    agrees(more_small_things, -X, c=-1.0)


def chosen(x, turned=False):
    a = x[None, :]
    if a.shape[1] == 1 or turned:
        a = a.T
    b = x
    if x[0] > 100.0:
        b = x[:2]
    return np.cos(a[:, 0]).sum() * a[0, 0] + b.reshape(3, 1)[1, 0]


def again(u):
    try:
        if u < 0.0:
            raise ValueError("negative")
        r = 1 / u
    except ValueError as error:
        print(error)
        raise
    except ZeroDivisionError:
        raise
    return r


def test_what_is_raised_again():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `print`
        f = linear_grad(again, backend="interpret")
    assert f.grad(2.0) == -0.25
    for u, kind in ((-1.0, ValueError), (0.0, ZeroDivisionError)):
        with pytest.raises(kind):
            f(u)


def test_a_slice_as_an_argument():
    def part(x, where=slice(None), step=slice(None, None, -1)):
        return (x[where] * x[step][where]).sum() if isinstance(where, slice) else 0.0

    agrees(part, X)
    agrees(part, X, slice(1, None))


def test_what_one_of_two_arrays_raises_is_not_raised_by_the_other():
    agrees(chosen, X)
    agrees(chosen, X, turned=True)

    def second(x):
        a = x[None, :]
        if a.shape[1] == 1:
            a = a.T
        return np.cos(a[:, 1]).sum()

    agrees(second, X)
    with pytest.raises(IndexError):
        linear_grad(second, backend="interpret")(X[:1])


def test_an_array_where_a_number_is_annotated():
    def power(t: float, k: int = 2) -> float:
        return t**k + 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the annotation of the result
        f = linear_grad(power, backend="interpret")
        assert f(2.0) == 5.0 and np.array_equal(f(X), X**2 + 1.0) and f(3.0) == 10.0
        assert np.array_equal(f.vjp(X)[1](np.ones(3))[0], 2 * X) and f.grad(3.0) == 6.0
        assert type(f(np.float64(2.0))) is float
    with pytest.raises(TypeError, match="expected an int"):
        f(2.0, 2.5)

    def of_three(a: float, b: float, c: float) -> float:
        return np.sum(a * b * c)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert linear_grad(of_three, backend="interpret")(X, X, X) == pytest.approx((X**3).sum())


FLOATS = (np.float16, np.float64)


def test_classes_that_have_no_meaning_are_compared_with():
    def f(x, dtype=np.float64):
        return x.sum() if dtype in FLOATS else 0.0

    agrees(f, X)


def still_more(x):
    rows = np.zeros((3, 2))
    for i, row in enumerate(zip(x, 2 * x, strict=True)):
        rows[i] = row
    kept = list(filter(lambda t: t > 0.0, x))
    if "pandas" in str(type(x)):
        return 0.0
    rows[0] = rows[1:2] * rows[:1]
    rows *= len("abc"[: x.ndim]) * (1 - issparse(x))
    rows += np.transpose((x, x * x)) + len(np.transpose((x > 0.0).nonzero()))
    return (rows**2).sum() * sum(kept) + sum((v * v for v in x), start=1.0)


def test_still_more():
    agrees(still_more, X)


@dataclasses.dataclass
class Mutable:
    a: float
    v: np.ndarray
    b: float = 2.0

    def value(self):
        return self.a * self.v.sum()

    @classmethod
    def of(cls, a):
        return cls(a, np.ones(3))


class Model:
    K = 3.0

    def __init__(self, x, n=2):
        if n < 0:
            raise ValueError("n is not negative")
        self.x, self.n = x, n
        self.total = 0.0
        for v in x:
            self.total += v * self.K
        if n > 1:
            self.total = self.total * 2

    def value(self):
        return self.total + self.x[0] * self.n + self.square

    @property
    def square(self):
        return self.total**2


OF_TWO = Model(np.array([1.0, 2.0]))
FUNCTIONS = [np.sin, lambda t: t * t]
BY_NAME = {"a": np.array([1.0, 2.0, 3.0]), "b": lambda t: t * 2}


def objects_made_inside(x):
    d = Mutable(1.0, x.copy())
    d.a = 3.0 * x[0]
    d.a += 1.0
    d.v[0] = 2.0
    d.v *= 2.0
    for i in range(3):
        d.b = d.b * x[i]
    m = Model(x, n=3)
    m.more = x[1]
    total = d.value() * d.b + Mutable.of(x[0]).value() + m.value() * m.more + Model(x).square + OF_TWO.value()
    for f in FUNCTIONS:
        total = total + f(x[0])
    return total + BY_NAME["a"] @ x + BY_NAME["b"](x[1])


def test_objects_that_are_made_inside():
    agrees(objects_made_inside, X)
    f = linear_grad(lambda d: d.a * d.value(), backend="interpret")
    found = f.grad(Mutable(2.0, X))
    assert type(found) is Mutable and found.a == pytest.approx(4.0 * X.sum()) and np.allclose(found.v, 4.0)
    with pytest.raises(ValueError, match="n is not negative"):
        linear_grad(lambda x: Model(x, n=-1).total, backend="interpret")(X)


@np.vectorize
def by_cells(a, b, c=2.0):
    if a > 0.4:
        return a * b * c
    return b


def cells_by_name(x):
    return by_cells(x, b=2 * x).sum() + by_cells(b=x, a=x[0], c=3.0).sum()


def test_functions_of_cells_by_name():
    agrees(cells_by_name, X)


KINDS = {int, float}
KINDS.update({np.float64})
NAMED = frozenset(("a", "b"))


def checked_names(given, *, allowed=("x", "n", "reduce")):
    for name, value in given.items():
        if name in allowed and isinstance(value, (np.memmap, str)):
            raise TypeError(name)


def doubled(f):
    return lambda *args, **options: 2.0 * f(*args, **options)


def by_known_names(x, n, reduce=np.sum):
    checked_names(locals())
    options = {}
    options.update({"scale": x[0], "shift": x[1]})
    last, shift = options.popitem()
    options.update(power=2)

    @doubled
    @functools.lru_cache
    def scaled(t, scale, power):
        return t * scale**power

    @np.vectorize
    def clipped(t):
        return t if t < n else n

    total = scaled(shift, **options) if type(x[0]) in KINDS and last in ("shift", "b") and last not in NAMED else 0.0
    low, high = sorted((x[0], x[1]))
    message = "between {} ".format(low)
    if high > 100.0:
        message += f"and {high}"
        raise ValueError(message)
    if n in {"a": 1}:
        total = 0.0
    kept = x[x > 0.2]
    return total + reduce(clipped(x)) + np.max(x, initial=0.5) + (lambda a, b: a * b)(*kept[:2]) + low / high


def test_names_that_are_known():
    x, n = np.array([0.7, 0.3, 0.9]), 0.8
    agrees(by_known_names, x, n)
    agrees(by_known_names, x, n, np.prod)


def test_as_many_items_as_parameters():
    def pair(x):
        return (lambda a, b: a * b)(*x[x > 0.5])

    checked = linear_grad(pair, backend="interpret", cache=False)
    assert checked(X[[0, 0, 1]]) == 2.25
    with pytest.raises(TypeError, match="3 arguments to unpack, 2 expected"):
        checked(X[[0, 0, 0]])


def test_a_dict_of_nothing_has_no_last_item():
    with pytest.raises(LinadError, match="has no last item"):
        linear_grad(lambda x: x * {}.popitem()[1], cache=False)(1.0)


def test_names_that_are_bound_on_some_paths_are_not_listed():
    def f(x):
        if x > 0.0:
            y = x  # noqa: F841
        return len(locals()) * x

    with pytest.raises(LinadError, match="`locals\\(\\)` after branches"):
        linear_grad(f, cache=False)(1.0)


@dataclasses.dataclass
class Computed:
    a: float
    s: dataclasses.InitVar[float]
    v: list = dataclasses.field(default_factory=list)
    b: float = 3.0
    c: float = dataclasses.field(init=False)

    def __post_init__(self, s):
        if self.a < 0.0:
            raise ValueError("a is not negative")
        self.c = self.a * s
        self.v.append(s)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Frozen:
    a: float

    def __post_init__(self):
        object.__setattr__(self, "twice", 2.0 * self.a)


class Settable:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)


def objects_with_computed_fields(x):
    c = Computed(x[0] ** 2, x[1])
    return c.c * c.v[0] * c.b + Frozen(a=x[2]).twice + Settable(scale=x[0]).scale


def test_objects_with_computed_fields():
    agrees(objects_with_computed_fields, X)
    with pytest.raises(ValueError, match="a is not negative"):
        linear_grad(lambda x: Computed(x, 1.0).c, backend="interpret")(-1.0)


def described(x, a):
    import warnings

    with warnings.catch_warnings():
        return {"total": x.sum() * a, "name": "sum", "none": None, "first": ("of", x[0])}


def tabulated(x, a):
    rows, pairs, table, seen = [], [], {}, {1}
    for i in range(len(x)):
        rows.append((x[i], i, x[:2] * a))
        pairs.append([a, i, x[i]])
        table[i, 2 * i] = x[i] * a
        seen.add(i)
    return rows, pairs, table, seen


@pytest.mark.parametrize("f", [described, tabulated])
def test_results_with_texts_and_containers(f):
    g = linear_grad(f, backend="interpret")
    value, pull = g.vjp(X, 2.0)
    assert repr(value) == repr(f(X, 2.0))
    tangent = g.jvp((X, 2.0), (np.ones(3), 0.5))[1]
    x_bar, a_bar = pull(tangent)
    if f is described:
        assert tangent == {"total": 1.25 + 6.0, "name": "sum", "none": None, "first": ("of", 1.0)}
        assert np.allclose(x_bar, [15.5, 14.5, 14.5]) and a_bar == pytest.approx(2.5 * 7.25)
    else:
        rows, pairs, table, seen = tangent
        values = np.array(list(table.values()) if isinstance(table, dict) else table)
        assert [r[1] for r in rows] == [None] * 3 and pairs == [[0.5, None, 1.0]] * 3 and seen is None
        assert np.allclose(values, 2.0 + 0.5 * X) and np.allclose(rows[0][2], values[:2])
        assert np.allclose(x_bar, 2.0 + 2.0 * values + 6.0 * np.append(values[:2], 0.0))
        assert a_bar == pytest.approx(1.5 + values @ X + 3.0 * (values[:2] @ X[:2]))
