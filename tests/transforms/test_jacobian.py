"""`jacfwd`, `jacrev`, `jacobian` and `value_and_jacobian`: against central differences, `jvp` and `vjp`."""

import dataclasses
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import linad
from linad import LinadError, linear_grad
from linad.structures import parts, rebuilt

pytestmark = pytest.mark.interpreted

X = np.array([1.0, 2.0, -1.5])
M = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


class Pair(NamedTuple):
    a: np.ndarray
    b: float


@dataclasses.dataclass(frozen=True)
class Model:
    weights: np.ndarray
    bias: float
    layers: int


def number(x: float):
    return x**3


def curve(t: float):
    return np.array([np.sin(t), t**2])


def scalar(x):
    return np.sum(x**3) * x[0]


def products(x, m):
    y = m @ x
    for i in range(1, len(y)):
        y[i] += np.sin(y[i - 1]) * x[i]
    return y


def matrices(m):
    return m.T @ m


def several(x, w: float, n: int = 3):
    return np.sin(x) * w * x[0], (np.sum(x) ** n * w, n)


def of_pair(p):
    a, b = p
    return np.exp(a[:2]) * b, b * np.sum(a)


def of_model(model: Model, x):
    out = model.weights @ x + model.bias
    for _ in range(model.layers):
        out = np.tanh(out) * model.bias
    return Pair(out, np.sum(out))


def by_keyword(x, *, scale: float = 2.0):
    return x * scale**2


def empty(x):
    return x[:0] * 2.0


CASES = {
    "number": (number, (1.5,), (0,)),
    "curve": (curve, (0.5,), (0,)),
    "scalar": (scalar, (X,), (0,)),
    "array": (products, (X, M), (0, 1)),
    "matrices": (matrices, (M,), (0,)),
    "several": (several, (X, 0.5, 2), (0, 1)),
    "tuple": (of_pair, ((X, 0.5),), (0,)),
    "named tuple": (of_pair, (Pair(X, 0.5),), (0,)),
    "record": (of_model, (Model(M, 0.5, 2), X), (0, 1)),
    "empty": (empty, (X,), (0,)),
}


def cells(value, path=()):
    """Where the float cells of a structure are."""
    items = parts(value)
    if items is not None:
        for k, item in enumerate(items):
            yield from cells(item, (*path, k))
    elif np.asarray(value).dtype.kind == "f":
        for index in np.ndindex(np.shape(value)):
            yield path, index


def at(value, path):
    for k in path:
        value = parts(value)[k]
    return value


def moved(value, path, index, by):
    if path:
        items = list(parts(value))
        items[path[0]] = moved(items[path[0]], path[1:], index, by)
        return rebuilt(value, items)
    if not isinstance(value, np.ndarray):
        return value + by
    out = value.copy()
    out[index] += by
    return out


def check(jacobian, f, args, k):
    """Each cell of a Jacobian by one argument, its structure and shapes."""
    value = f(*args)
    for path, index in cells(args[k]):
        up, down = (f(*args[:k], moved(args[k], path, index, by), *args[k + 1 :]) for by in (1e-6, -1e-6))
        for out in dict.fromkeys(path for path, _ in cells(value)):
            found = at(at(jacobian, out), path)
            assert np.shape(found) == np.shape(at(value, out)) + np.shape(at(args[k], path))
            expected = (np.asarray(at(up, out)) - np.asarray(at(down, out))) / 2e-6
            np.testing.assert_allclose(np.asarray(found)[(..., *index)], expected, rtol=1e-5, atol=1e-6)
    _same_structure(value, jacobian)


def _same_structure(value, jacobian):
    items = parts(value)
    if items is not None:
        assert type(jacobian) is type(value)
        for x, y in zip(items, parts(jacobian), strict=True):
            _same_structure(x, y)
    elif isinstance(value, int):
        assert jacobian is None


@pytest.mark.one_in(5)
@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev, linad.jacobian], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", CASES)
def test_against_differences(name, transform):
    plain, args, by = CASES[name]
    f = linear_grad(plain, backend="interpret")
    for k in by:
        check(transform(f, k)(*args), plain, args, k)


@pytest.mark.one_in(4)
@pytest.mark.compiled
@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", ["array", "record"])
def test_compiled(name, transform):
    plain, args, _ = CASES[name]
    for k, jacobian in enumerate(transform(plain, (0, 1))(*args) if name == "array" else [transform(plain)(*args)]):
        check(jacobian, plain, args, k)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", ["interpret", "numba"])
def test_several_arguments_give_a_tuple_in_each_result(backend):
    f = linear_grad(several, backend=backend)
    (by_x, by_w), ((sum_by_x, sum_by_w), none) = linad.jacfwd(f, (0, 1))(X, 0.5, 2)
    assert none is None
    first, (second, _) = linad.jacrev(f)(X, 0.5, 2)
    np.testing.assert_allclose(first, by_x)
    np.testing.assert_allclose(second, sum_by_x)
    reverse = linad.jacrev(f, ("w",))(X, 0.5, 2)
    np.testing.assert_allclose(reverse[0][0], by_w)
    assert reverse[1][0] == (pytest.approx(sum_by_w),)


