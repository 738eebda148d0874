"""Sparse Jacobians: equal to dense ones, with patterns that hold what depends and nothing else, in few sweeps."""

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.sparse import csc_matrix, issparse

import linad
from linad import LinadError, linear_grad
from linad.transforms.sparse import colour
from tests.examples_of import on_backends
from tests.transforms.custom_programs import softplus

pytestmark = pytest.mark.interpreted

RNG = np.random.default_rng(3)


def differences(x, left, right):
    return x[right] ** 2 - np.sin(x[left])


def bundle(cameras, points, seen_by, seen):
    """Two residuals for each observation of a point by a camera."""
    out = np.empty((len(seen), 2))
    for k in range(len(seen)):
        c, p = cameras[seen_by[k]], points[seen[k]]
        angle = c[0]
        x = np.cos(angle) * p[0] - np.sin(angle) * p[1] + c[1]
        y = np.sin(angle) * p[0] + np.cos(angle) * p[1] + c[2]
        z = p[2] + c[3]
        out[k, 0] = c[4] * x / z
        out[k, 1] = c[4] * y / z
    return out


def heat(u, steps: int):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def branches(x, k: int):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.0:
            out[i] = x[i] * x[k]
        elif i > 1:
            out[i] += x[i - 1] ** 2
        out[i] += linad.stop_gradient(x[0]) * 2.0
    return out


def recursive(x):
    def walk(k: int, total):
        if k >= len(x):
            return total
        return walk(2 * k + 1, total * x[k])

    out = np.empty(len(x))
    for k in range(len(x)):
        out[k] = walk(k, 1.0)
    return out


def with_a_rule(x):
    out = np.zeros(4)
    out[:2] = softplus(x[:2])
    out[2] = np.sum(x[2:] ** 2)
    out[3] = np.floor(x[0])
    return out


def products(a):
    b = np.diag(np.array([1.0, 2.0, 3.0]))
    return a @ b + np.linalg.inv(b)


def solving(a):
    return np.linalg.solve(a, np.ones(len(a)))


def overwritten(x, left):
    """The first of two results of a cell is lost, and the last is read again."""
    out = np.empty(len(left))
    for k in range(len(left)):
        out[k] = x[left[k]]
        out[k] = x[k] ** 2 * x[left[k]]
    out[0] = 3.0 * x[1]
    return out


def springs(x, left, right):
    force = np.zeros(len(x))
    for k in range(len(left)):
        pull = (x[right[k]] - x[left[k]]) ** 3
        force[left[k]] += pull
        force[right[k]] -= pull
    return force


def rows_of_some_length(data, x, starts):
    out = np.zeros(len(starts) - 1)
    for i in range(len(out)):
        for k in range(starts[i], starts[i + 1]):
            out[i] += data[k] ** 2 * x[k % len(x)]
    return out


def some_of_them(x, left):
    """Numbers decide which cells have a residual."""
    out = np.zeros((len(left), 2))
    for k in range(len(left)):
        if x[k] > 0.0:
            out[k, 1] = x[left[k]] * x[k]
    return out, np.sin(x[0]) * x[2]


def smooth_at_zero(x, left):
    """Both arms depend on the same cells, in several ways."""
    out = np.zeros((len(left), 2))
    for k in range(len(left)):
        c = x[left[k]] - x[k]
        if c == 0.0:
            y = x[k] + c * x[k]
        else:
            y = np.sin(c * c) / c + x[k] * c
        out[k, 0] = y * y
        out[k, 1] = c - y
    return out


def as_far_as(x, left):
    """Numbers decide how many cells have a residual."""
    out = np.zeros(len(left))
    k = 0
    while k < len(left) and x[k] > 0.0:
        out[k] = x[left[k]] * x[k]
        k += 1
    return out


LEFT = RNG.integers(0, 30, 20)
ONE_BY_ONE = {
    "overwritten": (overwritten, (RNG.normal(size=30), LEFT)),
    "springs": (springs, (RNG.normal(size=30), LEFT, np.arange(20))),
    "rows of some length": (rows_of_some_length, (RNG.normal(size=9), np.arange(4.0), np.array([0, 2, 2, 5, 9]))),
    "smooth at zero": (smooth_at_zero, (RNG.normal(size=30), np.append(LEFT[:-1], 19))),
    "as far as": (as_far_as, (np.sin(np.arange(0.1, 6.1, 0.2)), LEFT)),
    "single precision": (springs, (RNG.normal(size=30).astype(np.float32), LEFT, np.arange(20))),
}

