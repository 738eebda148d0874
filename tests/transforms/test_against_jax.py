"""Transforms against those of JAX, if it is installed: equal expressions have equal values, structures and dtypes."""

import linecache
from functools import partial

import numpy as np
import pytest

import linad
from linad.transforms import application

FUNCTIONS = """
from functools import partial
from typing import NamedTuple

class P(NamedTuple):
    a: object
    b: object

def s(x, w): return np.sum(np.sin(x) * w * w * x[0])
def v(x, w): return np.sin(x) * w * w * x[0]
def d(p): return {"y": p["a"] * p["b"], "z": p["b"] ** 2}
def ds(p): return np.sum(p["a"] * p["b"]) + p["b"] ** 3
def r(p, x): return P(p.a * x, (p.b * x[0], np.sum(x)))
def rs(p, x): return np.sum(p.a * x * x) * p.b
def aux(x, w): return np.sum(x * x * w), {"n": x * 2.0, "k": w}
def vaux(x, w): return x * x * w, (x[0], w)
def lin(x, y): return 2.0 * x + np.cumsum(y), np.sum(x)
def m(A, x): return np.tanh(A @ x)
def opt(x, w=2.0, *, k=1.0): return np.sum(x ** 2) * w * k
"""
EXPRESSIONS = """
T.grad(s)(X, 2.0)
T.grad(s, 1)(X, 2.0)
T.grad(s, (0, 1))(X, 2.0)
T.grad(s, [1, 0])(X, 2.0)
T.grad(s, -1)(X, 2.0)
T.grad(s)(X, w=2.0)
T.value_and_grad(s, (1,))(X, 2.0)
T.grad(aux, has_aux=True)(X, 2.0)
T.value_and_grad(aux, has_aux=True)(X, 2.0)
T.value_and_grad(aux, (0, 1), has_aux=True)(X, 2.0)
T.jacfwd(v)(X, 2.0)
T.jacrev(v, (0, 1))(X, 2.0)
T.jacfwd(v, [1])(X, 2.0)
T.jacfwd(vaux, has_aux=True)(X, 2.0)
T.jacrev(vaux, (0, 1), has_aux=True)(X, 2.0)
T.jacfwd(d)({"a": X, "b": 2.0})
T.jacrev(d)({"a": X, "b": 2.0})
T.hessian(s)(X, 2.0)
T.hessian(s, (0, 1))(X, 2.0)
T.hessian(v)(X, 2.0)
T.hessian(ds)({"a": X, "b": 2.0})
T.hessian(rs)(P(X, 2.0), X)
T.hessian(rs, (0, 1))(P(X, 2.0), X)
T.hessian(aux, has_aux=True)(X, 2.0)
T.jacfwd(T.hessian(s, 1))(X, 2.0)
T.jacrev(T.jacfwd(v))(X, 2.0)
T.jacfwd(r)(P(X, 2.0), X)
T.jacrev(r, 1)(P(X, 2.0), X)
T.jacrev(r, (0, 1))(P(X, 2.0), X)
T.vjp(v, X, 2.0)[1](X)
T.vjp(vaux, X, 2.0, has_aux=True)[1](X)
T.vjp(vaux, X, 2.0, has_aux=True)[2]
T.vjp(r, P(X, 2.0), X)[1](P(X, (1.0, 2.0)))
T.jvp(v, (X, 2.0), (X, 1.0))
T.jvp(vaux, (X, 2.0), (X, 1.0), has_aux=True)
T.jvp(r, (P(X, 2.0), X), (P(X, 1.0), X))
T.linearize(v, X, 2.0)[1](X, 1.0)
T.linearize(vaux, X, 2.0, has_aux=True)[1](X, 1.0)
T.linearize(vaux, X, 2.0, has_aux=True)[2]
T.linear_transpose(lin, X, X)((X, 2.0))
T.vmap(s, (0, None))(M, 2.0)
T.vmap(s)(M, W)
T.vmap(s, in_axes=(0, 0))(M, W)
T.vmap(s, (1, None))(M.T, 2.0)
T.vmap(v, (0, None), 1)(M, 2.0)
T.vmap(v, (-1, None), -1)(M.T, 2.0)
T.vmap(v, (0,))(M, w=W)
T.vmap(d)({"a": M, "b": W})
T.vmap(d, in_axes=({"a": 0, "b": None},))({"a": M, "b": 2.0})
T.vmap(d, in_axes=({"a": 1, "b": None},), out_axes={"y": 1, "z": 0})({"a": M.T, "b": 2.0})["y"]
T.vmap(r, (P(0, None), None))(P(M, 2.0), X)
T.vmap(r, (P(0, 0), 0), out_axes=P(1, (0, 0)))(P(M, W), M)
T.vmap(r, (0, None))(P(M, W), X)
T.vmap(T.grad(s), (0, None))(M, 2.0)
T.vmap(T.value_and_grad(s, (0, 1)))(M, W)
T.vmap(T.grad(aux, has_aux=True), (0, None))(M, 2.0)
T.vmap(T.hessian(s, (0, 1)))(M, W)
T.vmap(T.jacfwd(r), (P(0, None), None))(P(M, 2.0), X)
T.vmap(T.vmap(m, (None, 0)), (0, None))(Q.transpose(0, 2, 1), M)
T.vmap(T.vjp(v, X, 2.0)[1])(E)
T.vmap(T.vmap(T.vjp(v, X, 2.0)[1]))(E.reshape(1, 3, 3))
T.vmap(lambda x, w: (x * w, w ** 2), (0, None), (0, None))(M, 2.0)
T.vmap(lambda x, w: {"y": x * w, "z": w}, (0, None), {"y": 1, "z": None})(M, X)
T.vmap(v, None, axis_size=3)(X, 2.0)
T.vmap(v, None, None, axis_size=3)(X, 2.0)
T.vmap(T.linearize(v, X, 2.0)[1], (0, None))(E, 1.0)
T.vmap(T.linearize(v, X, 2.0)[1], (1, None), 1)(E, 1.0)
T.jacfwd(T.linearize(v, X, 2.0)[1], (0, 1))(X, 1.0)
T.jacrev(T.vjp(v, X, 2.0)[1])(X)
T.linear_transpose(T.linearize(v, X, 2.0)[1], X, 1.0)(X)
T.grad(T.grad(T.grad(s, 1), 1), 1)(X, 2.0)
T.jacfwd(T.vmap(s, (0, None)))(M, 2.0)
T.jacrev(T.vmap(s), (0, 1))(M, W)
T.hessian(lambda x: np.sum(T.vmap(s, (0, None))(x, 2.0)))(M)
T.grad(lambda x: np.sum(stop(x) * x))(X)
T.jacfwd(lambda x: stop(v(x, 2.0)) * x)(X)
T.grad(partial(s, w=2.0))(X)
T.grad(partial(s, X))(2.0)
T.grad(opt)(X)
T.grad(opt)(X, 3.0, k=2.0)
T.grad(opt, (0, 1))(X, 3.0)
T.vmap(opt)(M, W, k=W)
T.vmap(opt)(M)
T.vmap(opt, (0,))(M, w=W)
T.jacfwd(v)(F, 2.0)
T.grad(s)(F, 2.0)
T.jacfwd(lambda x: (x, x[0]))(X)
T.jacrev(lambda x: [x, x[0]])(X)
T.jacfwd(m)(M, X)
T.jacrev(m, (0, 1))(M, X)
T.hessian(lambda A: np.sum(m(A, X) ** 2))(M)
T.jvp(T.grad(s), (X, 2.0), (X, 1.0))[1]
T.linearize(T.grad(s), X, 2.0)[1](X, 1.0)
T.vjp(T.grad(s, (0, 1)), X, 2.0)[1]((X, 1.0))
T.vmap(lambda x: T.jvp(v, (x, 2.0), (x, 1.0))[1])(M)
T.jacfwd(lambda x: T.vjp(v, x, 2.0)[1](x))(X)
T.jacrev(lambda x: T.linearize(v, x, 2.0)[1](x, 1.0))(X)
T.grad(lambda x: T.jvp(T.grad(s), (x, 2.0), (x, 0.0))[1].sum())(X)
""".strip().splitlines()


