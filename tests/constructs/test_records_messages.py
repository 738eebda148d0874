"""What is refused about records: by code, with the place and the way to write it, from the text alone."""

import ast

import pytest
from linad_typecheck.check import check
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule

HEADER = """\
import collections
import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple
import numpy as np
from jaxtyping import Float64
from elsewhere import Base, wrapped

N = collections.namedtuple("N", "a b")
class P(NamedTuple):
    w: Float64[np.ndarray, "n"]
    b: float = 2.0
    def norm(self): return self.b
@dataclass(frozen=True)
class D:
    a: float
    b: float = 1.0
    LIMIT: ClassVar[int] = 3
    @property
    def half(self): return self.a / 2
@dataclass
class Mutable:
    a: float
@dataclass(frozen=True)
class Checks:
    a: float
    def __post_init__(self): pass
@dataclass(frozen=True)
class Computes:
    a: float = field(init=False)
class Derived(P):
    def __new__(cls, w): return super().__new__(cls, w, 1.0)
class Plain: pass
class Indexed(NamedTuple):
    a: float
    def __getitem__(self, k): return 0.0
class Tree(NamedTuple):
    left: "Tree"
class Unknown(Base): pass
@wrapped
class Decorated: pass
@dataclass(frozen=True)
class Inherits(Base):
    a: float
"""
REFUSED = {
    "mutable parameter": ("unsupported", "p: Mutable", "p.a = 2.0\nreturn p.a", "which its caller sees"),
    "mutable of another attribute": ("unsupported", "c: float", "m = Mutable(c)\nm.b = 2.0\nreturn m.a", "`.b`"),
    "post init": ("unsupported", "c: float", "return Checks(c).a", "`__post_init__`"),
    "computed field": ("unsupported-annotation", "p: Computes", "return p.a", "computes its field `a`"),
    "derived named tuple": ("unsupported-annotation", "p: Derived", "return p.b", "`__new__`"),
    "plain class": ("unsupported-annotation", "p: Plain", "return p.b", "the class `Plain`"),
    "own indexing": ("unsupported-annotation", "p: Indexed", "return p.a", "`__getitem__`"),
    "holds itself": ("unsupported-annotation", "p: Tree", "return 0.0", "holds itself"),
    "no such field": ("wrong-type", "p: P", "return p.c", "`P` has no field `c`"),
    "equality of arrays": ("wrong-type", "p: P", "return 1.0 if p == p else 0.0", "arrays by `np.array_equal`"),
    "order": ("wrong-type", "p: D", "return 1.0 if p < p else 0.0", "one by one"),
    "identity": ("unsupported", "p: D, q: D", "return 1.0 if p is q else 0.0", "`is`"),
    "assigned field": ("unsupported", "c: float", "p = D(c)\np.a = 1.0\nreturn p.a", "p = dataclasses.replace(p, a=...)"),
    "updated field": ("unsupported", "c: float", "p = N(c, c)\np.a += 1.0\nreturn p.a", "p = p._replace(a=...)"),
    "updated array field": ("unsupported", "c: float", "p = P(np.zeros(2), c)\np.w += 1.0\nreturn p.b", "`p.w[:] = ...`"),
    "dataclass unpacked": ("wrong-type", "p: D", "a, b = p\nreturn a", "has fields only"),
    "dataclass indexed": ("wrong-type", "p: D", "return p[0]", "has fields only"),
    "dataclass iterated": ("wrong-type", "p: D", "for a in p:\n    return a\nreturn 0.0", "has fields only"),
    "dataclass sized": ("wrong-type", "p: D", "return len(p)", "`len`"),
    "missing": ("bad-call", "c: float", "return D().a", "`D` is called without `a`"),
    "twice": ("bad-call", "c: float", "return D(c, a=c).a", "`a` twice"),
    "too many": ("bad-call", "c: float", "return N(c, c, c).a", "takes 2 positional"),
    "unknown keyword": ("bad-call", "c: float", "return N(c, z=c).a", "no field `z`"),
    "replace unknown": ("bad-call", "c: float", "return N(c, c)._replace(z=c).a", "no field `z`"),
    "replace by position": ("bad-call", "c: float", "return N(c, c)._replace(c).a", "by name"),
    "replace named tuple": ("wrong-type", "c: float", "return dataclasses.replace(N(c, c), a=c).a", "_replace"),
    "_asdict": ("unsupported", "c: float", "N(c, c)._asdict()\nreturn c", "one by one"),
    "_make": ("unsupported", "c: float", "return N._make((c, c)).a", "call the class"),
    "attribute of a tuple": ("unsupported", "p: tuple[float, float]", "return p.a", "of a tuple"),
    "two classes in a loop": ("type-changes", "c: float", "p = D(c)\nfor i in range(3):\n    if c > i:\n        p = N(c, p.a)\nreturn p.a", "`p` is"),
    "two results": ("mixed-returns", "c: float", "if c > 0.0:\n    return D(c)\nreturn N(c, c)", "one path returns"),
    "parameter bound and updated": (
        "alias-escapes", "p: P, c: bool", "u = np.zeros(2)\nif c:\n    u = p.w\nu[0] = 1.0\nreturn u", "belongs to the caller",
    ),
    "parameter updated": ("argument-updated", "p: P", "p.w[0] = 1.0\nreturn p.b", "updat"),
    "array in two places": ("stored-twice", "c: float", "u = np.zeros(2)\nq = N(u, u if c > 0.0 else np.ones(2))\nq.a[0] = c\nreturn q.b[0]", "two places"),
    "used under another name": ("use-after-move", "c: float", "u = np.zeros(2)\nq = P(u if c > 0.0 else np.ones(2))\nq.w[0] = c\nreturn u[0]", "`q.w`"),
    "returned twice": ("returned-twice", "c: float", "def g(v):\n    u = np.full(2, v)\n    return N(u, u[1:])\nq = g(c)\nreturn q.a[0] + q.b[0]", "twice"),
}
QUIET = {  # what the text does not decide is not reported
    "unknown base": ("p: Unknown", "return p.a"),
    "unknown decorator": ("c: float", "return Decorated(c).a"),
    "unknown parent of a dataclass": ("c: float", "return Inherits(c, 2.0).a"),
    "sum of unknown tuples": ("p", "q = p + (1.0,)\nreturn q[0]"),
    "unknown fields": ("p: N", "a, b = p\nreturn a * b + p[0]"),
}


def found(params, body):
    text = HEADER + f"def f({params}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    ast.parse(text)
    return check(StaticModule(SourceFile("f.py", text)).scope.lookup("f").function, {}), len(HEADER.splitlines())


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    slug, params, body, told = REFUSED[case]
    checked, above = found(params, body)
    errors = [d for d in checked.diagnostics if d.severity != "warning"]  # what is said of an annotation is a hint
    assert checked.program is None and [d.slug for d in errors] == [slug]
    assert all(d.span.line > above for d in errors)
    d = errors[0]
    assert told in " ".join((d.message, *d.notes, *(f.message for f in d.fixes)))
    assert d.fixes or d.notes or slug in ("bad-call", "mixed-returns", "wrong-type")


@pytest.mark.parametrize("case", QUIET)
def test_not_reported(case):
    checked, _ = found(*QUIET[case])
    assert [d for d in checked.diagnostics if d.severity == "error"] == [] and checked.program is None
