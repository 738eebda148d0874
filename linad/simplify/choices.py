"""A branch that only chooses between ints is a `select`.

``ip = i + 1 if i < n - 1 else 0`` then is arithmetic like other indices: it is computed again where it is needed, not logged, what it
cannot exceed is known (`linad/emit/ranges.py`), and no branch keeps the loop from being divided (`linad/emit/split.py`).
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import Block, Function, If, Let, Loop, Stmt
from linad_typecheck.types import BOOL, INTS, Scalar

MOST = 6  # operations of both arms together
# operations on ints and bools that cannot fail
_FREE = frozenset("add sub mul neg min max wrap select and or not lt le gt ge eq ne".split())


def choose(f: Function) -> Function:
    """The function with such branches computed on both sides."""
    return replace(f, body=_block(f.body))


def _block(b: Block) -> Block:
    return replace(b, stmts=tuple(t for s in b.stmts for t in _stmt(s)))


def _stmt(s: Stmt) -> tuple[Stmt, ...]:
    match s:
        case Loop(body=body):
            return (replace(s, body=_block(body)),)
        case If():
            s = replace(s, then=_block(s.then), orelse=_block(s.orelse))
            return _chosen(s) if _is_choice(s) else (s,)
    return (s,)


def _is_choice(s: If) -> bool:
    inside = (*s.then.stmts, *s.orelse.stmts)
    free = all(isinstance(t, Let) and t.op in _FREE and _is_int(t.out.type) and all(_is_int(a.type) for a in t.ins) for t in inside)
    return bool(s.outs) and all(_is_int(v.type) for v in s.outs) and len(inside) <= MOST and free


def _is_int(t: object) -> bool:
    return t == BOOL or isinstance(t, Scalar) and t.dtype in INTS


def _chosen(s: If) -> tuple[Stmt, ...]:
    choices = (Let(v, "select", (s.cond, a, b), s.span) for v, a, b in zip(s.outs, s.then.results, s.orelse.results, strict=True))
    return (*s.then.stmts, *s.orelse.stmts, *choices)