def names(library, array, stop) -> dict:
    """The names that an expression uses: ``T`` is the library of transforms, ``np`` that of arrays."""
    found = executed(FUNCTIONS, f"<functions of {array.__name__}>", {"np": array, "T": library, "__name__": __name__})
    x = array.array([0.5, 1.5, -0.25])
    return found | {
        "X": x,
        "F": x.astype(array.float32),
        "M": array.arange(6.0).reshape(2, 3) / 5.0,
        "Q": array.arange(12.0).reshape(2, 3, 2) / 7.0,
        "E": array.eye(3),
        "W": array.array([0.3, -0.7]),
        "stop": stop,
    }


def executed(text: str, file: str, space: dict) -> dict:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    return space


@pytest.fixture(scope="module")
def libraries():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    of_numpy = names(linad, np, linad.stop_gradient)
    return {"linad": of_numpy, "jax": names(jax, jax.numpy, jax.lax.stop_gradient)}


@pytest.mark.thorough
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_same_expression(expression, libraries, monkeypatch) -> None:
    monkeypatch.setattr(application, "Options", partial(application.Options, backend="interpret"))
    found, wanted = (
        executed(f"found = {expression}\n", f"<{library}: {expression}>", dict(space))["found"]
        for library, space in libraries.items()
    )
    agree(found, wanted)


def agree(a, b) -> None:
    if isinstance(b, dict):
        assert a.keys() == b.keys()
        a, b = [a[key] for key in b], list(b.values())
    if isinstance(b, tuple | list):
        assert isinstance(a, tuple | list)
        for x, y in zip(a, b, strict=True):
            agree(x, y)
        return
    a, b = np.asarray(a), np.asarray(b)
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    np.testing.assert_allclose(a, b, rtol=1e-4 if b.dtype == np.float32 else 1e-9, atol=1e-7)
