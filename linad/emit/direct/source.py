"""The syntax tree of a live function, from the file that it was defined in."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType


class Unsupported(Exception):
    """What only Numba's own pipeline compiles."""


def tree_of(f: FunctionType) -> ast.FunctionDef:
    """The definition of a function at the top of a module.

    Raises
    ------
    Unsupported
        Where the file does not hold, any more, what the function was compiled from.
    """
    code = f.__code__
    if f.__closure__ or code.co_filename.startswith("<"):
        raise Unsupported(f"{f.__qualname__} is not at the top of a module")
    try:
        status = Path(code.co_filename).stat()
        found = _definitions(code.co_filename, status.st_mtime_ns, status.st_size).get(code.co_firstlineno)
    except (OSError, SyntaxError, ValueError) as error:
        raise Unsupported(str(error)) from None
    if found is None or found[1] != code:
        raise Unsupported(f"{code.co_filename} is not what {f.__qualname__} was made from")
    return found[0]


@lru_cache(maxsize=16)
def _definitions(path: str, changed: int, size: int) -> dict[int, tuple[ast.FunctionDef, CodeType]]:
    """The functions at the top of a file with their code, by their first lines."""
    tree = ast.parse(Path(path).read_bytes(), path)
    whole = compile(tree, path, "exec", dont_inherit=True)
    codes = {c.co_firstlineno: c for c in whole.co_consts if isinstance(c, CodeType)}
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first in codes:
                found[first] = node, codes[first]
    return found
