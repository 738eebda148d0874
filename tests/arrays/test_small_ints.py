"""Ints of all sizes, with and without a sign, are what they are in NumPy: promotion, wrapping, and errors of Python's ints
that do not fit."""

import itertools

import numpy as np
import pytest

from linad import LinadError, linear_grad
from linad_typecheck.types import DTYPE_CLASSES, DTYPE_TEXTS, INTS, LIMITS, NUMPY_NAMES, common, same_kind, wrapped

from ..kit import load

NAMES = tuple(NUMPY_NAMES)
SMALL = ("i8", "i16", "u8", "u16", "u32", "u64")


def test_dtypes_meet_as_in_numpy():
    for x, y in itertools.product(NAMES, NAMES):
        theirs = np.result_type(NUMPY_NAMES[x], NUMPY_NAMES[y]).name
        assert NUMPY_NAMES[common(x, y)] == theirs
        assert same_kind(x, y) == np.can_cast(NUMPY_NAMES[x], NUMPY_NAMES[y], "same_kind")


def test_texts_and_classes_name_the_dtypes_that_they_name_in_numpy():
    for text, d in DTYPE_TEXTS.items():
        assert np.dtype(text).name == NUMPY_NAMES[d]
    for name, d in DTYPE_CLASSES.items():
        home, _, name = name.partition(".")
        assert home == "builtins" or np.dtype(getattr(np, name)).name == NUMPY_NAMES[d]
    for d in INTS:
        info = np.iinfo(NUMPY_NAMES[d])
        assert LIMITS[d] == (info.min, info.max)
        assert [wrapped(k, d) for k in (info.min, info.max, info.max + 1)] == [info.min, info.max, info.min]


def cells(d):
    if d not in INTS:
        return np.array([0.5, 1.5, -2.25, 3.0, 4.0, 1e3, -1.0, 0.25], NUMPY_NAMES[d])
    low, high = LIMITS[d]
    return np.array([low, high, 1, 2, 3, high // 2, high - 1, 7 if low == 0 else -7], NUMPY_NAMES[d])


def same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        assert np.asarray(mine).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(mine, other)


def arithmetic(a, b, c):
    return a + b, a - b, a * b, a / c, a < b, a >= b, a == b, np.maximum(a, b), np.where(a > b, a, b), a[0] + b[1], np.concatenate([a, b])


def bits(a, b, c):
    return a & b, a | b, a ^ b, a << b, a >> b, a // c, a % c, a @ b


@pytest.mark.one_in(3)
@pytest.mark.parametrize("x", SMALL)
def test_pairs(x):
    f, g = (linear_grad(h, backend="interpret") for h in (arithmetic, bits))
    for y in ("i8", "i32", "i64", "u8", "u32", "u64", "f32"):
        a, b = cells(x), cells(y)[::-1].copy()
        c = np.where(b == 0, 1, b).astype(b.dtype)
        with np.errstate(all="ignore"):
            same(f(a, b, c), arithmetic(a, b, c))
            if y in INTS and common(x, y) in INTS:
                same(g(a, b, c), bits(a, b, c))


def alone(a):
    b = a.copy()
    b[1] += a[2]
    b[2] -= 1
    b[0] *= 3
    b += a
    s, t = 0, 0.0
    for k in range(len(a)):
        s += a[k]
        t += a[k]
    return (
        b, s, t, -a, ~a, abs(a), a**2, a + 1, a * 0.5, a < 1000, a == -1, a.sum(), a.prod(), a.cumsum(), a.max(), a.argmin(), np.sort(a),
        np.diff(a), a.astype(np.int8), a.astype("u2"), a.astype(np.uint64), a.astype(np.float32), a.mean(), np.clip(a, 1, 5),
        a.nbytes, a.itemsize,
    )  # fmt: skip


@pytest.mark.parametrize("x", SMALL)
def test_one_array(x):
    a = cells(x)
    with np.errstate(all="ignore"):
        theirs = alone(a)
    same(linear_grad(alone, backend="interpret")(a), theirs)


def image(w, pixels, labels):
    levels = pixels / np.uint8(255)
    total = 0.0
    for i in range(len(labels)):
        total += w[labels[i]] * levels[i] ** 2
    return total * int(labels[0]) + w[pixels % 3].sum()


def test_gradient_compiled():
    w, pixels, labels = np.array([0.5, 1.5, 2.0]), np.array([250, 3, 128], np.uint8), np.array([2, 0, 1], np.int16)
    f = linear_grad(image)
    assert np.isclose(f(w, pixels, labels), image(w, pixels, labels))
    step = 1e-6 * np.eye(3)
    expected = [(image(w + h, pixels, labels) - image(w - h, pixels, labels)) / 2e-6 for h in step]
    found = f.grad(w, pixels, labels)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def unsigned(a, b):
    return a + b, a - b, a * b, a // b, a % b, a >> b, a < b, np.maximum(a, b), -a, a.sum(), a.astype(np.float64)


def test_uint64_compiled():
    a, b = cells("u64"), np.array([3, 7, 2, 1, 2**63 + 5, 2**63, 1, 2], np.uint64)
    with np.errstate(all="ignore"):
        theirs = unsigned(a, b)
    same(linear_grad(unsigned)(a, b), theirs)


@pytest.mark.parametrize("expression", ["a + n", "a[0] - n", "np.maximum(a, n)", "np.full(3, n, np.uint8)", "np.uint8(n)", "np.array([1, n], dtype=np.uint8)"])
def test_ints_of_python_that_do_not_fit_raise(expression):
    plain = load(f"import numpy as np\n\ndef f(a, n):\n    return {expression}\n")
    f, a = linear_grad(plain, backend="interpret"), np.array([1, 2, 3], np.uint8)
    same((f(a, 1),), (plain(a, 1),))
    for n in (-1, 256):
        with pytest.raises(OverflowError):
            plain(a, n)
        with pytest.raises(OverflowError, match=f"Python integer {n} out of bounds for uint8"):
            f(a, n)


def test_a_uint64_beyond_the_ints_is_no_index():
    def f(x, k):
        return x[k[0]]

    with pytest.raises(OverflowError):
        linear_grad(f, backend="interpret")(np.ones(3), np.array([2**64 - 1], np.uint64))


def test_what_is_computed_in_float16_is_refused():
    def f(a):
        return np.sqrt(a)

    with pytest.raises(LinadError, match="float16, which linad does not have"):
        linear_grad(f)(np.array([1, 2], np.uint8))
    with pytest.raises(TypeError, match="float16 array of rank 1: convert it"):
        linear_grad(f)(np.array([1, 2], np.float16))
    assert linear_grad(f, backend="interpret")(np.array([1, 4], np.int16)).dtype == np.float32
