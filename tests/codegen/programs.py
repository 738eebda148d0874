"""Random well-formed core programs: nested loops and branches, carried values that swap, arrays that change names."""

from __future__ import annotations

import random

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, Function, If, Let, Load, Loop, Names, Param, Program, Stmt, Store, Var,
)
from linad_typecheck.types import BOOL, F64, I64, Array

VECTOR, INDICES = Array("f64", 1), Array("i64", 1)
ONE, ZERO = Const(1, I64), Const(0, I64)


class Maker:
    """Makes one program from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = Names()
        self.budget = 26

    def program(self) -> Program:
        x, y, ix = Var("x", VECTOR), Var("y", VECTOR), Var("ix", INDICES)
        w, n = Var("w", F64), Var("n", I64)
        for v in (x, y, ix, w, n):
            self.names.fresh(v.name)
        m, u = self.names.var("m"), self.names.var("u", VECTOR)
        v = self.names.var("v", VECTOR)
        start: list[Stmt] = [Dim(m, x, 0), Alloc(u, (m,), Const(0.5, F64)), Copy(v, x)]
        scalars: list[Var] = [w, n, m]
        body = self.block(3, scalars, {"x": x, "y": y, "ix": ix, "u": u, "v": v}, ["u", "v"])
        results = tuple(self.pick([*scalars, *self.last_scalars], F64) for _ in range(2))
        block = Block((*start, *body), (*results, self.last["u"], self.pick([*scalars, *self.last_scalars], I64)))
        params = (Param(x, "read"), Param(y, "mut"), Param(ix, "read"), Param(w, "own"), Param(n, "own"))
        return Program("f", {"f": Function("f", params, block)})

    def pick(self, scalars: list[Var], type) -> Atom:
        have = [v for v in scalars if v.type == type]
        if type == F64:
            literal = Const(self.rng.choice([0.5, -1.5, 2.0]), F64)
            return self.rng.choice(have) if have and self.rng.random() < 0.85 else literal
        if type == BOOL:
            return self.rng.choice(have) if have else Const(self.rng.random() < 0.5, BOOL)
        literal = Const(self.rng.choice([-1, 0, 1, 2, 3]), I64)
        return self.rng.choice(have) if have and self.rng.random() < 0.8 else literal

    def block(self, depth: int, scalars: list[Var], arrays: dict[str, Var], own: list[str]) -> tuple[Stmt, ...]:
        """Statements; what they define stays in ``scalars`` and ``arrays``."""
        out: list[Stmt] = []
        for _ in range(self.rng.randint(2, 5)):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.one(depth, scalars, arrays, own, out)
        self.last, self.last_scalars = dict(arrays), list(scalars)
        return tuple(out)

    def one(self, depth: int, scalars: list[Var], arrays: dict[str, Var], own: list[str], out: list[Stmt]) -> None:
        r = self.rng.random()
        if depth and r < 0.25:
            self.loop(depth - 1, scalars, arrays, own, out)
        elif depth and r < 0.4:
            self.branch(depth - 1, scalars, arrays, own, out)
        elif r < 0.5:
            a = arrays[self.rng.choice(["y", *own])]
            make = self.rng.choice([Store, AddTo])
            out.append(make(a, (self.index(a, scalars, out),), self.pick(scalars, F64)))
        elif r < 0.65:
            a = arrays[self.rng.choice(["x", "y", *own])]
            e = self.names.var("e", F64)
            out.append(Load(e, a, (self.index(a, scalars, out),)))
            scalars.append(e)
        elif r < 0.72:
            j = self.names.var("j")
            out.append(Load(j, arrays["ix"], (self.index(arrays["ix"], scalars, out),)))
            scalars.append(j)
        elif r < 0.8:
            c = self.names.var("c", BOOL)
            t = self.rng.choice([F64, I64])
            out.append(Let(c, self.rng.choice(["lt", "le", "eq"]), (self.pick(scalars, t), self.pick(scalars, t))))
            scalars.append(c)
        elif r < 0.9:
            i = self.names.var("k")
            out.append(Let(i, self.rng.choice(["add", "sub"]), (self.pick(scalars, I64), self.pick(scalars, I64))))
            scalars.append(i)
        else:
            t = self.names.var("t", F64)
            operands = (self.pick(scalars, F64), self.pick(scalars, F64))
            out.append(Let(t, self.rng.choice(["add", "sub", "mul", "max"]), operands))
            scalars.append(t)

    def index(self, a: Var, scalars: list[Var], out: list[Stmt]) -> Atom:
        i = self.pick(scalars, I64)
        if self.rng.random() < 0.3:
            k = self.names.var("i")
            out.append(Let(k, self.rng.choice(["add", "sub"]), (i, ONE)))
            i = k
        if self.rng.random() < 0.15:  # otherwise most programs end with the first access
            n, k = self.names.var("n"), self.names.var("j")
            out += [Dim(n, a, 0), Let(k, "wrap", (i, n))]
            return k
        if self.rng.random() < 0.6:
            n, k, b = self.names.var("n"), self.names.var("q"), self.names.var("b")
            out += [Dim(n, a, 0), Let(b, "max", (n, ONE)), Let(k, "mod", (i, b))]
            return k
        return i

    def carry(self, scalars: list[Var], arrays: dict[str, Var], own: list[str]):
        inits: list[Atom] = [self.pick(scalars, F64), self.pick(scalars, F64), self.pick(scalars, I64)]
        carried = [self.names.var("a", F64), self.names.var("b", F64), self.names.var("k")]
        swap = bool(own) and self.rng.random() < 0.4
        if swap:
            inits += [arrays[o] for o in own]
            carried += [self.names.var(o, VECTOR) for o in own]
        return inits, carried, swap

    def next(
        self, inner: list[Var], carried: list[Var], arrays: dict[str, Var], own: list[str], swap: bool
    ) -> tuple[Atom, ...]:
        kind = self.rng.random()
        a, b, k = carried[:3]
        if kind < 0.35:
            values: list[Atom] = [b, a, self.pick(inner, I64)]
        elif kind < 0.5:
            values = [b, self.pick(inner, F64), k]
        else:
            values = [self.pick(inner, F64), self.pick(inner, F64), self.pick(inner, I64)]
        if swap:
            mine = [arrays[o] for o in own]
            self.rng.shuffle(mine)
            values += mine
        return tuple(values)

    def loop(self, depth: int, scalars: list[Var], arrays: dict[str, Var], own: list[str], out: list[Stmt]) -> None:
        inits, carried, swap = self.carry(scalars, arrays, own)
        i = self.names.var("i")
        inner, within = [*scalars, i, *carried[:3]], dict(arrays)
        if swap:
            within.update(zip(own, carried[3:], strict=True))
        exits = self.rng.random() < 0.4
        while_ = exits and self.rng.random() < 0.5
        body = list(self.block(depth, inner, within, own))
        values = self.next(inner, carried, within, own, swap)
        if exits:
            stop, go, fine = self.names.var("c", BOOL), self.names.var("go", BOOL), self.names.var("fine", BOOL)
            body += [Let(stop, "lt", (i, Const(self.rng.randint(1, 5), I64))), Let(fine, "or", (stop, stop))]
            body += [Let(go, "and", (fine, self.pick([v for v in inner if v.type != BOOL or v in inner], BOOL)))]
            values = (go, *values)
            if self.rng.random() < 0.5:
                extra = list(self.block(depth - 1, list(inner), dict(within), [])) if depth > 0 else []
                outs = tuple(self.names.var("r", v.type) for v in values)
                again = (Const(True, BOOL), *values[1:])
                out_values = (Const(False, BOOL), *self.next(inner, carried, within, own, swap))
                body.append(If(go, Block(tuple(extra), again), Block((), out_values), outs))
                values = outs
        outs = tuple(self.names.var(c.name, c.type) for c in carried)
        trips = self.names.var("trips") if exits and self.rng.random() < 0.6 else None
        back = Const(-1, I64)
        first, last, step = self.rng.choice([(ZERO, None, ONE), (ONE, None, ONE), (None, back, back)])
        m = next(v for v in scalars if v.name == "m")
        if first is None:
            first = self.names.var("last")
            out.append(Let(first, "sub", (m, ONE)))
        else:
            last = self.rng.choice([m, m, Const(3, I64)])
        if while_:
            first, last, step = ZERO, None, ONE
        block = Block(tuple(body), values)
        out.append(Loop(i, first, last, step, tuple(carried), tuple(inits), block, outs, exits, trips))
        scalars += outs[:3]
        if trips is not None:
            scalars.append(trips)
        if swap:
            arrays.update(zip(own, outs[3:], strict=True))

    def branch(self, depth: int, scalars: list[Var], arrays: dict[str, Var], own: list[str], out: list[Stmt]) -> None:
        cond = self.pick(scalars, BOOL)
        swap = bool(own) and self.rng.random() < 0.3
        blocks = []
        for _ in range(2):
            inner, within = list(scalars), dict(arrays)
            # a nested loop may rename the arrays, which both arms would have to agree on
            body = self.block(depth, inner, within, own if swap else [])
            values: list[Atom] = [self.pick(inner, F64), self.pick(inner, I64)]
            if swap:
                mine = [within[o] for o in own]
                self.rng.shuffle(mine)
                values += mine
            blocks.append(Block(body, tuple(values)))
        outs = (self.names.var("s", F64), self.names.var("h"))
        if swap:
            outs += tuple(self.names.var(o, VECTOR) for o in own)
        out.append(If(cond, *blocks, outs))
        scalars += outs[:2]
        if swap:
            arrays.update(zip(own, outs[2:], strict=True))
