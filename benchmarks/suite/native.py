"""The C by hand: compiled for this machine, called through ctypes with arguments made beforehand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.native import library
from benchmarks.suite.problems import BARS, WORK, Problem

SOURCES = Path(__file__).parent / "c"


@cache
def _library(name: str) -> ctypes.CDLL:
    return library(SOURCES / f"{name}.c")


def _argument(a: Any) -> Any:
    match a:
        case np.ndarray():
            return a.ctypes.data_as(ctypes.c_void_p)
        case float():
            return ctypes.c_double(a)
    return ctypes.c_long(a)


def _bound(source: str, name: str, arguments: Sequence[Any]) -> Callable[[], float]:
    function = getattr(_library(source), name)
    function.restype = ctypes.c_double
    ready = [_argument(a) for a in arguments]
    return lambda kept=arguments: function(*ready)


def gradient(problem: Problem, bars: Sequence[np.ndarray]) -> Callable[[], float]:
    """A call of the adjoint, which adds into the buffers and gives the value."""
    work = np.empty(problem.work)
    arguments: list[Any] = []
    for a in problem.native:
        arguments += bars if a is BARS else [work if a is WORK else a]
    if problem.name == "gather":
        arguments.insert(5, 1.0)  # the cotangent of the value
    return _bound(problem.name, problem.name, arguments)


def primal(problem: Problem) -> Callable[[], float]:
    """A call of the function itself."""
    work = np.empty(problem.work)
    arguments = [work if a is WORK else a for a in problem.native if a is not BARS]
    return _bound(problem.name, f"{problem.name}_primal", arguments)
