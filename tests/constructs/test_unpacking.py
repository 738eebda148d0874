"""``x, y, z = point`` and ``np.cross``: values, errors and gradients against CPython on the same text."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck import check_source

from linad.interpret import run
from linad.pipeline import differentiate
from tests.properties.roads import Whole

RNG = np.random.default_rng(4)
POINT, OTHER = RNG.standard_normal((2, 3))
MANY, OTHERS = RNG.standard_normal((2, 4, 3))


def cells(p, q):
    x, y, z = p
    u, v, w = np.sin(q) * 2.0
    return x * v * z + u * y * w


def swapped(p, q):
    v = p.copy()
    v[2], v[0], v[1] = v
    v[0], v[1] = v[1], v[0]
    return v * q


def rows(m, n):
    top = m[:2].copy()
    a, b = top
    a *= b                      # through the view: `top` changes
    b += top[0]
    c, d, e = n.T
    return top * 2.0, c * d + e


def nested(m, n):
    (a, b, c), (d, e, g) = m[1:3]
    s = 0.0
    for k, (x, y, z) in enumerate(n):
        s += k * x * y + a * e * z
    return s - b * d + c * g


def one_product(p, q):
    return np.cross(p, q)


def products(m, n):
    return np.cross(m * 2.0, np.sin(n)[::-1]), np.cross(m[:, None], n[:2]), np.cross(n[0], m, axis=-1)


def in_place(m, n):
    a = m[0].copy()
    a += np.cross(a, n[1])
    a[:] = np.cross(a, (1.0, 0.5, 0.0))
    return a


def ints(p, q):
    whole = np.array([[1, 2, 3], [4, 5, 7]])
    return np.cross(whole, whole[0]) * 1.5, np.cross(whole, p), np.cross(p, q.astype(np.float32).astype(np.float64))


SMALL, LARGE = (POINT, OTHER), (MANY, OTHERS)
CASES = [(cells, SMALL), (swapped, SMALL), (rows, LARGE), (nested, LARGE), (one_product, SMALL), (products, LARGE),
         (in_place, LARGE), (ints, SMALL)]  # fmt: skip
IDS = [f.__name__ for f, _ in CASES]


def whole_of(f, args) -> Whole:
    whole = Whole(f, tuple(a.copy() for a in args))
    assert not whole.errors
    return whole


def parts(v) -> tuple:
    return v if isinstance(v, tuple) else (v,)


@pytest.mark.parametrize("f, args", CASES, ids=IDS)
def test_values_and_dtypes_are_those_of_numpy(f, args) -> None:
    whole = whole_of(f, args)
    found, _ = whole.run(whole.prepared)
    for ours, theirs in zip(parts(found), parts(f(*(a.copy() for a in args))), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def weights(value) -> list:
    """Some number for each cell of the results."""
    return [np.cos(0.3 + k + np.arange(np.size(v))).reshape(np.shape(v))[()] for k, v in enumerate(parts(value))]


@pytest.mark.parametrize("f, args", [c for c in CASES if c[0] is not ints], ids=[n for n in IDS if n != "ints"])
def test_gradients_are_those_of_differences(f, args) -> None:
    whole = whole_of(f, args)
    seeds = weights(f(*(a.copy() for a in args)))
    program = differentiate(whole.prepared, whole.active(), value=False).simplified
    out = run(program, [*(a.copy() for a in args), *seeds, *(np.zeros_like(a) for a in args)])
    bars = [out.params[p.var.name] for p in program.main.params[-len(args) :]]

    def at(k: int, step: np.ndarray) -> float:
        moved = [a + step if j == k else a.copy() for j, a in enumerate(args)]
        return sum(np.sum(s * v) for s, v in zip(seeds, parts(f(*moved)), strict=True))

    for k, bar in enumerate(bars):
        for index in np.ndindex(bar.shape):
            step = np.zeros_like(bar)
            step[index] = 1e-6
            assert bar[index] == pytest.approx((at(k, step) - at(k, -step)) / 2e-6, rel=1e-6, abs=1e-7)


def too_many(p, q):
    x, y = p
    return x * y


def too_few(p, q):
    x, y, z, w = p
    return x * y


def of_four(p, q):
    return np.cross(np.concatenate((p, q[:1])), q)


def unlike(p, q):
    return np.cross(np.stack((p, q)), np.stack((p, q, q)))


@pytest.mark.parametrize("f", [too_many, too_few], ids=lambda f: f.__name__)
def test_a_size_that_does_not_fit_raises_as_python_does(f) -> None:
    from linad.interpret import CoreError

    with pytest.raises(ValueError):
        f(*SMALL)
    whole = whole_of(f, SMALL)
    with pytest.raises(CoreError, match="ValueError: 3 values to unpack"):
        whole.run(whole.prepared)


@pytest.mark.parametrize(
    "text, told",
    [
        ("x, y = np.zeros(3)\n    return x", "2 names take the values of an array of 2, but this is an array of 3"),
        ("x, y = p[0]\n    return x", "2 names take the values of a tuple of 2, but this is np.float64"),
        ("return np.cross(np.zeros(4), p)", "`np.cross` is of vectors of three, but this is vectors of 4"),
        ("return np.cross(np.zeros(2), p)", "`a[0] * b[1] - a[1] * b[0]`"),
        ("return np.cross(p, p[0])", "`np.cross` is of vectors, but this is a scalar"),
        ("return np.cross(p > 0.0, p > 1.0)", "`np.cross` is of numbers, but this is bool"),
        ("return np.cross(np.zeros((3, 3)), p, axisa=0)", "`axisa=0` of `np.cross`"),
    ],
)
def test_what_does_not_fit_is_told_from_the_text(text: str, told: str) -> None:
    source = f"""
import numpy as np
from jaxtyping import Float64
from linad import linear_grad


@linear_grad
def f(p: Float64[np.ndarray, "n"]):
    {text}
"""
    (found,) = [d for d in check_source(source) if d.severity == "error"]
    assert told in " ".join((found.message, found.label, *found.notes, *(fix.message for fix in found.fixes))), found
