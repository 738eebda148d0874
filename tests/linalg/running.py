"""Programs on matrices through the stages of linad in the reference interpreter, and differences of the undecorated function."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.signature import ArgType
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.types import Array

from linad import interpret
from linad.pipeline import differentiate, prepare, tangent
from tests.well_formed import well_formed

from . import programs

DTYPES = {"float64": "f64", "float32": "f32", "int64": "i64"}


def argument(kind: str, rng: np.random.Generator, n: int = 3) -> np.ndarray:
    """An argument of a kind; ``n`` is the size of square matrices."""
    match kind:
        case "wide":
            return rng.normal(size=(n, n + 1))
        case "tall":
            return rng.normal(size=(n + 1, n))
        case "tall3":
            return rng.normal(size=(n, n + 2))
        case "square":
            return rng.normal(size=(n, n)) * 0.4 + 1.5 * np.eye(n)
        case "symmetric":
            a = rng.normal(size=(n, n))
            return a + a.T + np.diag(3.0 * np.arange(n))
        case "positive":
            a = rng.normal(size=(n, n))
            return a @ a.T + np.eye(n)
        case "vector3":
            return rng.normal(size=n)
        case "vector4":
            return rng.normal(size=n + 1)
        case "batch":
            return rng.normal(size=(2, n, n)) * 0.4 + 1.5 * np.eye(n)
        case "batch_vectors":
            return rng.normal(size=(2, n))
    raise ValueError(kind)


def arguments(name: str, seed: int = 0, n: int = 3, dtype: type = np.float64) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [argument(kind, rng, n).astype(dtype) for kind in programs.CASES[name]]


@cache
def _scope():
    file = Path(programs.__file__)
    return StaticModule(SourceFile(str(file), file.read_text(encoding="utf-8"))).scope


def lowered(name: str, args: list[np.ndarray]):
    f = getattr(programs, name)
    params = f.__code__.co_varnames[: f.__code__.co_argcount]
    types = [ArgType(Array(DTYPES[a.dtype.name], a.ndim)) for a in args]
    done = check(_scope().lookup(name).function, dict(zip(params, types, strict=True)))
    errors = [d for d in done.diagnostics if d.severity == "error"]
    assert not errors, errors
    assert not verify(done.program), verify(done.program)
    return prepare(done.program, well_formed)


def value(program, args: list[np.ndarray]) -> float:
    return float(interpret.run(program, args).results[0])


def names(program) -> tuple[str, ...]:
    return tuple(p.var.name for p in program.main.params)


class Derivatives:
    """The derivatives of one function at one point, by the stages of linad."""

    def __init__(self, name: str, args: list[np.ndarray], log_everything: bool = False) -> None:
        self.args = args
        self.program = lowered(name, args)
        self.wrt = names(self.program)
        self.reverse = differentiate(self.program, self.wrt, True, well_formed, log_everything).simplified
        self.unit = args[0].dtype.type(1.0)

    def gradient(self) -> list[np.ndarray]:
        bars = [np.zeros_like(a) for a in self.args]
        interpret.run(self.reverse, [*fresh(self.args), self.unit, *bars], in_place=True)
        return bars

    def slope(self, direction: list[np.ndarray]) -> float:
        forward = tangent(self.program, self.wrt, well_formed)
        return float(interpret.run(forward, [*self.args, *direction]).results[1])

    def curvature_forward(self, direction: list[np.ndarray]) -> list[np.ndarray]:
        """The Hessian times a direction, forward over reverse."""
        program = tangent(self.reverse, self.wrt, well_formed)
        bars, dots = ([np.zeros_like(a) for a in self.args] for _ in range(2))
        given = [*fresh(self.args), self.unit, *bars, *fresh(direction), *dots]
        interpret.run(program, given, in_place=True)
        return dots

    def curvature_reverse(self, direction: list[np.ndarray]) -> list[np.ndarray]:
        """The same by reverse over reverse."""
        program = differentiate(self.reverse, self.wrt, True, well_formed).simplified
        bars, found = ([np.zeros_like(a) for a in self.args] for _ in range(2))
        given = [*fresh(self.args), self.unit, *bars, self.unit * 0, *found, *fresh(direction)]
        order = [p.var.name for p in program.main.params]
        assert len(order) == len(given), order
        interpret.run(program, given, in_place=True)
        return found


def fresh(args: list[np.ndarray]) -> list[np.ndarray]:
    return [a.copy() for a in args]


def direction_of(args: list[np.ndarray], seed: int = 7) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=a.shape).astype(a.dtype) for a in args]


def moved(args: list[np.ndarray], direction: list[np.ndarray], by: float) -> list[np.ndarray]:
    return [a + by * d for a, d in zip(args, direction, strict=True)]


def differences(f, args: list[np.ndarray]) -> list[np.ndarray]:
    """Central differences of the undecorated function, extrapolated once."""
    found = [np.zeros_like(a) for a in args]
    for k, a in enumerate(args):
        for at in np.ndindex(a.shape):

            def shifted(by: float) -> float:
                given = fresh(args)
                given[k][at] += by
                return float(f(*given))

            one, two = ((shifted(h) - shifted(-h)) / (2 * h) for h in (1e-4, 2e-4))
            found[k][at] = (4 * one - two) / 3
    return found
