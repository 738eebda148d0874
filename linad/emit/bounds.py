"""Index checks: which accesses are in range by proof, which by a test before a loop, and which by a test of their own."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import AddTo, Block, Check, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names
from linad_typecheck.core import Atom, base_name
from linad_typecheck.span import Span
from linad_typecheck.types import BOOL, I64

Access = Load | Store | AddTo


def check_accesses(f: Function, hoist: bool, indexed: dict[int, tuple[str, int]]) -> Function:
    names = Names(all_names(f))

    def block(b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case Load() | Store() | AddTo() if s.checked:
                    for axis, i in enumerate(s.index):
                        out.extend(explicit(names, s.array, axis, i, s.span, indexed))
                    out.append(replace(s, checked=False))
                case If():
                    out.append(replace(s, then=block(s.then), orelse=block(s.orelse)))
                case Loop():
                    out.append(replace(s, body=block(s.body)))
                case _:
                    out.append(s)
        return Block(tuple(out), b.results)

    return replace(f, body=block(f.body))


def explicit(
    names: Names, array: Var, axis: int, index: Atom, span: Span, indexed: dict[int, tuple[str, int]]
) -> list[Stmt]:
    """A test of one index where it is used. A user's index that was negative is reported as it was written."""
    size, low, high, ok = names.var("size"), names.var("low", BOOL), names.var("high", BOOL), names.var("ok", BOOL)
    negative, shown, back = names.var("negative", BOOL), names.var("shown"), names.var("back")
    zero = Const(0, I64)
    name = base_name(array.name)
    check = Check(
        ok,
        "IndexError",
        f"index {{0}} is out of bounds for axis {axis} of {name} with size {{1}}",
        (shown, size),
        span,
    )
    indexed[id(check)] = (name, axis)
    return [
        Dim(size, array, axis, span),
        Let(low, "le", (zero, index), span),
        Let(high, "lt", (index, size), span),
        Let(ok, "and", (low, high), span),
        Let(negative, "lt", (index, zero), span),
        Let(back, "sub", (index, size), span),
        Let(shown, "select", (negative, back, index), span),
        check,
    ]
