"""One function per tool: from a plain program and a point to the gradient that the tool gives there."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, SimpleNamespace

import numpy as np

Program = Callable[[np.ndarray], float]
Gradient = Callable[[Program, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Tool:
    """A tool, the package whose version is reported, and how it is asked for a gradient."""

    name: str
    package: str
    gradient: Gradient
    staged: Gradient | None = None              # the same under the tool's own compiler, where it has one

    @property
    def version(self) -> str | None:
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None


def rebound(program: Program, numpy_like: object) -> Program:
    """The same code with its `np` bound to the tool's NumPy."""
    return FunctionType(program.__code__, {**program.__globals__, "np": numpy_like}, program.__name__)


def linad_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    linad = importlib.import_module("linad")
    return linad.linear_grad(program).grad(x)


def _jax():
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def jax_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    jax = _jax()
    return np.asarray(jax.grad(rebound(program, jax.numpy))(jax.numpy.asarray(x)))


def jax_jit_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    jax = _jax()
    return np.asarray(jax.jit(jax.grad(rebound(program, jax.numpy)))(jax.numpy.asarray(x)))


def torch_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    torch = importlib.import_module("torch")
    torch.set_default_dtype(torch.float64)
    names = {name: getattr(torch, name) for name in ("sin", "exp", "log", "sqrt", "zeros")}
    leaf = torch.tensor(x, requires_grad=True)
    rebound(program, SimpleNamespace(**names))(leaf).backward()
    return leaf.grad.numpy()


def autograd_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    autograd = importlib.import_module("autograd")
    return np.asarray(autograd.grad(rebound(program, importlib.import_module("autograd.numpy")))(x))


def tangent_gradient(program: Program, x: np.ndarray) -> np.ndarray:
    tangent = importlib.import_module("tangent")
    return np.asarray(tangent.grad(program)(x.copy()))


TOOLS = (
    Tool("linad", "linad", linad_gradient),
    Tool("JAX", "jax", jax_gradient, jax_jit_gradient),
    Tool("PyTorch", "torch", torch_gradient),
    Tool("autograd", "autograd", autograd_gradient),
    Tool("tangent-ad", "tangent-ad", tangent_gradient),
)
