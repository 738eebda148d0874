"""The functions of the prelude, found by their decorators in the text of its modules and parsed at their first call."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

# names under which prelude modules import libraries
LIBRARIES = {
    "np": "numpy", "math": "math", "sp": "scipy.special", "sx": "scipy.interpolate", "sf": "scipy.fft",
    "sg": "scipy.signal", "sn": "scipy.ndimage",
}  # fmt: skip
_SHAPELESS = ("ndim", "dtype", "shape", "size")  # attributes that read no cell
_DERIVATIVES = {"slope_of", "jacobian_of"}
_SEVERAL = (ast.ListComp, ast.GeneratorExp, ast.Lambda)


@dataclass(eq=False)
class Definition:
    """A function of the prelude."""

    module: str
    name: str
    implements: tuple[str, ...]
    text: str
    elementwise: bool = False  # a function of numbers, applied to arrays elementwise
    updates: bool = False  # changes a list or an object that it is given
    transpose: str = ""  # of a linear function: the function of the module that is its transpose

    @property
    def key(self) -> str:
        """The name of the function in calls from the prelude."""
        return f"%{self.module}.{self.name}"

    @cached_property
    def node(self) -> ast.FunctionDef:
        (node,) = ast.parse(self.text).body
        assert isinstance(node, ast.FunctionDef)
        if ast.get_docstring(node) is not None:
            del node.body[0]
        return node

    @property
    def yields(self) -> bool:
        """Whether it is a generator function."""
        return " yield " in self.text

    @cached_property
    def loops(self) -> bool:
        """Whether it is known to contain a loop, or a function, which captures names and not their values."""
        return any(isinstance(n, ast.While | ast.Lambda) for n in ast.walk(self.node))

    @cached_property
    def anywhere(self) -> bool:
        """Whether calls at several places may share a core function: it takes no derivatives, which are declared for
        the place of one call, and neither do the functions of the prelude that it calls."""
        todo, seen = [self], {self.key}
        while todo:
            d = todo.pop()
            names = {n.id for n in ast.walk(d.node) if isinstance(n, ast.Name)}
            if names & _DERIVATIVES:
                return False
            called = [definitions().get(f"%{d.module}.{name}") for name in sorted(names)]
            todo += [c for c in called if c is not None and c.key not in seen]
            seen.update(c.key for c in called if c is not None)
        return True

    @cached_property
    def stored(self) -> frozenset[str]:
        """The names that it binds, without its parameters."""
        return frozenset(n.id for n in ast.walk(self.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))

    def uses(self, rest: Sequence[Sequence[ast.stmt]], name: str) -> int:
        """The maximum number of reads of a name on a path through consecutive lists of statements, until the name is
        rebound.

        A read in a loop counts as two.
        """
        for k, body in enumerate(rest):
            for j, s in enumerate(body):
                left = (body[j + 1 :], *rest[k + 1 :])
                match s:
                    case ast.If(test=test, body=then, orelse=orelse):
                        return _reads(test, name) + max(self.uses((arm, *left), name) for arm in (then, orelse))
                    case ast.Return() | ast.Raise():
                        return _reads(s, name)
                    case ast.Assign(targets=targets, value=value) if any(_binds(t, name) for t in targets):
                        return _reads(value, name)
                    case ast.For(iter=over, body=body_, target=target):
                        again = 0 if _binds(target, name) else 2 * sum(_reads(x, name) for x in body_)
                        return _reads(over, name) + again + self.uses(left, name)
                found = _reads(s, name)
                if found:
                    return found + self.uses(left, name)
        return 0


def _reads(node: ast.AST, name: str) -> int:
    return _counted(node).get(name, 0)


def _counted(node: ast.AST) -> Mapping[str, int]:
    """How often a node reads each name; it is kept with the node, because each call of a function asks again."""
    kept = vars(node)
    if "counted" not in kept:
        kept["counted"] = _count(node)
    return kept["counted"]


def _count(node: ast.AST) -> Mapping[str, int]:
    match node:
        case ast.Name(id=name):
            return {name: 1}
        case ast.Attribute(
            value=ast.Name() | ast.Call(func=ast.Attribute(attr="asarray"), args=[ast.Name()]), attr=attr
        ):
            if attr in _SHAPELESS:
                return {}
        case ast.Call(func=ast.Name(id="len" | "isinstance"), args=[ast.Name(), *_]):
            return {}
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return {}
    times = 2 if isinstance(node, _SEVERAL) else 1
    found: dict[str, int] = {}
    for n in ast.iter_child_nodes(node):
        for name, count in _counted(n).items():
            found[name] = found.get(name, 0) + times * count
    return found


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(target))


@cache
def definitions() -> dict[str, Definition]:
    """The functions of the prelude, by the library functions that they implement and by their keys."""
    found: dict[str, Definition] = {}
    for file in sorted(Path(__file__).parents[1].joinpath("prelude").glob("[a-z]*.py")):
        for d in read(file.stem, file.read_text(encoding="utf-8")):
            found[d.key] = d
            found.update(dict.fromkeys(d.implements, d))
    return found


def read(module: str, text: str) -> list[Definition]:
    """The functions of a module. They are separated by two blank lines."""
    found = []
    for part in text.split("\n\n\n"):
        head, is_function, body = ("\n" + part).partition("\ndef ")
        if is_function:
            kind = head.rstrip().rpartition("\n@")[2]
            names = tuple(kind.split('"')[1::2])
            name = body[: body.index("(")]
            how = [kind.startswith(mark) for mark in ("elementwise", "updates")]
            transpose = kind[len("linear(") : -1] if kind.startswith("linear(") else ""
            found.append(Definition(module, name, names, f"def {body}", *how, transpose))
    return found
