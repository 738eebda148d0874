"""Whether the outcome of a test depends on types."""

from __future__ import annotations

import ast


def about_types(test: ast.expr) -> bool:
    """Whether a test depends on types. While a type is unknown, either arm may turn out to be dead."""
    for n in ast.walk(test):
        match n:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ASKED:
                return True
            case ast.expr(of=ast.Try()):  # whether its block raises
                return True
            case ast.Attribute(attr="ndim" | "dtype"):
                return True
            case ast.Compare(ops=[ast.Is() | ast.IsNot(), *_]):
                return True
            case ast.Compare(comparators=[ast.Constant(value=str()), *_]):
                return True
    return False


_ASKED = tuple(
    "isinstance hasattr callable type isscalar iterable issubdtype ndim iscomplexobj isrealobj shape len issparse "
    "isspmatrix is_masked isMaskedArray isMA".split()
)
