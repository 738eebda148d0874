"""Where derivatives flow: which floats and arrays each result of a statement depends on differentiably, and which are
linear in adjoints or tangents."""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ir.core import (
    AddArray, AddTo, Atom, Call, Copy, Dense, Fill, Function, If, Let, Load, Loop, Stmt, Store, Var, walk,
)
from linad_typecheck.linear.uses import Modes
from linad_typecheck.ops import OPS
from linad_typecheck.types import Array, is_float

from .alias import alias_groups

# operations that are linear in an adjoint operand
LINEAR = ("add", "sub", "mul", "div", "neg", "select", "cast")

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


def linear_values(f: Function) -> set[str]:
    """The names of values and arrays computed linearly from the linear parameters of a function, which are
    adjoints and tangents."""
    if not any(p.linear for p in f.params):
        return set()
    group = alias_groups(f)

    def name(v: Var) -> str:
        return group(v.name) if isinstance(v.type, Array) else v.name

    onwards: dict[str, list[str]] = {}
    for s in walk(f.body):
        for out, ins in flows(s):
            if isinstance(s, Let):
                ins = () if s.op not in LINEAR else s.ins[:1] if s.op == "div" else s.ins
            for a in ins if is_float(out.type) else ():
                if isinstance(a, Var):
                    onwards.setdefault(name(a), []).append(name(out))
    found: set[str] = set()
    todo = [name(p.var) for p in f.params if p.linear]
    while todo:
        if (here := todo.pop()) not in found:
            found.add(here)
            todo += onwards.get(here, ())
    return found
