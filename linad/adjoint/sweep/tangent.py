"""Forward differentiation: emit the tangent of each statement after it, from the same table of partial derivatives as
reverse mode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dense, Fill, Function, If, Let, Load, Loop, Names, Param,
    Reserve, Stmt, Store, Var, all_names, base_name,
)
from linad_typecheck.linear.uses import Modes
from linad_typecheck.ops import OPS
from linad_typecheck.types import Scalar, is_float

from ...derivatives.table import RULES, Point
from ...derivatives.linalg import RULES as MATRICES
from ...derivatives.matrices import Matrices
from ..facts.activity import Facts, analyse_activity
from ..plan.dense import active_positions, arrays_of


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The result of `forward`. ``requests``: tangents of recursive functions that the function calls."""

    function: Function
    requests: dict[str, tuple[str, tuple[int, ...]]]


def forward(f: Function, modes: Modes, wrt: Iterable[str], name: str) -> Forwarded:
    """The function that computes ``f`` and its directional derivative.

    Parameters
    ----------
    f
        In the form without `Dup`, `Drop` and `Read`.
    wrt
        Names of the float parameters that have a tangent.

    Returns
    -------
    Forwarded
        ``function``: its parameters are those of ``f``, then the tangents of the parameters in ``wrt`` and of updated
        ones, with the same modes. Its results are those of ``f``, then the tangent of each float result.

    Notes
    -----
    One sweep that interleaves value and tangent and logs nothing: Griewank and Walther, Evaluating Derivatives, section
    3.1.
    """
    wrt = set(wrt)
    facts = analyse_activity(f, modes, wrt)
    walk = Forward(facts, Names(all_names(f)))
    given = []
    for p in f.params:
        if is_float(p.var.type) and (p.var.name in wrt or facts.is_active(p.var) and p.mode in ("mut", "acc")):
            dot = walk.names.var(f"{base_name(p.var.name)}_dot", p.var.type)
            walk.dots[p.var.name] = dot
            given.append(Param(dot, p.mode, linear=True, like=p.var.name))
    stmts = walk.block(f.body)
    tangents = []
    for r in f.body.results:
        if is_float(r.type):
            tangents.append(walk.result(r, stmts))
    body = Block(tuple(stmts), (*f.body.results, *tangents))
    return Forwarded(Function(name, (*f.params, *given), body, f.span), walk.requests)


