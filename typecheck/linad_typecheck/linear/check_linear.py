"""The linear checker: every float scalar and every array has one definition and one use.

It accepts exactly the programs in which an in-place update cannot be observed through another name. It is run on the
linear form of a user's program and on every program that differentiation generates. It shares nothing with the passes
that write these programs but the table of uses.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.core import Block, Function, If, Loop, Param, Program, Read, Stmt, Var, outputs
from ..types import Array, is_linear
from .check_aliases import NotLinear as NotLinear
from .check_aliases import check_aliases
from .uses import Modes, modes_of, uses

# What a function may do with an array parameter of each mode. One to be filled is written before it is read.
_WRITTEN = {"borrow", "accumulate", "update"}
_ALLOWED = {"read": {"borrow"}, "acc": {"accumulate"}, "mut": _WRITTEN, "out": _WRITTEN}


def check_linear(program: Program) -> None:
    """Raise `NotLinear` unless the program is linear.

    Every linear value is used exactly once, every borrow respects the mode of its parameter, and no copy that stands
    for an array can be observed.
    """
    modes = modes_of(program.functions)
    for f in program.functions.values():
        _Checker(f, modes).function()
    check_aliases(program)


class _Checker:
    def __init__(self, f: Function, modes: Modes) -> None:
        self.f, self.modes = f, modes
        self.lent: dict[str, Param] = {
            p.var.name: p for p in f.params if isinstance(p.var.type, Array) and p.mode != "own"
        }

    def fail(self, what: str, s: Stmt | None = None) -> None:
        where = f" at {s.span}" if s is not None and s.span.line else ""
        raise NotLinear(f"{self.f.name}: {what}{where}: {s}"[:600])

    def function(self) -> None:
        owned = {p.var.name for p in self.f.params if is_linear(p.var.type) and p.var.name not in self.lent}
        self.scope(self.f.body, owned, set(self.lent))

    def scope(self, block: Block, owned: set[str], visible: set[str]) -> None:
        """Check a block that must use up what it owns. The names in ``visible`` may be borrowed, and their arrays
        updated in place."""
        left = self.block(block, set(owned), visible)
        if left:
            self.fail(f"{sorted(left)} neither used nor dropped", block.stmts[-1] if block.stmts else None)

    def block(self, block: Block, live: set[str], visible: set[str]) -> set[str]:
        """The names of ``live`` that are left after the block. Arms may consume what the outer block owns."""
        for s in block.stmts:
            self.statement(s, live, visible)
        for r in block.results:
            if isinstance(r, Var) and is_linear(r.type):
                self.consume(r, live, None)
        return live

    def statement(self, s: Stmt, live: set[str], visible: set[str]) -> None:
        touched: dict[str, list[str]] = {}
        for v, use in uses(s, self.modes):
            if use == "consume":
                self.consume(v, live, s)
                if v.name in touched:
                    self.fail(f"{v.name} is lent and moved at once", s)
            elif v.name not in live and v.name not in visible:
                self.fail(f"{v.name} is {use}ed after it was moved or dropped", s)
            else:
                touched.setdefault(v.name, []).append(use)
                self.respect_mode(v, use, s)
        for name, kinds in touched.items():
            if len(kinds) > 1 and set(kinds) not in ({"borrow"}, {"accumulate"}):
                self.fail(f"{name} is lent twice, once to be updated", s)
        match s:
            case If(then=then, orelse=orelse):
                after = [self.block(arm, set(live), visible) for arm in (then, orelse)]
                if after[0] != after[1]:
                    self.fail(f"the arms leave {sorted(after[0] ^ after[1])} in different states", s)
                if not after[0] <= live:
                    self.fail(f"{sorted(after[0] - live)} neither used nor dropped in an arm", s)
                live &= after[0]
            case Loop(carried=carried, body=body):
                self.scope(body, {c.name for c in carried if is_linear(c.type)}, visible | live)
            case Read(x=x) if isinstance(x.type, Array):
                self.fail(f"read of the array {x.name}", s)
        self.define(outputs(s), live, s)

    def consume(self, v: Var, live: set[str], s: Stmt | None) -> None:
        if v.name not in live:
            self.fail(f"{v.name} is used again, or is only lent, where it is moved or used up", s)
        live.discard(v.name)

    def respect_mode(self, v: Var, use: str, s: Stmt) -> None:
        param = self.lent.get(v.name)
        if param is None:
            return
        if use not in _ALLOWED[param.mode] and not _is_shape_question(s):
            self.fail(f"parameter {v.name} of mode {param.mode} is {use}ed", s)

    def define(self, outs: Iterable[Var], live: set[str], s: Stmt) -> None:
        for v in outs:
            if is_linear(v.type):
                if v.name in live:
                    self.fail(f"{v.name} is defined twice", s)
                live.add(v.name)


def _is_shape_question(s: Stmt) -> bool:
    """Whether a statement only reads a shape. It does not touch cells, so it is allowed on an `acc` parameter."""
    return type(s).__name__ == "Dim"