@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev], ids=lambda t: t.__name__)
def test_parts_of_an_argument_that_are_views(transform):
    """They are differentiated by their own cells, not by those of the array that they look at."""

    def inside(m, k: int):
        return transform(of_pair)((m[k], 0.5)), linad.grad(lambda p: np.sum(p[0] ** 2) * p[1])((m[k], 0.5))

    plain, (by_row, by_number) = linear_grad(inside)(M, 1)
    expected = transform(of_pair)((M[1], 0.5))
    assert [[x.shape for x in out] for out in plain] == [[np.shape(x) for x in out] for out in expected]
    assert all(np.allclose(a, b) for out, other in zip(plain, expected) for a, b in zip(out, other))
    assert np.allclose(by_row, M[1]) and np.isclose(by_number, np.sum(M[1] ** 2))
    of_batch = linad.vmap(transform(of_pair))((M, np.array([2.0, 0.5])))
    assert np.allclose(of_batch[0][0][1], expected[0][0]) and np.allclose(of_batch[1][0][1], expected[1][0])


@pytest.mark.parametrize("mode", ["auto", "fwd", "rev"])
def test_value_and_jacobian(mode):
    value, jacobian = linad.value_and_jacobian(products, 1, mode=mode)(X, M)
    np.testing.assert_allclose(value, products(X, M))
    np.testing.assert_allclose(jacobian, linad.jacfwd(products, 1)(X, M))


TRANSFORMS = [linad.jacfwd, linad.jacrev, linad.jacobian, linad.value_and_jacobian]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.__name__)
def test_has_aux(transform):
    def f(x):
        y = x * x
        return y, (np.sum(y), len(x))

    found = transform(f, has_aux=True)(X)
    if transform is linad.value_and_jacobian:
        (value, aux), jacobian = found
        np.testing.assert_array_equal(value, X * X)
    else:
        jacobian, aux = found
    np.testing.assert_allclose(jacobian, np.diag(2 * X))
    assert aux == (np.sum(X * X), 3)
    with pytest.raises(ValueError, match="has_aux: with `sparsity` there is no function"):
        linad.jacobian(f, sparsity=True, has_aux=True)


def test_rows_and_columns_are_those_of_vjp_and_jvp():
    f = linear_grad(products)
    jacobian = f.jacobian(X, M)[1]
    _, pullback = f.vjp(X, M)
    for i, e in enumerate(np.eye(2)):
        np.testing.assert_allclose(jacobian[i], pullback(e)[1])
    for k in np.ndindex(M.shape):
        e = np.zeros_like(M)
        e[k] = 1.0
        np.testing.assert_allclose(jacobian[(..., *k)], f.jvp((X, M), (None, e))[1])


def test_the_mode_is_that_with_fewer_sweeps():
    wide, tall = linear_grad(lambda x: x[:2] * x[1:3]), linear_grad(curve)
    modes = {t[0].mode for made in (linad.jacobian(wide), linad.jacobian(tall)) for t in [made.transforms]}
    assert modes == {"auto"}
    np.testing.assert_allclose(linad.jacobian(wide)(np.arange(5.0)), [[1, 0, 0, 0, 0], [0, 2, 1, 0, 0]])
    np.testing.assert_allclose(linad.jacobian(tall)(0.0), [1.0, 0.0])
    for f, mode, other in ((wide, "rev", "fwd"), (tall, "fwd", "rev")):
        compiled = {how[0].mode for _, how in f._transforms if type(how) is tuple}
        assert mode in compiled and other not in compiled


def test_methods_differentiate_by_the_declared_parameters():
    f = linear_grad(several, wrt="w")
    first, (second, none) = f.jacobian(X, 0.5, n=2)
    np.testing.assert_allclose(first, np.sin(X) * X[0])
    assert none is None and second == pytest.approx(np.sum(X) ** 2)
    assert linear_grad(number).jacobian(2.0) == 12.0


def test_keyword_only_parameters_and_defaults():
    np.testing.assert_allclose(linad.jacfwd(by_keyword)(X, scale=3.0), 9.0 * np.eye(3))
    np.testing.assert_allclose(linad.jacrev(by_keyword, "scale")(X), 4.0 * X)
    np.testing.assert_allclose(linad.jacfwd(several)(X, 1.0)[1][0], 3 * np.sum(X) ** 2 * np.ones(3))


def test_single_precision_stays():
    x = X.astype(np.float32)
    for transform in (linad.jacfwd, linad.jacrev, linad.jacobian):
        found = transform(lambda x: x[1:] * x[:-1])(x)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, [[2.0, 1.0, 0.0], [0.0, -1.5, 2.0]])


def test_arguments_are_not_changed_and_results_are_fresh():
    x = X.copy()
    f = linad.jacrev(lambda x: x * x)
    first = f(x)
    first[...] = 7.0
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(f(x), np.diag(2 * X))


