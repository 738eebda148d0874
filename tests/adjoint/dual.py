"""Forward mode by dual numbers on the core, written apart from the rest of linad: what gradients are compared with."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dim, Drop, Dup, Fill, If, Let, Load, Loop, Program,
    Read, Reserve, Stmt, Store,
)
from linad_typecheck.types import Array, is_float


@dataclass(frozen=True, slots=True)
class Dual:
    """A value and its derivative in one direction."""

    v: float
    d: float = 0.0


def _unary(f: Callable[[float], float], slope: Callable[[float, float], float]) -> Callable[[Dual], Dual]:
    def apply(x: Dual) -> Dual:
        v = f(x.v)
        return Dual(v, slope(x.v, v) * x.d)

    return apply


def _powi(x: Dual, k: int) -> Dual:
    return Dual(x.v**k, 0.0 if k == 0 else k * x.v ** (k - 1) * x.d)


FLOAT: Mapping[str, Callable] = {
    "add": lambda a, b: Dual(a.v + b.v, a.d + b.d),
    "sub": lambda a, b: Dual(a.v - b.v, a.d - b.d),
    "neg": lambda a: Dual(-a.v, -a.d),
    "mul": lambda a, b: Dual(a.v * b.v, a.d * b.v + a.v * b.d),
    "div": lambda a, b: Dual(a.v / b.v, (a.d - a.v / b.v * b.d) / b.v),
    "powi": _powi,
    "sin": _unary(math.sin, lambda x, y: math.cos(x)),
    "cos": _unary(math.cos, lambda x, y: -math.sin(x)),
    "tanh": _unary(math.tanh, lambda x, y: 1.0 / math.cosh(x) ** 2),
    "exp": _unary(math.exp, lambda x, y: y),
    "log": _unary(math.log, lambda x, y: 1.0 / x),
    "sqrt": _unary(math.sqrt, lambda x, y: 0.5 / y),
    "abs": _unary(abs, lambda x, y: float(np.sign(x))),
    "sign": lambda a: Dual(float(np.sign(a.v))),
    "floor": lambda a: Dual(float(math.floor(a.v))),
    "max": lambda a, b: b if b.v > a.v else a,
    "min": lambda a, b: b if b.v < a.v else a,
    "cosh": _unary(math.cosh, lambda x, y: math.sinh(x)),
}
_COMPARE = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
PLAIN: Mapping[str, Callable] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "trips": lambda a, b, c: len(range(a, b, c)),
    "wrap": lambda i, n: i + n if i < 0 else i,
    "bitand": operator.and_,
    "bitor": operator.or_,
    "bitxor": operator.xor,
}


@dataclass(frozen=True)
class Outcome:
    """Results, and the parameters as they are afterwards."""

    results: list[object]
    params: dict[str, object]


class Machine:
    """Runs a program on duals; arrays are NumPy arrays of objects. Undefined cells are nan, so reading one shows."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def run(self, args: Sequence[object]) -> Outcome:
        return self.call(self.program.entry, args)

    def call(self, name: str, args: Sequence[object]) -> Outcome:
        f = self.program.functions[name]
        env = {p.var.name: a for p, a in zip(f.params, args, strict=True)}
        results = self.block(f.body, env)
        return Outcome(results, {p.var.name: env[p.var.name] for p in f.params})

    def block(self, b: Block, env: dict[str, object]) -> list[object]:
        for s in b.stmts:
            self.statement(s, env)
        return [self.value(r, env) for r in b.results]

    @staticmethod
    def value(a: Atom, env: Mapping[str, object]) -> object:
        if isinstance(a, Const):
            return Dual(float(a.value)) if is_float(a.type) else a.value
        return env[a.name]

    def cell(self, array: object, index: tuple[Atom, ...], env: Mapping[str, object], s: Stmt) -> tuple[int, ...]:
        at = tuple(self.value(i, env) for i in index)
        assert all(0 <= i < n for i, n in zip(at, array.shape, strict=True)), (str(s), at, array.shape)
        return at

    def statement(self, s: Stmt, env: dict[str, object]) -> None:
        def of(a: Atom) -> object:
            return self.value(a, env)

        match s:
            case Let(o, op, ins):
                env[o.name] = self.operation(s, op, [of(a) for a in ins])
            case Dup(a, b, x):
                env[a.name] = env[b.name] = of(x)
            case Read(o, x):
                env[o.name] = of(x)
            case Drop():
                pass
            case Load(o, a, i):
                env[o.name] = of(a)[self.cell(of(a), i, env, s)]
            case Store(a, i, x):
                of(a)[self.cell(of(a), i, env, s)] = of(x)
            case AddTo(a, i, x):
                at = self.cell(of(a), i, env, s)
                of(a)[at] = self.plus(of(a)[at], of(x))
            case Dim(o, a, k):
                env[o.name] = of(a).shape[k]
            case Alloc(o, shape, fill):
                new = np.empty(tuple(map(of, shape)), object)
                undefined = Dual(math.nan, math.nan) if is_float(o.type) else -999
                for at in np.ndindex(new.shape):
                    new[at] = undefined if fill is None else of(fill)
                env[o.name] = new
            case Copy(o, a):
                env[o.name] = of(a).copy()
            case AddArray(a, b):
                assert of(a).shape == of(b).shape
                for at in np.ndindex(of(a).shape):
                    of(a)[at] = self.plus(of(a)[at], of(b)[at])
            case Fill(a, x):
                for at in np.ndindex(of(a).shape):
                    of(a)[at] = of(x)
            case Reserve(a, n):
                old = of(a)
                if old.shape[0] < of(n):
                    new = np.empty(max(of(n), 2 * old.shape[0]), object)
                    new[:] = Dual(math.nan, math.nan) if is_float(a.type) else -999
                    new[: old.shape[0]] = old
                    env[a.name] = new
            case If(c, then, orelse, outs):
                for o, x in zip(outs, self.block(then if of(c) else orelse, env), strict=True):
                    env[o.name] = x
            case Loop():
                self.loop(s, env)
            case Call(outs, callee, args):
                done = self.call(callee, [of(a) for a in args])
                for a, x in zip(args, done.params.values(), strict=True):
                    if isinstance(a.type, Array):
                        env[a.name] = x  # the same array, or the longer one that a log has been replaced by
                for o, x in zip(outs, done.results, strict=True):
                    env[o.name] = x
            case Check(c, _, message):
                assert of(c), message

    def plus(self, a: object, b: object) -> object:
        return FLOAT["add"](a, b) if isinstance(a, Dual) else a + b

    def operation(self, s: Let, op: str, ins: list[object]) -> object:
        if op == "select":
            return ins[1] if ins[0] else ins[2]
        if op == "cast":
            x = ins[0]
            plain = x.v if isinstance(x, Dual) else x
            if is_float(s.out.type):
                single = float(np.float32(plain)) if s.out.type.dtype == "f32" else float(plain)
                return Dual(single, x.d if isinstance(x, Dual) else 0.0)
            return bool(plain) if s.out.type.dtype == "bool" else int(plain)
        if op in _COMPARE:
            return _COMPARE[op](*(x.v if isinstance(x, Dual) else x for x in ins))
        return (FLOAT if isinstance(ins[0], Dual) else PLAIN)[op](*ins)

    def loop(self, s: Loop, env: dict[str, object]) -> None:
        now = [self.value(a, env) for a in s.inits]
        i, step = self.value(s.start, env), self.value(s.step, env)
        stop = None if s.stop is None else self.value(s.stop, env)
        count = 0
        while stop is None or (i < stop if step > 0 else i > stop):
            assert count < 10_000, "a loop without end"
            env[s.index.name] = i
            env.update((c.name, x) for c, x in zip(s.carried, now, strict=True))
            ended = self.block(s.body, env)
            count, i = count + 1, i + step
            now = ended[1:] if s.exits else ended
            if s.exits and not ended[0]:
                break
        env.update((o.name, x) for o, x in zip(s.outs, now, strict=True))
        if s.trips is not None:
            env[s.trips.name] = count


def duals(values: Sequence[object], dots: Sequence[object], program: Program) -> list[object]:
    """Arguments of a program as duals: floats and arrays of floats with the given derivatives."""
    out: list[object] = []
    for p, v, d in zip(program.main.params, values, dots, strict=True):
        if isinstance(p.var.type, Array):
            new = np.empty(np.shape(v), object)
            for at in np.ndindex(new.shape):
                new[at] = Dual(float(v[at]), float(d[at])) if is_float(p.var.type) else int(v[at])
            out.append(new)
        else:
            out.append(Dual(float(v), float(d)) if is_float(p.var.type) else v)
    return out


def parts(x: object) -> tuple[object, object]:
    """The values and the derivatives in a result (derivatives 0 for ints)."""
    if isinstance(x, np.ndarray):
        values = np.empty(x.shape)
        dots = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            values[at], dots[at] = (x[at].v, x[at].d) if isinstance(x[at], Dual) else (x[at], 0.0)
        return values, dots
    return (x.v, x.d) if isinstance(x, Dual) else (float(x), 0.0)
