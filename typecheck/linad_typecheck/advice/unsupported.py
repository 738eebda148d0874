"""Constructs outside the language, each with a replacement."""

from __future__ import annotations

import ast


REWRITES: dict[type[ast.AST], tuple[str, str]] = {
    ast.ClassDef: ("a class", "use tuples and functions"),
    ast.AsyncFunctionDef: ("an async function", "use a plain function"),
    ast.AsyncFor: ("`async for`", "use a plain `for`"),
    ast.AsyncWith: ("`async with`", "do I/O outside the function"),
    ast.Await: ("`await`", "do I/O outside the function"),
    ast.With: ("`with`", "do it around the call of the function"),
    ast.Try: ("`try`", "test the condition with an `if` before it can fail"),
    ast.Global: ("`global`", "pass the value as a parameter and return the new one"),
    ast.Nonlocal: (
        "`nonlocal` for a name that is not bound before the inner function",
        "bind it first, or return the new value",
    ),
    ast.Match: ("`match`", "use `if` and `elif`"),
    ast.Dict: ("a dict", "use separate names, or an array with int indices"),
    ast.ListComp: ("a list comprehension", "make an array of it: `np.array([... for ...])`"),
    ast.DictComp: ("a dict comprehension", "use an array and a loop"),
    ast.GeneratorExp: ("a generator", "use a loop"),
    ast.Yield: ("`yield` in the differentiated function itself", "fill an array and return it"),
    ast.YieldFrom: ("`yield from` in the differentiated function itself", "fill an array and return it"),
    ast.JoinedStr: ("a formatted string", "format it outside the function"),
    ast.FormattedValue: ("a formatted string", "format it outside the function"),
    ast.Starred: ("a starred expression", "write the elements out"),
    ast.Slice: ("a slice", "write a loop over the cells"),
    ast.Constant: ("this literal", "use float, int or bool"),
}
