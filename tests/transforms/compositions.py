"""Transforms of polynomials, whose derivatives of any order are known, and texts that compose transforms of linad.

A function of an array is represented by the polynomials of its cells in the cells ``x`` of the argument, and in as many
variables ``s``: those of the argument under `stop_gradient`, which are not differentiated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np


class Polynomial:
    """A polynomial: coefficients by sorted tuples of variables, each ``(kind, cell)``."""

    def __init__(self, terms: dict) -> None:
        self.terms = {k: c for k, c in terms.items() if c}

    def __add__(self, other):
        other = other if isinstance(other, Polynomial) else Polynomial({(): other})
        every = self.terms.keys() | other.terms.keys()
        return Polynomial({k: self.terms.get(k, 0.0) + other.terms.get(k, 0.0) for k in every})

    def __mul__(self, other):
        other = other if isinstance(other, Polynomial) else Polynomial({(): other})
        out: dict = {}
        for (j, a), (k, b) in itertools.product(self.terms.items(), other.terms.items()):
            key = tuple(sorted(j + k))
            out[key] = out.get(key, 0.0) + a * b
        return Polynomial(out)

    __radd__, __rmul__ = __add__, __mul__

    def along(self, variable) -> Polynomial:
        """The partial derivative."""
        out: dict = {}
        for key, c in self.terms.items():
            if variable in key:
                at = key.index(variable)
                left = key[:at] + key[at + 1 :]
                out[left] = out.get(left, 0.0) + c * key.count(variable)
        return Polynomial(out)

    def renamed(self, name: Callable) -> Polynomial:
        return sum((Polynomial({tuple(sorted(map(name, k))): c}) for k, c in self.terms.items()), Polynomial({}))

    def at(self, x: np.ndarray) -> float:
        return sum(c * np.prod([x[cell] for _, cell in key]) for key, c in self.terms.items())


@dataclass(frozen=True)
class Function:
    """A function of an array of the shape ``domain``, and the call that computes it with linad."""

    text: str
    cells: np.ndarray  # of polynomials
    domain: tuple[int, ...]
    order: int = 0
    before: tuple[str, ...] = ()  # lines that define what the text mentions

    @property
    def variables(self) -> list:
        return [("x", cell) for cell in np.ndindex(self.domain)]

    def at(self, x: np.ndarray) -> np.ndarray:
        return np.array([p.at(x) for p in self.cells.ravel()], float).reshape(self.cells.shape)

    def by(self) -> np.ndarray:
        """The cells of the Jacobian, of the shape of the result followed by that of the domain."""
        found = np.empty((*self.cells.shape, *self.domain), object)
        for at in np.ndindex(self.cells.shape):
            for v in self.variables:
                found[(*at, *v[1])] = self.cells[at].along(v)
        return found

    def summed(self) -> Function:
        if self.cells.shape == ():
            return self
        total = np.array(reduce(Polynomial.__add__, self.cells.ravel()), object)
        return self.of(f"(lambda x: np.sum({self.text}(x)))", total)

    def of(
        self,
        text: str,
        cells: np.ndarray,
        order: int = 0,
        domain: tuple[int, ...] | None = None,
        before: tuple[str, ...] = (),
    ) -> Function:
        every = self.before + before
        return Function(text, np.asarray(cells, object), domain or self.domain, self.order + order, every)

    @property
    def definition(self) -> str:
        """The lines that define the function ``f``."""
        return "\n".join([*self.before, f"f = {self.text}", ""])


def constant(shape: tuple[int, ...]) -> np.ndarray:
    """The tangents and cotangents of a shape."""
    return np.cos(np.arange(float(np.prod(shape, dtype=int)))).reshape(shape) + 0.5


def named(shape: tuple[int, ...]) -> str:
    """The name of such an array, or the number itself."""
    return f"C{'_'.join(map(str, shape))}" if shape else repr(float(constant(())))


def _along(f: Function, cells: np.ndarray) -> np.ndarray:
    """A Jacobian applied to the tangent."""
    axes = len(f.domain)
    return np.tensordot(cells, constant(f.domain), axes) if cells.shape else cells


def _renamed(cells: np.ndarray, name: Callable) -> np.ndarray:
    return np.array([p.renamed(name) for p in cells.ravel()] + [None], object)[:-1].reshape(cells.shape)


def jacobian(kind: str) -> Callable[[Function], Function]:
    return lambda f: f.of(f"linad.{kind}({f.text})", f.by(), 1)


def grad(f: Function) -> Function:
    f = f.summed()
    return f.of(f"linad.grad({f.text})", f.by(), 1)


def value_and_grad(f: Function) -> Function:
    f = f.summed()
    both = "(lambda x: (lambda v, g: v * g)(*linad.value_and_grad({})(x)))"
    return f.of(both.format(f.text), f.by() * f.cells[()], 1)


def hessian(f: Function) -> Function:
    inner = f.of("", f.by(), 1)
    return f.of(f"linad.hessian({f.text})", inner.by(), 2)


def hvp(f: Function) -> Function:
    f = f.summed()
    inner = f.of("", f.by(), 1)
    tangent = named(f.domain)
    return f.of(f"(lambda x: linad.hvp({f.text}, (x,), ({tangent},)))", _along(f, inner.by()), 2)


def jvp(f: Function) -> Function:
    return f.of(f"(lambda x: linad.jvp({f.text}, (x,), ({named(f.domain)},))[1])", _along(f, f.by()), 1)


def linearize(f: Function) -> Function:
    return f.of(f"(lambda x: linad.linearize({f.text}, x)[1]({named(f.domain)}))", _along(f, f.by()), 1)


def vjp(f: Function) -> Function:
    shape = f.cells.shape
    found = np.tensordot(constant(shape), f.by(), len(shape)) if shape else f.by() * float(constant(()))
    return f.of(f"(lambda x: linad.vjp({f.text}, x)[1]({named(shape)})[0])", found, 1)


def transposed(f: Function) -> Function:
    """The transpose of the linearized function."""
    text = "(lambda x: linad.linear_transpose(linad.linearize({0}, x)[1], x)({1})[0])"
    return f.of(text.format(f.text, named(f.cells.shape)), vjp(f).cells, 1)


def vmap(f: Function) -> Function:
    domain = (2, *f.domain)
    each = [_renamed(f.cells, lambda v, k=k: (v[0], (k, *v[1]))) for k in range(2)]
    return f.of(f"linad.vmap({f.text})", np.stack(each), 0, domain)


def last_axis(f: Function) -> Function:
    """`vmap` along the last axes."""
    domain = (*f.domain, 3)
    each = [_renamed(f.cells, lambda v, k=k: (v[0], (*v[1], k))) for k in range(3)]
    return f.of(f"linad.vmap({f.text}, in_axes=-1, out_axes=-1)", np.stack(each, -1), 0, domain)


def mapped_pullback(f: Function) -> Function:
    """A Jacobian by rows: the pullback of a batch of cotangents."""
    rows = int(np.prod(f.cells.shape, dtype=int))
    unit = f"np.eye({rows}).reshape({(rows, *f.cells.shape)})" if f.cells.shape else "np.ones(1)"
    text = f"(lambda x: linad.vmap(linad.vjp({f.text}, x)[1])({unit})[0])"
    return f.of(text, f.by().reshape((rows, *f.domain)), 1)


def stopped(f: Function) -> Function:
    still = _renamed(f.cells, lambda v: ("s", v[1]))
    return f.of(f"(lambda x: {f.text}(x) * {f.text}(linad.stop_gradient(x)))", f.cells * still)


def custom(f: Function) -> Function:
    """Under a rule that doubles the derivative."""
    still = _renamed(f.cells, lambda v: ("s", v[1]))
    name = f"custom{len(f.before)}"
    return f.of(name, 2.0 * f.cells + -1.0 * still, before=(f"{name} = custom({f.text})",))


TRANSFORMS: dict[str, Callable[[Function], Function]] = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "vjp": vjp,
    "jvp": jvp,
    "jacfwd": jacobian("jacfwd"),
    "jacrev": jacobian("jacrev"),
    "jacobian": jacobian("jacobian"),
    "hessian": hessian,
    "hvp": hvp,
    "linearize": linearize,
    "linear_transpose": transposed,
    "vmap": vmap,
    "vmap of the last axis": last_axis,
    "vmap of a pullback": mapped_pullback,
    "stop_gradient": stopped,
    "custom_vjp": custom,
}
