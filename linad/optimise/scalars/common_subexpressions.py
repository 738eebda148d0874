"""Common subexpressions: factorise a matrix once for `solve(S, b)`, `slogdet(S)` and `inv(S)`.

**Transformation.** Common-subexpression elimination of dense factorisations (`constant_folding.py` handles scalars).

**Before.** ``lu1, p1 = lu &S; lu2, p2 = lu &S``
**After.** ``lu1, p1 = lu &S``

**Legality.** Neither the matrix nor the arrays of the factors are written in between. Only compiler-generated arrays
are shared, which no user variable refers to.

**Profitability.** Always: a factorisation takes O(n**3) operations.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Call, Dense, Function, If, Loop, Stmt, Var, blocks, walk, writes
from linad_typecheck.ir.rewrite import in_blocks, rebuild
from linad_typecheck.types import Array

_SHARED = ("lu",)
Known = dict[tuple[str, str, tuple[str, ...]], tuple[Var, ...]]


def share_factorisations(f: Function) -> Function:
    """Eliminate repeated factorisations of the same matrix."""
    count = Counter(s.op for s in walk(f.body) if isinstance(s, Dense))
    if not any(count[op] > 1 for op in _SHARED):
        return f
    return replace(f, body=_Sharing(_written_once(f)).block(f.body, {}, {}))


def _touched(s: Stmt) -> list[Var]:
    """The arrays that a statement may write to or rename, including those of nested statements."""
    found: list[Var] = []
    for x in (s, *(t for b in blocks(s) for t in walk(b))):
        found += writes(x)
        match x:
            case Call(args=args):
                found += [a for a in args if isinstance(a, Var) and isinstance(a.type, Array)]
            case Loop(inits=inits, body=body):
                found += [a for a in (*inits, *body.results) if isinstance(a, Var) and isinstance(a.type, Array)]
            case If(then=a, orelse=b):
                found += [r for r in (*a.results, *b.results) if isinstance(r, Var) and isinstance(r.type, Array)]
    return found


def _written_once(f: Function) -> frozenset[str]:
    """The arrays that are written by exactly one statement and never renamed."""
    count: Counter[str] = Counter()
    for s in walk(f.body):
        count.update(v.name for v in _touched(in_blocks(s, lambda b: Block(()))))
        for b in blocks(s):
            count.update(r.name for r in b.results if isinstance(r, Var))
    count.update(r.name for r in f.body.results if isinstance(r, Var))
    return frozenset(name for name, n in count.items() if n == 1)


class _Sharing:
    def __init__(self, once: frozenset[str]) -> None:
        self.once = once

    def block(self, b: Block, known: Known, names: dict[str, Atom]) -> Block:
        known, names, out = dict(known), dict(names), []

        def use(a: Atom) -> Atom:
            return names.get(a.name, a) if isinstance(a, Var) else a

        for s in b.stmts:
            inside = dict(known)
            if isinstance(s, Loop):  # the body may see its own changes from the previous iteration
                _forget(inside, s)
            s = rebuild(s, use, block=lambda inner, inside=inside: self.block(inner, inside, names))
            key = (s.op, s.flags, tuple(v.name for v in s.read)) if isinstance(s, Dense) and s.op in _SHARED else None
            mine = key is not None and all(v.name in self.once for v in s.updated)
            if mine and key in known:
                names |= {old.name: new for old, new in zip(s.updated, known[key], strict=True)}
                continue
            _forget(known, s)
            if mine:
                known[key] = s.updated
            out.append(s)
        return Block(tuple(out), tuple(map(use, b.results)))


def _forget(known: Known, s: Stmt) -> None:
    """Drop the factorisations that a statement invalidates."""
    gone = {v.name for v in _touched(s)}
    for key in [k for k, held in known.items() if gone & {*k[2], *(v.name for v in held)}]:
        del known[key]
