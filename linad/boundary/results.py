"""Result conversion: flat kernel results, gradients and cotangents, to and from the structures that users see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from linad_typecheck.signature import Leaf, RecordStructure, Structure
from linad_typecheck.types import F64, Array, Scalar, is_float

from .arguments import checked_array, described, leaves
from .entities import NUMPY_NAMES
from .records import make

_STRONG = {d: np.dtype(name).type for d, name in NUMPY_NAMES.items()}
_WEAK = _STRONG | {"f64": float, "i64": int, "bool": bool}


def leaf_types(structure: Structure) -> Iterator[Leaf]:
    """The leaves of a structure, in order."""
    if isinstance(structure, Leaf):
        yield structure
    else:
        for part in structure or ():
            yield from leaf_types(part)


def float_leaves(structure: Structure) -> tuple[Leaf, ...]:
    """The differentiable leaves."""
    return tuple(leaf for leaf in leaf_types(structure) if is_float(leaf.type))


def typed(leaf: Leaf, value: object) -> object:
    """A scalar result converted to the class that Python would return."""
    if isinstance(leaf.type, Array):
        return value
    return class_of(leaf)(value)


def class_of(leaf: Leaf) -> type:
    """The class of a scalar in Python."""
    return (_WEAK if leaf.weak else _STRONG)[leaf.type.dtype]


def restore(structure: Structure, values: dict[int, object] | Sequence[object]) -> object:
    """Flat results in their structure. ``values``: by leaf index; int leaves of a gradient are absent.

    Examples
    --------
    >>> from linad_typecheck.types import F64, I64
    >>> restore((Leaf(0, F64, weak=True), Leaf(1, I64, weak=True)), [1.0, 2])
    (1.0, 2)
    """
    if structure is None:
        return None
    if isinstance(structure, Leaf):
        try:
            return typed(structure, values[structure.index])
        except KeyError:
            return None
    parts = tuple(restore(part, values) for part in structure)
    return make(structure.tag, parts) if isinstance(structure, RecordStructure) else parts


def is_scalar_float(structure: Structure) -> bool:
    """Whether `grad` can differentiate a result."""
    return isinstance(structure, Leaf) and isinstance(structure.type, Scalar) and is_float(structure.type)


def cotangents(
    structure: Structure, value: object, primal: Sequence[object], where: str, like: str = "result"
) -> list[object]:
    """The flat cotangents (or tangents) of the float leaves, checked against the primal results (or arguments).

    Raises
    ------
    TypeError, ValueError
        If the structure, a dtype or a shape differs from that of the result.
    """
    if value.__class__ is float and isinstance(structure, Leaf) and structure.type == F64:
        return [value]
    flat: list[object] = []
    for leaf, x, place in leaves(structure, value, where, loose=True):
        if not is_float(leaf.type):
            continue
        if isinstance(leaf.type, Scalar):
            if isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "fiu":
                x = x[()]
            if not isinstance(x, (int, float, np.integer, np.floating)):
                raise TypeError(f"{place}: expected a float, got {described(x)}")
            flat.append(np.float32(x) if leaf.type.dtype == "f32" else float(x))
            continue
        if isinstance(x, np.ndarray) and x.dtype.kind in "iu":  # like numbers: SciPy tries operators with int arrays
            x = x.astype(NUMPY_NAMES[leaf.type.dtype])
        checked_array(leaf.type, x, place)
        shape = np.shape(primal[leaf.index])
        if x.shape != shape:
            raise ValueError(f"{place}: expected shape {shape}, that of the {like}, got {x.shape}")
        flat.append(np.array(x, order="C"))
    return flat


def zeros_for(leaf: Leaf, value: object) -> np.ndarray:
    """A new zero-filled gradient buffer for an array leaf."""
    return np.zeros(np.shape(value), dtype=NUMPY_NAMES[leaf.type.dtype])
