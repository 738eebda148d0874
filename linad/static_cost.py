"""What a program costs, estimated from its text and the sizes of its arguments, without running it.

Each statement counts as often as the loops around it run, with the weights of the cost model of loops (`codegen`): a
call of the C library ten steps, everything else one, a whole array one for each cell. Numbers of iterations that follow
from sizes and ints are exact, and otherwise `UNKNOWN`; of the arms of an `if` each counts half.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import ceil, prod

from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ir.core import (
    AddArray, Alloc, Atom, Block, Call, Const, Copy, Dense, Dim, Drop, Dup, Fill, If, Let, Loop, Program, Read, Stmt, Var,
)
from linad_typecheck.ops import OPS

from .codegen.cost_model import DEAR, UNKNOWN

Shape = tuple[float, ...]
Known = float | Shape

_INTS: dict[str, Callable[..., float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": lambda a, b: a // b if b else 0.0,
    "min": min, "max": max, "neg": operator.neg, "cast": lambda a: a,
}  # fmt: skip


def steps_of(program: Program, args: Sequence[Known | None]) -> float:
    """The steps of a call of a program.

    Parameters
    ----------
    program
        A program without declared derivatives.
    args
        What is known of the arguments: the shapes of arrays, the values of ints, None of others.
    """
    return _Counter(program).call(program.entry, args)


class _Counter:
    def __init__(self, program: Program) -> None:
        self.functions = program.functions
        self.running: list[str] = []

    def call(self, name: str, args: Sequence[Known | None]) -> float:
        if name in self.running:  # how deep a recursion is, nobody knows
            return UNKNOWN
        f = self.functions[name]
        env = {p.var.name: a for p, a in zip(f.params, args) if a is not None}
        self.running.append(name)
        found = self.block(f.body, env)
        self.running.pop()
        return found

    def block(self, b: Block, env: dict[str, Known]) -> float:
        return sum(self.statement(s, env) for s in b.stmts)

    def statement(self, s: Stmt, env: dict[str, Known]) -> float:
        def of(a: Atom) -> Known | None:
            return float(a.value) if isinstance(a, Const) else env.get(a.name)

        def cells(v: Var) -> float:
            shape = env.get(v.name)
            return prod(shape) if isinstance(shape, tuple) else UNKNOWN

        match s:
            case Let(out=out, op=op, ins=ins):
                known = [of(a) for a in ins]
                if op in _INTS and out.type.dtype == "i64" and not any(k is None or isinstance(k, tuple) for k in known):
                    env[out.name] = _INTS[op](*known)
                return DEAR if OPS[op].dear else 1
            case Dim(out=out, array=array, axis=axis):
                if isinstance(shape := env.get(array.name), tuple):
                    env[out.name] = shape[axis]
                return 0
            case Alloc(out=out, shape=shape, fill=fill):
                sizes = [of(n) for n in shape]
                env[out.name] = tuple(UNKNOWN if n is None or isinstance(n, tuple) else max(n, 0) for n in sizes)
                return 1 + (0 if fill is None else cells(out))
            case Copy(out=out, array=array):
                if array.name in env:
                    env[out.name] = env[array.name]
                return cells(array)
            case Fill(array=array) | AddArray(array=array):
                return cells(array)
            case Dense(op=op, updated=updated, read=read):
                shapes = [env.get(v.name) for v in (*updated, *read)]
                return DENSE[op].flops(*(x if isinstance(x, tuple) else (UNKNOWN,) * 2 for x in shapes))
            case If(then=then, orelse=orelse, outs=outs):
                return 1 + (self.block(then, env) + self.block(orelse, env)) / 2
            case Loop():
                return self.loop(s, of, env)
            case Call(callee=callee, args=args):
                return self.call(callee, [of(a) for a in args])
            case Dup() | Drop() | Read():
                return 0
        return 1

    def loop(self, s: Loop, of: Callable[[Atom], Known | None], env: dict[str, Known]) -> float:
        bounds = [None if a is None else of(a) for a in (s.start, s.stop, s.step)]
        trips: float = UNKNOWN
        if not any(b is None or isinstance(b, tuple) for b in bounds):
            start, stop, step = bounds
            trips = max(ceil((stop - start) / step), 0) if step else UNKNOWN
            env[s.index.name] = start + step * (trips // 2)  # of loops inside, that are as long as this is far
        for c, i in zip(s.carried, s.inits, strict=True):
            if isinstance(known := of(i), tuple):
                env[c.name] = known
        return trips * (1 + self.block(s.body, env))