PROGRAMS = {
    "some of them": (some_of_them, (RNG.normal(size=30), LEFT)),
    "differences": (differences, (RNG.normal(size=30), RNG.integers(0, 30, 40), RNG.integers(0, 30, 40))),
    "heat": (heat, (RNG.normal(size=40), 3)),
    "branches": (branches, (RNG.normal(size=12), 4)),
    "recursive": (recursive, (RNG.normal(size=20),)),
    "with_a_rule": (with_a_rule, (RNG.normal(size=5),)),
    "products": (products, (RNG.normal(size=(3, 3)),)),
    "solving": (solving, (RNG.normal(size=(3, 3)) + 3.0 * np.eye(3),)),
    "one column": (lambda x: np.array([1.0, 2.0, 3.0]) * x[0], (np.ones(1),)),
    "one row": (lambda x: x[0] * x[3], (np.ones(5),)),
    "no column": (lambda x: np.zeros(3) + np.sum(x), (np.ones(0),)),
    "no row": (lambda x: 2.0 * x[:0], (np.ones(5),)),
    "a number": (lambda x: x * np.ones(3), (2.0,)),
    "nothing depends": (lambda x: linad.stop_gradient(x), (np.ones(3),)),
}


def dense(f, args):
    found = linad.jacfwd(f)(*args)
    if isinstance(found, tuple):
        return np.concatenate([np.reshape(part, (-1, np.size(args[0]))) for part in found])
    return np.reshape(found, (np.size(linear_grad(f)(*args)), np.size(args[0])))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mode", ["fwd", "rev", "auto"])
@pytest.mark.parametrize(("name", "backend"), on_backends(PROGRAMS, 8))
def test_equal_to_the_dense_one(name, backend, mode):
    f, args = PROGRAMS[name]
    f = linear_grad(f, backend=backend)
    wanted = dense(f, args)
    found = linad.jacobian(f, mode=mode, sparsity=True)(*args)
    assert issparse(found) and found.format == "csr" and found.shape == wanted.shape
    np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-12, atol=1e-14)
    pattern = linad.sparsity(f)(*args)
    assert pattern.shape == wanted.shape and pattern.dtype == bool and not np.any(wanted[~pattern.toarray()])
    jacobian = linad.jacobian(f, mode=mode, sparsity=pattern)
    again = jacobian(*args)
    np.testing.assert_array_equal(again.toarray(), found.toarray())
    with pytest.raises(ValueError, match="read-only"):  # shared by the matrices of a pattern
        again.indices[:] = 0
    again.data[:] = 0.0  # the caller's
    again.copy().eliminate_zeros()
    np.testing.assert_array_equal(jacobian(*args).toarray(), found.toarray())


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "backend"), on_backends(ONE_BY_ONE, 2))
def test_entries_that_single_places_compute(name, backend):
    """They are found without sweeps, and where they are is found again when what that depends on has changed."""
    f, args = ONE_BY_ONE[name]
    f = linear_grad(f, backend=backend)
    jacobian = linad.jacobian(f, sparsity=True)
    given = linad.jacobian(f, sparsity=linad.sparsity(f)(*args))
    x, *rest = args
    rest = [a.copy() for a in rest]
    tolerance = 1e-4 if x.dtype == np.float32 else 1e-12
    for values in (x, 2.0 * x):
        found = jacobian(values, *rest)
        np.testing.assert_allclose(found.toarray(), dense(f, (values, *rest)), rtol=tolerance, atol=1e-14)
        assert jacobian.plan.mode == "entries" and found.has_canonical_format
        assert found.dtype == linad.jacobian(f, sparsity=True, mode="fwd")(values, *rest).dtype
        np.testing.assert_array_equal(given(values, *rest).toarray(), found.toarray())
        assert np.array_equal(found.indices, linad.sparsity(f)(values, *rest).indices)
    rest[0][:] = np.sort(rest[0])
    for values in (-x, x[::-1].copy()):
        found = jacobian(values, *rest)
        np.testing.assert_allclose(found.toarray(), dense(f, (values, *rest)), rtol=tolerance, atol=1e-14)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_patterns_hold_nothing_else(backend):
    f, args = PROGRAMS["differences"]
    pattern = linad.sparsity(linear_grad(f, backend=backend))(*args)
    _, left, right = args
    assert set(zip(*pattern.nonzero())) == {(k, c) for k in range(40) for c in (left[k], right[k])}
    f, (x, k) = PROGRAMS["branches"]
    pattern = linad.sparsity(linear_grad(f, backend=backend))(x, k).toarray()
    for i in range(len(x)):
        assert set(np.flatnonzero(pattern[i])) == ({i, k} if x[i] > 0.0 else {i - 1} if i > 1 else set())
    found = linad.sparsity(linear_grad(PROGRAMS["products"][0], backend=backend))(np.ones((3, 3))).toarray()
    np.testing.assert_array_equal(found, np.kron(np.eye(3), np.ones((3, 3))).astype(bool))


