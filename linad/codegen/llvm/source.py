"""The syntax tree of a live function, from the file that defines it."""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from types import CodeType, FunctionType


class Unsupported(Exception):
    """The function can only be compiled by Numba's own pipeline."""


def tree_of(f: FunctionType) -> ast.FunctionDef:
    """The definition of a function at the top level of a module.

    Raises
    ------
    Unsupported
        If the file no longer contains the source that the function was compiled from.
    """
    code = f.__code__
    if f.__closure__:
        raise Unsupported(f"{f.__qualname__} is not at the top of a module")
    file = code.co_filename
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, f.__globals__))  # a file, a zip archive, or a module in memory
    try:
        found = _definitions(file, text).get(code.co_firstlineno)
    except (SyntaxError, ValueError) as error:
        raise Unsupported(str(error)) from None
    if found is None or found[1] != code:
        raise Unsupported(f"{file} is not what {f.__qualname__} was made from")
    return found[0]


@lru_cache(maxsize=16)
def _definitions(file: str, text: str) -> dict[int, tuple[ast.FunctionDef, CodeType]]:
    """The top-level functions of a file with their code objects, by first line."""
    tree = ast.parse(text, file)
    whole = compile(tree, file, "exec", dont_inherit=True)
    codes = {c.co_firstlineno: c for c in whole.co_consts if isinstance(c, CodeType)}
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first in codes:
                found[first] = node, codes[first]
    return found
