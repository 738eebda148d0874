"""Transforms of transforms, to third order, against polynomials whose derivatives are known."""

import itertools
import linecache
import random

import numpy as np
import pytest

import linad
from linad import linear_grad
from tests.examples_of import MANY, SEED

from .compositions import TRANSFORMS, Function, Polynomial, constant, named

pytestmark = pytest.mark.interpreted

BASES = """
import numpy as np
import linad

def scalar(x):
    y = x.copy()
    total = 0.5 * x[0]
    for i in range(len(x)):
        y[i] = y[i] * y[i - 1] + 0.25 * y[i]
        total += y[i] * x[0] * x[1]
    return total

def array(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i] * y[i - 1] + 0.25 * y[i]
    return y

def custom(f):
    @linad.custom_vjp
    def same(x):
        return f(x)

    same.defvjp(lambda x: (f(x), x), lambda x, c: (linad.vjp(f, x)[1](2.0 * c)[0],))
    return same
"""
CELLS = 200  # of results, at most


def executed(text: str, file: str, names: dict) -> dict:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return names


NAMES = executed(BASES, "<functions of compositions>", {"__name__": __name__})
SHAPES = itertools.chain.from_iterable(itertools.product((1, 2, 3), repeat=rank) for rank in range(1, 7))
NAMES |= {named(shape): constant(shape) for shape in SHAPES}
VARIABLES = np.array([Polynomial({(("x", (k,)),): 1.0}) for k in range(2)], object)


def composed(base: str, transforms: tuple[str, ...]) -> Function:
    f = Function(base, np.array(NAMES[base](VARIABLES.copy()), object), (2,))
    for name in transforms:
        f = TRANSFORMS[name](f)
    return f


def fits(f: Function) -> bool:
    return f.order <= 3 and f.cells.size <= CELLS


def drawn(length: int, count: int) -> list[tuple[str, ...]]:
    """Some compositions, such that each transform is at each place."""
    rng = random.Random(SEED or 0)
    found: list[tuple[str, ...]] = []
    while len(found) < count * MANY:
        columns = [rng.sample(list(TRANSFORMS), len(TRANSFORMS)) for _ in range(length)]
        found += [("array", "scalar")[k % 2 :][:1] + names for k, names in enumerate(zip(*columns, strict=True))]
    return [c for c in found if fits(composed(c[0], c[1:]))][: count * MANY]


def check(call, f: Function) -> None:
    x = np.sin(1.0 + np.arange(float(np.prod(f.domain)))).reshape(f.domain)
    found, wanted = call(x), f.at(x)
    assert np.shape(found) == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.one_in(5)
@pytest.mark.drawn
@pytest.mark.parametrize("chain", [*drawn(2, 16), *drawn(3, 16)], ids=" of ".join)
def test_outside(chain) -> None:
    f = composed(chain[0], chain[1:])
    names = executed(f.definition, f"<{' '.join(chain)}>", dict(NAMES))
    check(names["f"], f)


INSIDE = [*drawn(1, 16), *drawn(2, 16), *drawn(3, 8)]


@pytest.mark.one_in(5)
@pytest.mark.drawn
@pytest.mark.parametrize("chain", INSIDE, ids=" of ".join)
def test_inside_checked_functions(chain) -> None:
    f = composed(chain[0], chain[1:])
    text = "\n".join([*f.before, "def f(x):", f"    return {f.text}(x)", ""])
    names = executed(text, f"<inside {' '.join(chain)}>", dict(NAMES))
    check(linear_grad(names["f"], backend="interpret"), f)


@pytest.mark.thorough
@pytest.mark.compiled
@pytest.mark.parametrize("chain", [("scalar", "vmap", "hessian"), ("array", "jacobian", "vmap of a pullback")])
def test_compiled(chain) -> None:
    f = composed(chain[0], chain[1:])
    names = executed(f.definition, f"<compiled {' '.join(chain)}>", dict(NAMES))
    check(linad.jacobian(names["f"]), Function("", f.by(), f.domain))