@dataclass
class Forward:
    """The walk over the statements. ``suffix``: ends the names of tangents of callees."""

    suffix: ClassVar[str] = "jvp"
    facts: Facts
    names: Names
    dots: dict[str, Atom] = field(default_factory=dict)
    requests: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    def active(self, a: Atom) -> bool:
        return self.facts.is_active(a)

    def dot(self, a: Atom) -> Atom:
        """The tangent of a scalar; zero if it is inactive."""
        return self.dots.get(a.name, Const(0.0, a.type)) if isinstance(a, Var) else Const(0.0, a.type)

    def new(self, v: Var) -> Var:
        dot = self.names.var(f"{base_name(v.name)}_dot", v.type)
        self.dots[v.name] = dot
        return dot

    def result(self, r: Atom, out: list[Stmt]) -> Atom:
        """The tangent of a result; zeros for an inactive array."""
        if isinstance(r.type, Scalar) or self.active(r):
            return self.dot(r)
        zeros = self.names.var(f"{base_name(r.name)}_dot", r.type)
        out += [Copy(zeros, r), Fill(zeros, Const(0.0, Scalar(r.type.dtype)))]
        return zeros

    def block(self, block: Block) -> list[Stmt]:
        out: list[Stmt] = []
        for s in block.stmts:
            match s:
                case If():
                    self.branch(s, out)
                case Loop():
                    self.loop(s, out)
                case Call():
                    self.call(s, out)
                case _:
                    out.append(s)
                    self.tangent(s, out)
        return out

    def tangent(self, s: Stmt, out: list[Stmt]) -> None:
        """Emit the tangent of a simple statement."""
        match s:
            case Let(out=v) if self.active(v):
                self.let(s, out)
            case Load(out=v, array=a, index=i) if self.active(a):
                out.append(Load(self.new(v), self.dots[a.name], i, False, s.span))
            case Store(array=a, index=i, value=e) if self.active(a):
                out.append(Store(self.dots[a.name], i, self.dot(e), False, s.span))
            case AddTo(array=a, index=i, value=e) if self.active(a) and self.active(e):
                out.append(AddTo(self.dots[a.name], i, self.dot(e), False, s.span))
            case Alloc(out=v, shape=shape) if self.active(v):
                # each cell of a log is stored before it is loaded, and so is its tangent
                fill = None if s.fill is None and s.log != "no" else Const(0.0, Scalar(v.type.dtype))
                out.append(Alloc(self.new(v), shape, fill, s.span, s.log))
            case Copy(out=v, array=a) if self.active(v):
                if self.active(a):
                    out.append(Copy(self.new(v), self.dots[a.name], s.span))
                else:
                    out += [
                        Copy(self.new(v), a, s.span),
                        Fill(self.dots[v.name], Const(0.0, Scalar(v.type.dtype)), s.span),
                    ]
            case AddArray(array=a, other=b) if self.active(a) and self.active(b):
                out.append(AddArray(self.dots[a.name], self.dots[b.name], s.span))
            case Dense(op=op, updated=updated) if op in MATRICES and any(map(self.active, updated)):
                self.dense(s, out)
            case Fill(array=a, value=e) if self.active(a):
                out.append(Fill(self.dots[a.name], self.dot(e), s.span))
            case Reserve(array=a, size=n) if self.active(a):
                out.append(Reserve(self.dots[a.name], n, s.span))

    def dense(self, s: Dense, out: list[Stmt]) -> None:
        arrays, active = arrays_of(s), active_positions(s, self.facts)
        m = Matrices(self.names, span=s.span, array_hint="dot")
        MATRICES[s.op].forward(m, s, lambda k: self.dots[arrays[k].name] if k in active else None)
        out += m.stmts

    def let(self, s: Let, out: list[Stmt]) -> None:
        rule = RULES[s.op]
        builder = Builder(self.names, span=s.span, hint=f"{base_name(s.out.name)}_dot")
        total: Atom = Const(0.0, s.out.type)
        for k in OPS[s.op].diff:
            slope = rule.slopes[k]
            if slope is None or not self.active(s.ins[k]):
                continue
            seed = self.dot(s.ins[k])
            if seed.type != s.out.type:
                seed = builder.op("cast", seed, type=s.out.type)
            total = builder.add(total, rule.apply(k, Point(builder, s.ins, s.out), seed))
        out += builder.stmts
        self.dots[s.out.name] = total

    def branch(self, s: If, out: list[Stmt]) -> None:
        moving = [k for k, o in enumerate(s.outs) if self.active(o)]
        arms = []
        for arm in (s.then, s.orelse):
            stmts = self.block(arm)
            arms.append(Block(tuple(stmts), (*arm.results, *(self.dot(arm.results[k]) for k in moving))))
        out.append(replace(s, then=arms[0], orelse=arms[1], outs=(*s.outs, *(self.new(s.outs[k]) for k in moving))))

    def loop(self, s: Loop, out: list[Stmt]) -> None:
        moving = [k for k, c in enumerate(s.carried) if self.active(c)]
        inits = tuple(self.dot(s.inits[k]) for k in moving)
        carried = tuple(self.new(s.carried[k]) for k in moving)
        stmts = self.block(s.body)
        body = Block(tuple(stmts), (*s.body.results, *(self.dot(s.nexts[k]) for k in moving)))
        outs = tuple(self.new(s.outs[k]) for k in moving)
        out.append(
            replace(s, carried=(*s.carried, *carried), inits=(*s.inits, *inits), outs=(*s.outs, *outs), body=body)
        )

    def call(self, s: Call, out: list[Stmt]) -> None:
        """Call the tangent of a function that is not inlined, for the active arguments."""
        moving = tuple(k for k, a in enumerate(s.args) if self.active(a))
        if not self.facts.passes_on(s):
            out.append(s)
            return
        name = self.request(s, moving)
        dots = tuple(self.new(o) for o in s.outs if is_float(o.type))
        out.append(Call((*s.outs, *dots), name, (*s.args, *(self.dot(s.args[k]) for k in moving)), s.span))

    def request(self, s: Call, moving: tuple[int, ...]) -> str:
        """The name of the tangent of a callee, which is requested."""
        name = f"{s.callee}_{self.suffix}_{'_'.join(map(str, moving))}"
        self.requests[name] = (s.callee, moving)
        return name