def scene(cameras, points, seen):
    by = RNG.integers(0, cameras, seen)
    return RNG.normal(size=(cameras, 5)), RNG.normal(size=(points, 3)) + [0, 0, 9.0], by, RNG.integers(0, points, seen)


def test_blocks_of_bundle_adjustment():
    args = scene(7, 40, 90)
    whole = linad.jacobian(bundle, argnums=(0, 1))(*args)
    jacobian = linad.jacobian(bundle, argnums=(0, 1), sparsity=True, mode="fwd")
    for found, wanted, width in zip(jacobian(*args), whole, (35, 120), strict=True):
        np.testing.assert_allclose(found.toarray(), wanted.reshape(180, width), rtol=1e-12, atol=1e-14)
    pattern = linad.sparsity(bundle, argnums=(0, 1))(*args)
    assert np.array_equal(np.diff(pattern.indptr), np.full(180, 4 + 3))  # a coordinate knows one shift
    assert jacobian.plan.sweeps == 7  # one for each number that a residual depends on
    at_once = linad.jacobian(bundle, argnums=(0, 1), sparsity=True)
    for found, other in zip(at_once(*args), jacobian(*args), strict=True):
        np.testing.assert_allclose(found.toarray(), other.toarray(), rtol=1e-12, atol=1e-14)
    assert at_once.plan.mode == "entries" and (at_once.plan.pattern != pattern).nnz == 0


def test_few_runs_and_sweeps_of_large_ones():
    args = scene(20, 200, 600)
    jacobian = linad.jacobian(bundle, argnums=(0, 1), sparsity=True, mode="fwd")
    by_cameras, by_points = jacobian(*args)
    assert by_cameras.shape == (1200, 100) and by_points.shape == (1200, 600)
    assert jacobian.plan.sweeps == 7 and by_points.nnz == 3 * 1200
    direction = RNG.normal(size=args[1].shape)
    tangent = linad.jvp(bundle, args, (None, direction, None, None))[1]
    np.testing.assert_allclose(by_points @ direction.ravel(), tangent.ravel(), rtol=1e-9, atol=1e-12)