def test_composes_with_every_other_derivative():
    f = linear_grad(scalar, backend="interpret")
    hessian = linad.jacfwd(linad.grad(f))(X)
    for other in (linad.jacrev(linad.grad(f)), linad.jacrev(linad.jacfwd(f)), linad.jacobian(linad.jacobian(f))):
        np.testing.assert_allclose(other(X), hessian)
    value, pullback = linad.vjp(linad.jacfwd(f), X)
    np.testing.assert_allclose(value, f.grad(X))
    np.testing.assert_allclose(pullback(X)[0], hessian @ X)

    @linear_grad(backend="interpret")
    def norm(x):
        return np.sum(linad.jacobian(products)(x, M) ** 2)

    gradient = linad.grad(norm)(X)
    for k, e in enumerate(np.eye(3)):
        assert gradient[k] == pytest.approx((norm(X + 1e-6 * e) - norm(X - 1e-6 * e)) / 2e-6, rel=1e-6)


def test_shared_pickled_and_named():
    f = linear_grad(products)
    assert linad.jacfwd(f, "m") is linad.jacfwd(f, 1)
    assert linad.jacfwd(f).__name__ == "jacfwd_products"
    made = linad.jacobian(products)
    assert pickle.loads(pickle.dumps(linad.jacobian(f))).__name__ == made.__name__


@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev, linad.jacobian], ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "argnums, told",
    [(2, "parameter `n` of `several` is not a float"), (3, "no parameter number 3; it has x, w, n"),
     ("y", "no parameter `y`"), ((0, 0), "by `x` twice")],
)  # fmt: skip
def test_what_cannot_be_differentiated_by(transform, argnums, told):
    with pytest.raises(LinadError, match=told):
        transform(several, argnums)(X, 0.5, 3)


def test_bad_options():
    with pytest.raises(TypeError, match="argnums: expected an int, the name of a parameter"):
        linad.jacfwd(several, 0.5)
    with pytest.raises(ValueError, match="mode: expected 'auto', 'fwd' or 'rev', got 'forward'"):
        linad.jacobian(several, mode="forward")
    with pytest.raises(LinadError, match="with `has_aux` a function returns a pair"):
        linad.jacfwd(scalar, has_aux=True)(X)
    with pytest.raises(LinadError, match="^`jacobian` is of a function with float results"):
        linad.jacobian(lambda x: len(x))(X)
    with pytest.raises(LinadError, match="`scaled` updates an argument") as told:
        linad.jacfwd(linear_grad(scaled, updates="x"))
    assert "let it work on a copy" in str(told.value)


@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev, linad.jacobian, linad.hessian])
def test_by_no_parameter(transform):
    with pytest.raises(LinadError, match="`argnums` is empty"):
        transform(products, ())

    @linear_grad(backend="interpret")
    def inside(x):
        return np.sum(linad.jacrev(products, ())(x, M))

    with pytest.raises(LinadError, match="is by one float parameter at least"):
        inside(X)


def test_more_directions_than_one_block_has():
    rng = np.random.default_rng(1)
    f = linear_grad(lambda x, m: np.sin(m @ x))
    for transform, rows, columns in ((linad.jacfwd, 2, 70), (linad.jacrev, 67, 2)):
        x, m = rng.random(columns), rng.random((rows, columns))
        np.testing.assert_allclose(transform(f)(x, m), np.cos(m @ x)[:, None] * m)


def scaled(x):
    x[0] *= 2.0
    return x[1]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("size", [3, 11])  # below and above the size up to which products are loops
@pytest.mark.parametrize("transform", [linad.jacfwd, linad.jacrev])
def test_products_of_matrices_in_many_directions(transform, size):
    @linad.linear_grad(backend="interpret" if size == 3 else "numba")
    def products(a, b):
        return a @ b - a.T @ b + b @ a.T

    a, b = np.linspace(-1.0, 1.0, size * size).reshape(size, size), np.cos(np.arange(size * size)).reshape(size, size)
    found = transform(products)(a, b)
    assert found.shape == (size,) * 4
    for i, j in ((0, 0), (1, size - 1), (size - 1, 1)):
        along = np.zeros((size, size))
        along[i, j] = 1.0
        wanted = along @ b - along.T @ b + b @ along.T
        np.testing.assert_allclose(found[:, :, i, j], wanted, atol=1e-12)


def test_third_derivatives_of_functions_of_matrices():
    @linad.linear_grad(backend="interpret")
    def powers(m):
        return np.sum((m @ m) ** 2)

    m = np.array([[1.0, 0.5], [-0.3, 2.0]])
    third = linad.jacfwd(linad.hessian(powers))(m)
    assert third.shape == (2,) * 6
    h = 1e-5
    for i, j in ((0, 0), (1, 0)):
        step = np.zeros((2, 2))
        step[i, j] = h
        slope = (linad.hessian(powers)(m + step) - linad.hessian(powers)(m - step)) / (2.0 * h)
        np.testing.assert_allclose(third[..., i, j], slope, rtol=1e-6, atol=1e-6)
    second = linad.jacrev(linad.jacfwd(linad.linear_grad(backend="interpret")(lambda m: m @ m)))(m)
    assert second.shape == (2,) * 6
