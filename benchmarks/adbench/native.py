"""The problems in C by hand, with strict floating point: the primal that all times are divided by, and its adjoint."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.native import library

SOURCES = Path(__file__).parent / "c"
STRICT = ("-O3", "-march=native")
Call = Callable[[], float]


@cache
def _library(kind: str) -> ctypes.CDLL:
    return library(SOURCES / f"{kind}.c", STRICT)


def _argument(a: Any) -> Any:
    match a:
        case None:
            return ctypes.c_void_p(None)
        case np.ndarray():
            return a.ctypes.data_as(ctypes.c_void_p)
        case float():
            return ctypes.c_double(a)
    return ctypes.c_long(a)


def _bound(kind: str, name: str, arguments: Sequence[Any]) -> Call:
    function = getattr(_library(kind), name)
    function.restype = ctypes.c_double
    ready = [_argument(a) for a in arguments]
    return lambda kept=arguments: function(*ready)


def _gmm(alphas, means, icf, x, *rest) -> tuple:
    return (len(x), *means.shape, alphas, means, icf, x, *rest)


def _lstm(main, extra, state, sequence) -> tuple:
    layers, (c, b) = len(main) // 2, sequence.shape
    work = np.empty(7 * b * layers * c + b * c + 4 * layers * b + 2 * b)
    return main, extra, state, sequence, layers, b, c - 1, work


def _ba(cameras, points, weights, pixels, obs) -> tuple:
    return cameras, points, weights, pixels, obs[:, 0].copy(), obs[:, 1].copy(), len(weights)


def _hand(theta, *rest) -> tuple:
    if len(rest) == 7:  # simple: neither places on triangles nor triangles
        parents, relatives, inverses, base, skin, chosen, points = rest
        us = triangles = None
    else:
        us, parents, relatives, inverses, base, skin, triangles, chosen, points = rest
    work = np.empty(72 * len(parents) + 9 * len(base))
    sizes = len(parents), len(base), len(points)
    return theta, us, parents, relatives, inverses, base, skin, triangles, chosen, points, *sizes, work


def _hand_matrices(theta, parents, relatives, inverses, base, skin, chosen, points) -> tuple:
    """With matrices stored by columns."""
    columns = [np.ascontiguousarray(np.swapaxes(a, 1, 2)) for a in (relatives, inverses)]
    homogeneous = np.concatenate((base, np.ones((len(base), 1))), axis=1)
    work = np.empty(32 * len(parents) + 7 * len(base))
    sizes = len(parents), len(base), len(points)
    return theta, parents, *columns, homogeneous, skin, chosen, points, *sizes, work


ARGUMENTS: dict[str, Callable[..., tuple]] = {
    "gmm": _gmm, "lstm": _lstm, "ba": _ba, "hand": _hand, "hand_matrices": _hand_matrices
}  # fmt: skip


def primal(kind: str, args: tuple) -> Call:
    """The primal, which gives the value."""
    return _bound(kind, f"{kind}_primal", ARGUMENTS[kind](*args))


def calls(kind: str, args: tuple, bars: Sequence[np.ndarray]) -> tuple[Call, Call]:
    """The primal, and the adjoint, which adds into the buffers and gives the value too."""
    given = ARGUMENTS[kind](*args)
    missing = [None] if kind == "hand" and len(bars) == 1 else []
    return primal(kind, args), _bound(kind, kind, (*given, *bars, *missing))
