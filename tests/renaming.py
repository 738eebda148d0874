"""Programs with other names for their variables, and whether two core programs differ in names alone."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Iterator

from linad_typecheck.ir.core import Program, defined
from linad_typecheck.ir.text import print_program

Rename = Callable[[str, int], str]  # of a name, and its place among all that are renamed

WAYS: dict[str, Rename] = {
    "as adjoints": lambda name, k: f"{name}_bar",
    "in another order": lambda name, k: f"v{999 - k}",
    "as sizes": lambda name, k: f"{name}_n",
    "as logs": lambda name, k: f"log_{name}",
    "as temporaries": lambda name, k: f"t{k}",
    "as each other's adjoints": lambda name, k: f"v{k // 4}" + "_bar" * (k % 4),
    "as tangents": lambda name, k: f"{name}_dot",
    "as snapshots": lambda name, k: f"snap_{name}",
    "with numbers": lambda name, k: f"{name}_{k}",
}


def renamed(text: str, way: Rename) -> str:
    """The text of a module whose functions have other names for their parameters and variables."""
    module = ast.parse(text)
    functions = [s for s in module.body if isinstance(s, ast.FunctionDef)]
    others = [s for s in module.body if not isinstance(s, ast.FunctionDef)]
    taken = {n.id for s in others for n in ast.walk(s) if isinstance(n, ast.Name)}
    taken |= {a.asname or a.name for s in others if isinstance(s, ast.Import | ast.ImportFrom) for a in s.names}
    own = {f.name for f in functions}
    taken |= own | set(dir(builtins))
    found = dict.fromkeys(n for f in functions for n in _bound(f) if n not in taken)
    new = {n: way(n, k) for k, n in enumerate(found)}
    assert len(set(new.values())) == len(new), "two variables have one name"
    assert not any(n in taken or keyword.iskeyword(n) for n in new.values())
    for n in (n for f in functions for n in ast.walk(f)):
        match n:
            case ast.Name(id=name):
                n.id = new.get(name, name)
            case ast.arg(arg=name):
                n.arg = new.get(name, name)
            case ast.FunctionDef(name=name):
                n.name = new.get(name, name)
            case ast.Call(func=ast.Name(id=callee), keywords=keywords) if callee in own:
                for k in keywords:
                    k.arg = new.get(k.arg, k.arg)
    return ast.unparse(module)


def _bound(f: ast.FunctionDef) -> Iterator[str]:
    for n in ast.walk(f):
        match n:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) if n is not f:
                yield name


_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|(?P<name>[^\W\d][\w$@#.]*)|[\d.]+(?:e[+-]?\d+)?(?:[fi]\d\d)?|\S')


def difference(one: Program, two: Program) -> str:
    """The first place where two programs differ in more than the names of variables, each of one for one of the other,
    and in texts of messages; empty where there is none."""
    variables, others = ({v.name for f in p.functions.values() for v in defined(f)} for p in (one, two))
    pair: dict[str, str] = {}
    back: dict[str, str] = {}
    first, second = print_program(one).splitlines(), print_program(two).splitlines()
    for here, there in zip(first, second, strict=False):
        tokens = zip(_TOKEN.finditer(here), _TOKEN.finditer(there), strict=False)
        for a, b in tokens:
            if a["name"] in variables and b["name"] in others:
                same = pair.setdefault(a[0], b[0]) == b[0] and back.setdefault(b[0], a[0]) == a[0]
            else:
                same = a[0] == b[0] or a[0][0] == b[0][0] == '"'
            if not same:
                return f"{here.strip()}   |   {there.strip()}"
    return "" if len(first) == len(second) else f"{len(first)} lines, {len(second)} lines"