def test_hessians():
    def rosenbrock(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    x = RNG.normal(size=60)
    hessian = linad.jacobian(linad.grad(rosenbrock), sparsity=True, mode="fwd")
    np.testing.assert_allclose(hessian(x).toarray(), linad.hessian(rosenbrock)(x), rtol=1e-11, atol=1e-11)
    assert hessian.plan.sweeps == 3 and hessian(x).nnz == 3 * 60 - 2
    found = linad.jacobian(linad.grad(rosenbrock), sparsity=True)(x)
    np.testing.assert_allclose(found.toarray(), hessian(x).toarray(), rtol=1e-12, atol=1e-12)


class Pose(NamedTuple):
    angle: float
    at: np.ndarray


def test_structures_and_several_arguments():
    def f(p, y, k):
        return Pose(p.angle * k, p.at * y), 2.0 * y

    p, y = Pose(0.5, np.array([1.0, 2.0])), np.array([3.0, 4.0])
    by_p, by_y = linad.jacobian(f, argnums=("p", "y"), sparsity=True)(p, y, 3)
    np.testing.assert_array_equal(by_p.toarray(), [[3, 0, 0], [0, 3, 0], [0, 0, 4], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(by_y.toarray(), [[0, 0], [1, 0], [0, 2], [2, 0], [0, 2]])
    single = linad.jacobian(lambda x: x * x, sparsity=True)(np.array([1.0, 2.0], np.float32))
    assert single.dtype == np.float32


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_random_patterns(data):
    n, m = data.draw(st.integers(1, 200)), data.draw(st.integers(1, 30))
    index = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    left, right = (np.array(data.draw(index)) for _ in "ab")
    x = np.linspace(0.5, 2.0, n)
    pattern = linad.sparsity(differences)(x, left, right)
    assert set(zip(*pattern.nonzero())) == {(k, c) for k in range(m) for c in (left[k], right[k])}
    colours = colour(pattern)
    for row in pattern.toarray():
        assert len(set(colours[row])) == np.sum(row)
    found = linad.jacobian(differences, sparsity=True)(x, left, right)
    np.testing.assert_allclose(found.toarray(), linad.jacfwd(differences)(x, left, right), rtol=1e-13, atol=1e-15)


def test_a_pattern_that_does_not_hold_is_refused():
    f, (x, left, right) = PROGRAMS["differences"]
    jacobian = linad.jacobian(f, sparsity=linad.sparsity(f)(x, left, right))
    jacobian(2.0 * x, left, right)
    with pytest.raises(ValueError, match=r"has no entry for something that result \d+ depends on here"):
        jacobian(x, left, (right + 1) % 30)
    with pytest.raises(ValueError, match="has 30 columns, and there are 31 numbers"):
        jacobian(np.ones(31), left, right)
    with pytest.raises(ValueError, match="has 40 rows, and there are 39 results"):
        jacobian(x, left[1:], right[1:])
    with pytest.raises(
        TypeError, match="sparsity: expected True, a matrix of `scipy.sparse`, or an array of rank 2, got a str"
    ):
        linad.jacobian(f, sparsity="yes")
    with pytest.raises(LinadError, match="has no float result"):
        linad.sparsity(lambda x: len(x))(x)
    with pytest.raises(LinadError, match="updates an argument"):
        linad.sparsity(linear_grad(_update, updates="x"))
    with pytest.raises(ValueError, match="mode"):
        linad.jacobian(f, mode="both", sparsity=True)


def _update(x):
    x[0] = 1.0


def test_given_in_other_forms():
    f, args = PROGRAMS["heat"]
    pattern = linad.sparsity(f)(*args)
    wanted = linad.jacobian(f, sparsity=True)(*args).toarray()
    for form in (pattern.toarray(), csc_matrix(pattern), pattern.astype(float), np.ones(pattern.shape)):
        np.testing.assert_allclose(linad.jacobian(f, sparsity=form)(*args).toarray(), wanted, rtol=1e-12)


def test_shared_and_portable():
    f = linear_grad(differences)
    assert linad.sparsity(f) is linad.sparsity(f) and linad.jacobian(f, sparsity=True) is linad.jacobian(
        f, sparsity=True
    )
    x, left, right = PROGRAMS["differences"][1]
    for jacobian in (linad.jacobian(f, sparsity=True), linad.jacobian(f, sparsity=linad.sparsity(f)(x, left, right))):
        again = pickle.loads(pickle.dumps(copy.copy(jacobian)))
        np.testing.assert_array_equal(again(x, left, right).toarray(), jacobian(x, left, right).toarray())
    assert repr(linad.sparsity(f)) == "<sparsity of differences by 0>"


def test_scipy_takes_it():
    n = 200
    left, right = np.arange(n - 1), np.arange(1, n)

    def residuals(x):
        return np.concatenate((x[right] - x[left] ** 2 - 0.1, np.array([x[0] - 0.5])))

    found = least_squares(linear_grad(residuals), np.full(n, 0.5), jac=linad.jacobian(residuals, sparsity=True))
    assert np.max(np.abs(found.fun)) < 1e-6


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_more_colours_than_fit_into_a_sweep(mode, monkeypatch):
    """Blocks of colours of several sizes, of several arguments and results of other ranks."""
    from linad.transforms import sparse

    def f(x, m, c: float):
        y = np.zeros((3, len(x)))
        for i in range(len(x)):
            for j in range(max(i - 2, 0), i + 1):
                y[j % 3, i] += np.sin(x[j]) * m[i % 2, j] * c
        return y, c * x[0]

    args = (np.linspace(0.5, 1.5, 9), np.linspace(-1.0, 1.0, 18).reshape(2, 9), 0.7)
    found = {}
    for width in (1, 2, 5, 64):
        monkeypatch.setattr(sparse, "WIDTHS", (width, width))
        found[width] = linad.jacobian(f, (0, 1, 2), mode=mode, sparsity=True)(*args)
    rows = linad.jacobian(f, (0, 1, 2))(*args)
    for k, size in enumerate((9, 18, 1)):
        wanted = np.concatenate([np.reshape(part[k], (-1, size)) for part in rows])
        for matrices in found.values():
            np.testing.assert_allclose(matrices[k].toarray(), wanted, rtol=1e-13, atol=1e-15)


def test_a_branch_between_floats_moves_no_entry():
    """The places of entries are found once, and kept while ints and sizes are the same."""

    @linad.linear_grad
    def turned(x, left, right):
        out = np.empty((len(left), 2))
        for k in range(len(left)):
            a, b = x[left[k]], x[right[k]]
            r = a * a + b * b
            if r == 0.0:
                s = a - b
            else:
                s = np.sin(r) * a + np.sqrt(r) * b
            out[k, 0] = s
            out[k, 1] = s * a
        return out

    left, right = np.array([0, 3, 1, 2, 0] * 40), np.array([1, 0, 2, 3, 4] * 40)
    x = np.array([0.5, 0.0, 0.0, -1.0, 2.0])
    jacobian = linad.jacobian(turned, sparsity=True)
    dense = linad.jacfwd(turned)
    for at in (x, x + 1.0, x * 0.0):
        np.testing.assert_allclose(jacobian(at, left, right).toarray(), dense(at, left, right).reshape(400, 5))
        assert jacobian.plan.mode == "entries" and jacobian.plan.fixed


def crossed(points, left, right):
    out = np.empty(len(left))
    for k in range(len(left)):
        p, q = points[left[k]], points[right[k]]
        out[k] = p[0] * q[1] - q[0] * p[1]
    return out


def between(points, left, right):
    """Two residuals for each pair of points."""
    out = np.empty((len(left), 2))
    for k in range(len(left)):
        p, q = points[left[k]], points[right[k]]
        out[k, 0] = p[0] * q[1] - q[0] * p[1]
        out[k, 1] = (p[0] - q[0]) ** 2 * p[1] * q[1]
    return out


def three_in_a_row(x):
    out = np.empty(len(x) - 2)
    for k in range(len(out)):
        out[k] = x[k] * x[k + 1] ** 2 + np.sin(x[k + 2])
    return out


PAIRS = np.arange(8), (3 * np.arange(8) + 5) % 40  # never the same two points, nor the same one twice
ADJACENT = {
    "a block": (crossed, (RNG.normal(size=(40, 2)), *PAIRS), "blocks"),
    "rows of a block": (between, (RNG.normal(size=(40, 2)), *PAIRS), "runs"),
    "neighbours in a vector": (three_in_a_row, (RNG.normal(size=9),), "blocks"),
    "single precision": (three_in_a_row, (RNG.normal(size=9).astype(np.float32),), "blocks"),
    "columns between": (lambda x: x[:4] * x[::-1][:4], (RNG.normal(size=8),), "filled"),
    "the same point twice": (between, (RNG.normal(size=(40, 2)), PAIRS[0], PAIRS[0]), "summed"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "backend"), on_backends(ADJACENT, len(ADJACENT)))
def test_entries_side_by_side_have_one_number(name, backend):
    f, args, kind = ADJACENT[name]
    f = linear_grad(f, backend=backend)
    jacobian = linad.jacobian(f, sparsity=True)
    found = jacobian(*args)
    np.testing.assert_allclose(found.toarray(), dense(f, args), rtol=1e-6, atol=1e-7)
    assert jacobian.plan.kind == kind
    assert (jacobian.plan.cells.size < found.nnz) == (kind in ("blocks", "runs"))


def test_other_indices_change_how_entries_lie():
    points = RNG.normal(size=(40, 2))
    jacobian = linad.jacobian(linear_grad(between), sparsity=True)
    for right, kind in ((PAIRS[1], "runs"), (PAIRS[0], "summed"), (PAIRS[1], "runs")):
        args = points, PAIRS[0], right
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(linear_grad(between), args), rtol=1e-12, atol=1e-14)
        assert jacobian.plan.kind == kind
