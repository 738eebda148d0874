"""Usefulness: the values on which a result depends. Activity is propagated forward, usefulness backward.

A value that no result depends on differentiably, such as the best cell so far of a search loop, has a zero adjoint, so
its reverse need not run.
"""

from __future__ import annotations

from collections.abc import Callable

from linad_typecheck.ir.core import (
    AddArray, AddTo, Atom, Call, Copy, Dense, Fill, Function, If, Let, Load, Loop, Stmt, Store, Var, walk,
)
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ops import OPS
from linad_typecheck.types import Array, is_float

Key = Callable[[Var], str]


def useful(f: Function, key: Key, results: tuple[Atom, ...] = ()) -> set[str]:
    """The values and alias groups, by `Facts.key`, on which a result or an updated parameter may depend."""
    found: set[str] = set()

    def is_useful(*atoms: Atom) -> bool:
        return any(isinstance(a, Var) and is_float(a.type) and key(a) in found for a in atoms)

    def mark(*atoms: Atom) -> None:
        found.update(key(a) for a in atoms if isinstance(a, Var) and is_float(a.type))

    mark(*f.body.results, *results, *(p.var for p in f.params if isinstance(p.var.type, Array) and p.mode != "read"))
    stmts = list(walk(f.body))[::-1]
    while True:
        before = len(found)
        for s in stmts:
            _back(s, is_useful, mark)
        if len(found) == before:
            return found


def _back(s: Stmt, is_useful: Callable[..., bool], mark: Callable[..., None]) -> None:
    """The transfer function of usefulness for one statement, from outputs to operands."""
    match s:
        case Let(out=v, op=op, ins=ins):
            if is_useful(v):
                mark(*(ins[k] for k in OPS[op].diff))
        case Load(out=v, array=a) | Copy(out=v, array=a):
            if is_useful(v):
                mark(a)
        case Store(array=a, value=v) | AddTo(array=a, value=v) | Fill(array=a, value=v):
            if is_useful(a):
                mark(v)
        case AddArray(array=a, other=b):
            if is_useful(a):
                mark(b)
        case Dense(op=op, updated=updated, read=read):
            for k, sources in DENSE[op].diff.items():
                if is_useful(updated[k]):
                    mark(*(read[j] for j in sources))
        case If(then=then, orelse=orelse, outs=outs):
            for o, a, b in zip(outs, then.results, orelse.results, strict=True):
                if is_useful(o):
                    mark(a, b)
        case Loop(carried=carried, inits=inits, body=body, outs=outs):
            nexts = body.results[1:] if s.exits else body.results
            for c, i, n, o in zip(carried, inits, nexts, outs, strict=True):
                if is_useful(c, o):
                    mark(c, i, n)
        case Call(args=args, outs=outs):  # as a whole: the reverse of a call takes the adjoints of all its results
            if is_useful(*args, *outs):
                mark(*args, *outs)
