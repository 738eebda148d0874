"""Where derivatives flow: which floats and arrays each result of a statement depends on differentiably."""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ir.core import (
    AddArray, AddTo, Atom, Call, Copy, Dense, Fill, If, Let, Load, Loop, Stmt, Store, Var,
)
from linad_typecheck.linear.uses import Modes
from linad_typecheck.ops import OPS
from linad_typecheck.types import Array

Flow = tuple[Var, tuple[Atom, ...]]  # a variable or array, and what flows into it


def flows(s: Stmt, modes: Modes | None = None) -> Iterator[Flow]:
    """The flows of a statement itself. Those through a call need the ``modes`` of parameters: everything that it
    returns or may update depends on all arguments."""
    match s:
        case Let(out=v, op=op, ins=ins):
            yield v, tuple(ins[k] for k in OPS[op].diff)
        case Load(out=v, array=a) | Copy(out=v, array=a):
            yield v, (a,)
        case Store(array=a, value=v) | AddTo(array=a, value=v) | Fill(array=a, value=v) | AddArray(array=a, other=v):
            yield a, (v,)
        case Dense(op=op, updated=updated, read=read):
            for k, sources in DENSE[op].diff.items():
                yield updated[k], tuple(read[j] for j in sources)
        case If(then=a, orelse=b, outs=outs):
            yield from zip(outs, zip(a.results, b.results, strict=True), strict=True)
        case Loop():
            for c, i, n, o in zip(s.carried, s.inits, s.nexts, s.outs, strict=True):
                yield c, (i, n)
                yield o, (c, i)
        case Call(callee=callee, args=args, outs=outs) if modes is not None:
            changed = (a for a, m in zip(args, modes(callee), strict=True) if m != "read" and isinstance(a.type, Array))
            for v in (*outs, *changed):
                yield v, args  # type: ignore[misc]
