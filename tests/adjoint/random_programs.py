"""Random core programs: nests of loops, arms and array updates that people would not write, all of them legal.

Arrays are float of rank 0 to 2 or int of rank 1, each axis of the size of ``x``; indices are taken modulo that size.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dim, Fill, Function, If, Let, Load, Loop, Names, Param,
    Program, Stmt, Store, Var,
)
from linad_typecheck.types import BOOL, F64, I64, Array, Scalar, Type

VECTOR, MATRIX, CELL, INTS = Array("f64", 1), Array("f64", 2), Array("f64", 0), Array("i64", 1)
_KINDS = (VECTOR, VECTOR, VECTOR, MATRIX, CELL, INTS)


@dataclass
class Scope:
    """What a place can mention: scalars by type, readable, writable and movable arrays."""

    scalars: dict[Type, list[Atom]]
    read: list[Var] = field(default_factory=list)
    write: list[Var] = field(default_factory=list)
    move: list[Var] = field(default_factory=list)

    def fork(self, moving: bool) -> Scope:
        scalars = {t: list(v) for t, v in self.scalars.items()}
        return Scope(scalars, list(self.read), list(self.write), list(self.move) if moving else [])

    def gone(self, v: Var) -> None:
        for names in (self.read, self.write, self.move):
            names[:] = [w for w in names if w.name != v.name]

    def add(self, v: Var) -> None:
        if isinstance(v.type, Array):
            for names in (self.read, self.write, self.move):
                names.append(v)
        else:
            self.scalars[v.type].append(v)


class Maker:
    """Makes one program from a seed."""

    def __init__(self, seed: int, size: int = 14, depth: int = 3) -> None:
        self.r = random.Random(seed)
        self.names = Names()
        self.n = Var("n", I64)
        self.size, self.depth = size, depth

    def program(self) -> Program:
        helper = self.function("g", self.size // 3, self.r.random() < 0.6, None)
        main = self.function("f", self.size, self.r.random() < 0.5, helper)
        return Program("f", {"f": main, "g": helper})

    def function(self, name: str, size: int, updates: bool, helper: Function | None) -> Function:
        self.helper = helper
        x, w, c, k = Var("x", VECTOR), Var("w", F64), Var("c", F64), Var("k", I64)
        q = Var("q", INTS)
        y = Var("y", VECTOR)
        params = [Param(x, "read"), Param(w, "own"), Param(c, "own"), Param(k, "own"), Param(q, "read")]
        scope = Scope(
            {F64: [w, c, Const(0.7, F64), Const(-0.4, F64)], I64: [k, self.n, Const(1, I64)], BOOL: [Const(True, BOOL)]}
        )
        scope.read += [x, x, q]
        if updates:
            params.append(Param(y, "mut"))
            scope.read.append(y)
            scope.write += [y, y]
        self.names = Names({p.var.name for p in params} | {"n"})
        out: list[Stmt] = [Dim(self.n, x, 0)]
        self.fill(scope, out, size, self.depth)
        results: list[Atom] = [self.pick(scope, F64)]
        if helper is not None and self.r.random() < 0.7:
            results += scope.move[-4:]
        if self.r.random() < 0.3:
            results.append(self.pick(scope, F64))
        return Function(name, tuple(params), Block(tuple(out), tuple(results)))

    # -- operands

    def pick(self, scope: Scope, t: Type) -> Atom:
        known = scope.scalars[t]
        return (
            known[-1 - min(int(self.r.expovariate(0.4)), len(known) - 1)]
            if self.r.random() < 0.7
            else self.r.choice(known)
        )

    def let(self, out: list[Stmt], t: Scalar, op: str, *ins: Atom, hint: str) -> Var:
        v = self.names.var(hint, t)
        out.append(Let(v, op, ins))
        return v

    def index(self, scope: Scope, out: list[Stmt], rank: int) -> tuple[Atom, ...]:
        return tuple(self.let(out, I64, "mod", self.pick(scope, I64), self.n, hint="j") for _ in range(rank))

    def condition(self, scope: Scope, out: list[Stmt]) -> Atom:
        if self.r.random() < 0.2:
            return self.pick(scope, BOOL)
        t = F64 if self.r.random() < 0.6 else I64
        a, b = self.pick(scope, t), self.pick(scope, t)
        if t == F64 and self.r.random() < 0.5:
            b = Const(self.r.choice([0.0, 0.3, 0.6]), F64)
        return self.let(out, BOOL, self.r.choice(["lt", "gt", "le", "ne"]), a, b, hint="b")

    # -- statements

    def fill(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        while size > 0:
            kinds = "scalar scalar load load store store addto int fill alloc copy addarray".split()
            if depth > 0 and size > 2:
                kinds += ["branch", "branch", "loop", "loop", "loop", "loop"]
            if self.helper is not None and self.r.random() < 0.3:
                kinds.append("call")
            size -= getattr(self, "make_" + self.r.choice(kinds))(scope, out, size, depth) or 1

    def make_scalar(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        a, b = self.pick(scope, F64), self.pick(scope, F64)
        match self.r.randrange(9):
            case 0 | 1 | 2:
                ins = self.r.choice([("mul", a, b), ("add", a, b), ("sub", a, b)])
                v = self.let(out, F64, *ins, hint="e")
                v = self.let(out, F64, self.r.choice(["sin", "tanh"]), v, hint="e") if self.r.random() < 0.4 else v
            case 3 | 4:
                v = self.let(out, F64, self.r.choice(["sin", "cos", "tanh", "neg", "abs"]), a, hint="e")
            case 5:
                v = self.let(out, F64, self.r.choice(["min", "max"]), a, b, hint="e")
            case 6:
                v = self.let(out, F64, "select", self.condition(scope, out), a, b, hint="e")
            case 7:
                square = self.let(out, F64, "powi", a, Const(2, I64), hint="e")
                more = self.let(out, F64, "add", square, Const(1.0, F64), hint="e")
                v = (
                    self.let(out, F64, "sqrt", more, hint="e")
                    if self.r.random() < 0.5
                    else self.let(out, F64, "div", b, more, hint="e")
                )
            case _:
                v = self.let(out, F64, "cast", self.pick(scope, I64), hint="e")
                v = self.let(out, F64, "sin", v, hint="e")
        scope.add(v)

    def make_int(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        a, b = self.pick(scope, I64), self.pick(scope, I64)
        match self.r.randrange(4):
            case 0:
                v = self.let(out, I64, self.r.choice(["add", "sub"]), a, b, hint="i")
            case 1:
                v = self.let(out, I64, "mod", a, Const(3, I64), hint="i")
            case 2:
                f = self.let(out, F64, "sin", self.pick(scope, F64), hint="e")
                f = self.let(out, F64, "mul", f, Const(3.3, F64), hint="e")
                v = self.let(out, I64, "cast", f, hint="i")
            case _:
                v = self.let(out, I64, "select", self.condition(scope, out), a, b, hint="i")
        scope.add(v)

    def make_load(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        a = self.r.choice(scope.read)
        v = self.names.var("e" if a.type.dtype == "f64" else "i", Scalar(a.type.dtype))
        out.append(Load(v, a, self.index(scope, out, a.type.rank)))
        scope.add(v)

    def make_store(self, scope: Scope, out: list[Stmt], size: int, depth: int, op: type = Store) -> None:
        if scope.write:
            a = self.r.choice(scope.write)
            out.append(op(a, self.index(scope, out, a.type.rank), self.pick(scope, Scalar(a.type.dtype))))

    def make_addto(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        self.make_store(scope, out, size, depth, AddTo)

    def make_fill(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        if scope.write and self.r.random() < 0.5:
            a = self.r.choice(scope.write)
            out.append(Fill(a, self.pick(scope, Scalar(a.type.dtype))))

    def make_alloc(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        t = self.r.choice(_KINDS)
        v = self.names.var("v" if t.dtype == "f64" else "p", t)
        fill = Const(self.r.choice([0.0, 0.5]), F64) if t.dtype == "f64" else Const(self.r.choice([0, 2]), I64)
        out.append(Alloc(v, (self.n,) * t.rank, fill))
        scope.add(v)

    def make_copy(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        a = self.r.choice(scope.read)
        v = self.names.var("v", a.type)
        out.append(Copy(v, a))
        scope.add(v)

    def make_addarray(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        pairs = [
            (a, b)
            for a in scope.write
            for b in scope.read
            if a.name != b.name and a.type == b.type and a.type.dtype == "f64"
        ]
        if pairs:
            out.append(AddArray(*self.r.choice(pairs)))

    def make_call(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> None:
        assert self.helper is not None
        args: list[Atom] = []
        for p in self.helper.params:
            if isinstance(p.var.type, Scalar):
                args.append(self.pick(scope, p.var.type))
                continue
            taken = {a.name for a in args if isinstance(a.type, Array)} if p.mode == "mut" else set()
            fits = [
                a
                for a in (scope.write if p.mode == "mut" else scope.read)
                if a.type == p.var.type and a.name not in taken
            ]
            if not fits:
                return
            args.append(self.r.choice(fits))
        outs = tuple(self.names.var("g", r.type) for r in self.helper.body.results)
        out.append(Call(outs, "g", tuple(args)))
        for o in outs:
            scope.add(o)

    # -- regions

    def arm_results(self, scope: Scope, inner: Scope, types: list[Type]) -> list[Atom] | None:
        results: list[Atom] = []
        for t in types:
            if isinstance(t, Scalar):
                results.append(self.pick(inner, t))
                continue
            fits = [a for a in inner.move if a.type == t]
            if not fits:
                return None
            a = self.r.choice(fits)
            inner.gone(a)
            results.append(a)
        return results

    def make_branch(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> int:
        cond = self.condition(scope, out)
        inside = max(1, size // 2)
        types: list[Type] = [self.r.choice([F64, F64, I64, BOOL]) for _ in range(self.r.randrange(3))]
        if scope.move and self.r.random() < 0.4:
            types.append(self.r.choice(scope.move).type)
            if self.r.random() < 0.4:
                types.append(types[-1])
        arms: list[Block] = []
        moved: list[Var] = []
        for _ in range(2):
            inner = scope.fork(moving=True)
            stmts: list[Stmt] = []
            self.fill(inner, stmts, self.r.randrange(inside + 1), depth - 1)
            for t in types:
                if isinstance(t, Array) and sum(a.type == t for a in inner.move) < types.count(t):
                    source = [a for a in inner.read if a.type == t]
                    v = self.names.var("v", t)
                    stmts.append(
                        Copy(v, self.r.choice(source))
                        if source
                        else Alloc(v, (self.n,) * t.rank, Const(0 if t.dtype == "i64" else 0.0, Scalar(t.dtype)))
                    )
                    inner.add(v)
            results = self.arm_results(scope, inner, types)
            assert results is not None
            moved += [a for a in scope.move if all(a.name != b.name for b in inner.move)]
            arms.append(Block(tuple(stmts), tuple(results)))
        outs = tuple(self.names.var("r", t) for t in types)
        out.append(If(cond, *arms, outs))
        for a in moved:
            scope.gone(a)
        for o in outs:
            scope.add(o)
        return inside + 1

    def make_loop(self, scope: Scope, out: list[Stmt], size: int, depth: int) -> int:
        inside = max(1, size // 2)
        inner = scope.fork(moving=False)
        types: list[Type] = [self.r.choice([F64, F64, F64, I64, BOOL]) for _ in range(self.r.randrange(3))]
        inits: list[Atom] = [self.pick(scope, t) for t in types]
        for _ in range(2):
            if scope.move and self.r.random() < 0.35:
                a = self.r.choice(scope.move)
                scope.gone(a)
                inner.gone(a)
                types.append(a.type)
                inits.append(a)
        index = self.names.var("i", I64)
        exits = self.r.random() < 0.35
        forever = exits and self.r.random() < 0.5
        carried = [self.names.var("s", t) for t in types]
        start, stop, step = self.bounds(scope, out)
        stmts: list[Stmt] = []
        inner.add(index)
        for c in carried:
            inner.add(c)
        self.fill(inner, stmts, self.r.randrange(1, inside + 1), depth - 1)
        again: list[Atom] = []
        if exits:
            on = self.condition(inner, stmts)
            if forever:
                few = self.let(stmts, BOOL, "lt", index, Const(self.r.randrange(4), I64), hint="b")
                on = self.let(stmts, BOOL, "and", on, few, hint="b")
            again.append(on)
        arrays = [c for c in carried if isinstance(c.type, Array)]
        results: list[Atom] = []
        for c in carried:
            if isinstance(c.type, Scalar):
                results.append(self.pick(inner, c.type))
                continue
            fits = [a for a in inner.move if a.type == c.type and (a in arrays or self.r.random() < 0.5)]
            if not fits:
                v = self.names.var("v", c.type)
                stmts.append(
                    Alloc(v, (self.n,) * c.type.rank, Const(0 if c.type.dtype == "i64" else 0.5, Scalar(c.type.dtype)))
                )
                fits = [v]
            a = self.r.choice(fits)
            inner.gone(a)
            results.append(a)
        outs = [self.names.var("s", t) for t in types]
        trips = self.names.var("t", I64) if exits and self.r.random() < 0.5 else None
        if forever:
            start, stop, step = Const(0, I64), None, Const(1, I64)
        out.append(
            Loop(
                index,
                start,
                stop,
                step,
                tuple(carried),
                tuple(inits),
                Block(tuple(stmts), (*again, *results)),
                tuple(outs),
                exits,
                trips,
            )
        )
        for o in outs:
            scope.add(o)
        if trips is not None:
            scope.add(trips)
        return inside + 1

    def bounds(self, scope: Scope, out: list[Stmt]) -> tuple[Atom, Atom, Const]:
        step = Const(self.r.choice([1, 1, 1, -1, 2, -2]), I64)
        low: Atom = Const(self.r.choice([0, 1]), I64)
        high: Atom = Const(self.r.randrange(4), I64)
        if self.r.random() < 0.5:
            high = self.let(out, I64, "mod", self.pick(scope, I64), Const(4, I64), hint="m")
        if self.r.random() < 0.2:
            low = self.let(out, I64, "mod", self.pick(scope, I64), Const(3, I64), hint="m")
        return (low, high, step) if step.value > 0 else (high, low, step)


def random_program(seed: int, size: int = 14, depth: int = 3) -> Program:
    """A random program; the same for the same seed."""
    return Maker(seed, size, depth).program()
