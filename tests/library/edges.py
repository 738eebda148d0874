"""Edge arguments: what a letter in an expression of the table stands for, in each dtype.

``e f g`` are arrays of cells, every combination of the numbers of a dtype; ``h`` small ints beside them; ``u v`` Python's own
numbers, one combination after the other, and ``m n`` such ints that can be counted to, ``p`` such
floats. ``x y`` are vectors of one length, ``k`` indices. ``A B`` are matrices of one shape, ``S``
square ones, ``b`` and ``C`` a vector and a matrix with as many rows as the matrix beside them; ``T`` has three axes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

DTYPES = ("f64", "f32", "i64", "i32", "bool")
TYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}
NAN, INF = np.nan, np.inf

_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, -7.0, 10.0, 100.5, 1e-8, 0.9999999, NAN, INF, -INF)
_EXTREME = {"f64": (5e-324, -5e-324, 1e-300, -1e-300, 1e300, -1e300, 1e160, 1e10), "f32": (1e-45, -1e-45, 1e-37, -1e-37, 3e38, -3e38, 1e20, 1e10)}
NUMBERS: dict[str, tuple[Any, ...]] = {
    "f64": _FLOATS + _EXTREME["f64"],
    "f32": _FLOATS + _EXTREME["f32"],
    "i64": (0, 1, -1, 2, 3, -7, 10, 2**31, 2**63 - 1, -(2**63)),
    "i32": (0, 1, -1, 2, 3, -7, 10, 2**31 - 1, -(2**31)),
    "bool": (False, True),
}
_FEW = (0.0, -0.0, -1.0, 0.5, 2.0, 3.0, -2.5, NAN, INF, -INF)
FEW: dict[str, tuple[Any, ...]] = {"f64": (*_FEW, 5e-324, 1e-300, 1e160), "f32": (*_FEW, 1e-45, 1e-37, 3e38), "i64": (0, 1, -2, 5), "i32": (0, 1, -2, 5), "bool": (False, True)}
_COUNTS = (0, 1, 2, 5, 20, 21, 66, 70, -1, -4)
_LENGTHS = (0.0, -0.0, 1.0, 0.5, 3.25, -2.5, NAN, INF, -INF, 5e-324, 1e-300, -1e300)
FEWEST = {d: tuple(x for x in FEW[d] if d[0] != "f" or not x < 0.0) for d in DTYPES}
_PYTHON = {"f64": float, "i64": int, "bool": bool}
_SMALL = (0, 1, -1, 3, -5, 40, -1100, 1100)

_VECTORS = {
    "f": (
        (), (NAN,), (0.0,), (-0.0,), (1.0,), (-2.0,), (INF,), (-INF,), (INF, -INF), (INF, INF), (-INF, -INF), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0),
        (1.0, 2.0, 4.0), (4.0, 2.0, 1.0), (2.0, 2.0, 1.0, 2.0), (NAN, 1.0, 2.0), (1.0, NAN, 0.0), (0.0, 0.0, 0.0), (NAN, NAN, NAN), (INF, 1.0, 2.0),
        (1.0, -INF, 3.0, INF), (3.0, 1.0, 2.0, 5.0, 4.0), (-1.0, -3.0, 2.0, 0.0, 0.5), (1.0, INF, NAN, -INF, 0.0),
    ),
    "i": ((), (0,), (3,), (-1,), (1, 2, 4), (4, 2, 1), (2, 2, 1, 2), (0, 0, 0), (-1, 5, 0, 3, 2)),
    "b": ((), (True,), (False,), (True, False), (False, False, False), (True, True, True), (False, True, False, True, True)),
}  # fmt: skip
_WIDE = {
    "f64": ((1e300, 1e300, 1e300), (1e-300, -1e-300, 3e-300), (5e-324, 5e-324, 5e-324), (1e300, -1e300, 1.0), (1e-170, 1e-170), (1e170, 1e-170)),
    "f32": ((3e38, 3e38, 3e38), (1e-37, -1e-37, 3e-37), (1e-45, 1e-45, 1e-45), (3e38, -3e38, 1.0), (1e-25, 1e-25)),
    "i64": ((2**63 - 1, 1), (-(2**63), -1, 2**63 - 1)),
    "i32": ((2**31 - 1, 1), (-(2**31), -1, 2**31 - 1)),
    "bool": (),
}
_MATRICES = {
    "f": (
        np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0)), [[2.0]], [[NAN]], [[-0.0]], [[1.0, 2.0, 4.0], [-3.0, 0.5, 0.0]], [[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]],
        [[NAN, 1.0], [2.0, 3.0], [0.0, -0.0]], [[INF, 1.0, 2.0], [-INF, INF, 3.0]], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]], [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]], [[0.0, -0.0], [-0.0, -0.0]],
        np.zeros((2, 3)), [[1.0, 2.0, 3.0]], [[1.0], [2.0], [4.0]], [[NAN, NAN], [NAN, NAN]],
    ),
    "i": (np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0)), [[2]], [[1, 2, 4], [-3, 5, 0]], [[1, 2], [2, 1], [3, 0]], [[2, 2], [2, 2]], [[1, 2, 3]]),
    "b": (np.zeros((0, 3)), np.zeros((3, 0)), [[True]], [[True, False, True], [False, False, True]], [[False, False], [True, True], [False, False]]),
}  # fmt: skip
_SQUARES = {
    "f": (
        np.zeros((0, 0)), [[2.0]], [[0.0]], [[-0.0]], [[-3.0]], [[NAN]], [[INF]], [[-INF]], np.eye(2), np.zeros((2, 2)), [[1.0, 2.0], [2.0, 4.0]], [[2.0, 1.0], [1.0, 3.0]],
        [[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [3.0, 1.0]], [[NAN, 1.0], [1.0, 2.0]], [[1.0, 0.0], [NAN, 2.0]], [[INF, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, INF]], [[0.0, 1.0], [1.0, 0.0]],
        [[0.0, 1.0], [0.0, 0.0]], [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]],
    ),
    "i": (np.zeros((0, 0)), [[2]], [[0]], [[2, 1], [1, 3]], [[1, 2], [2, 4]], [[1, 2], [3, 4]]),
    "b": ([[True]], [[True, False], [False, True]], [[True, True], [True, True]]),
}  # fmt: skip
_WIDE_SQUARES = {"f64": (1e300, 1e-300), "f32": (1e36, 1e-36)}
_INDICES = ((), (0,), (1, 0), (-1,), (0, 0, 1), (2, 1), (5,), (-6,))


def _kind(dtype: str) -> str:
    return {"f": "f", "i": "i", "b": "b"}[dtype[0]]


def _array(cells: Any, dtype: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(cells, dtype=float if dtype[0] == "f" else None).astype(TYPES[dtype])


def vectors(dtype: str) -> list[np.ndarray]:
    return [_array(v, dtype) for v in (*_VECTORS[_kind(dtype)], *_WIDE[dtype])]


def matrices(dtype: str) -> list[np.ndarray]:
    return [_array(m, dtype) for m in _MATRICES[_kind(dtype)]]


def squares(dtype: str) -> list[np.ndarray]:
    found = [_array(m, dtype) for m in _SQUARES[_kind(dtype)]]
    return found + [_array(np.array([[2.0, 1.0], [1.0, 3.0]]) * s, dtype) for s in _WIDE_SQUARES.get(dtype, ())]


def blocks(dtype: str) -> list[np.ndarray]:
    rank2 = [m for m in matrices(dtype) if m.size or m.shape == (0, 3)]
    return [np.stack([m, m[::-1]]) for m in rank2]


def _partners(pool: list[np.ndarray], a: np.ndarray, k: int) -> list[np.ndarray]:
    """Arrays to stand beside ``a``: of the same shape, among them ``a`` itself."""
    same = [b for b in pool if b.shape == a.shape] or [a.astype(pool[0].dtype)]
    return [same[(k + n) % len(same)] for n in (0, 1, 3)][: len(same)]


@cache
def letters(text: str) -> tuple[str, ...]:
    """The letters of an expression, or of statements that return, in the order of their first use."""
    found = [n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and len(n.id) == 1]
    return tuple(sorted(set(found) & set("efghuvmnpxykABSbCT")))


def arguments(text: str, dtype: str, other: str = "", all_numbers: bool = True) -> Iterator[tuple[Any, ...]]:
    """Argument tuples of an expression; what stands beside the first letter has the dtype ``other``, or the same one. Without
    ``all_numbers`` several cells or numbers stand for part of their combinations."""
    names = letters(text)
    for found in _assignments(names, dtype, other or dtype, all_numbers):
        yield tuple(found[n] for n in names)


def _assignments(names: tuple[str, ...], dtype: str, other: str, all_numbers: bool) -> Iterator[dict[str, Any]]:
    have = set(names)
    if have & set("mnp"):
        for values in product(*[_LENGTHS if n == "p" else _COUNTS for n in names]):
            yield dict(zip(names, values, strict=True))
    elif have & set("uv"):
        numbers = NUMBERS if all_numbers or len(have & set("uv")) == 1 else FEW
        given = [(numbers, dtype), (FEW if other == "i64" else numbers, other)]  # of two large ints Python has powers that never end
        pools = [tuple(map(_PYTHON[d], some[d])) for n, (some, d) in zip("uv", given, strict=True) if n in have]
        for values in product(*pools):
            yield dict(zip([n for n in "uv" if n in have], values, strict=True))
    elif have & set("efgh"):
        cells = [n for n in "efg" if n in have]
        numbers = NUMBERS if len(cells) == 1 or all_numbers and len(cells) == 2 else FEW if all_numbers or len(cells) == 2 else FEWEST
        pools = [numbers[dtype if k == 0 else other] for k in range(len(cells))]
        pools += [_SMALL] if "h" in have else []
        columns = zip(*product(*pools), strict=True)
        kinds = [dtype, *[other] * (len(cells) - 1), "i64"]
        names = (*cells, "h") if "h" in have else tuple(cells)
        yield {n: _array(c, t) for n, c, t in zip(names, columns, kinds, strict=False)}
        yield {n: _array((), t) for n, t in zip(names, kinds, strict=False)}
    elif "T" in have:
        yield from ({"T": t} for t in blocks(dtype))
    elif have & set("SAC"):
        pool = squares(dtype) if "S" in have else matrices(dtype)
        for k, a in enumerate(pool):
            for b in _partners(matrices(other), a, k) if "B" in have else [None]:
                rows = a.shape[0]
                right = _array([1.5, -2.0, NAN][:rows] if k % 5 == 4 else [1.0, 2.0, -1.0][:rows], other if other[0] == "f" else "f64")
                for indices in _INDICES if "k" in have else [()]:
                    beside = _array([2.0, 0.0, -1.0][: a.shape[1]], dtype)  # of as many cells as a row
                    yield {"S": a, "A": a, "B": b, "b": right, "C": np.stack([right, right[::-1]], axis=1), "x": beside, "k": np.array(indices, dtype=np.int64)}
    elif "x" in have:
        for k, x in enumerate(vectors(dtype)):
            for y in _partners(vectors(other), x, k)[: 3 if all_numbers else 1] if "y" in have else [None]:
                for indices in _INDICES if "k" in have else [()]:
                    yield {"x": x, "y": y, "k": np.array(indices, dtype=np.int64)}
    elif "k" in have:
        yield from ({"k": np.array(indices, dtype=np.int64)} for indices in _INDICES)
    else:
        yield {}

