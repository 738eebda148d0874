"""What is added to cells that are surely zero is stored, and zeros that are stored over are not stored.

The adjoint of ``after[i] = e`` takes ``after_bar[i]`` and leaves a zero there, to which a stencil's adjoint adds in the next loop, or in the next
iteration of the loop around, where the two buffers have changed places. In between nobody looks. So

* zeros that an iteration leaves behind as the last thing, in an array that had them to begin with, are stored by the next
  iteration as its first thing, and once more behind the loop;
* zeros that are followed by a loop that adds once to each cell (`neighbours.py`) are left out, but for the cells at either end that it does not reach, or
  that others may reach as well; the loop stores.

Only arrays of the function's own: an error in between must not show. Sums must be free to take another order, as the sign of a zero may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from linad_typecheck.core import (
    AddTo,
    Alloc,
    Atom,
    Block,
    Const,
    Dim,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Stmt,
    Store,
    Var,
    all_names,
    blocks,
    free_vars,
    operands,
    outputs,
    walk,
)
from linad_typecheck.types import I64, Scalar

from .distribute import Body, is_short
from .ints import ONE, ZERO, Maker
from .neighbours import adding, has_run, is_plain


@dataclass(frozen=True)
class End:
    """A bound: an int by name, or zero, and a number that is added to it."""

    atom: Atom
    more: int

    def __le__(self, other: End) -> bool:
        """Whether it is surely not beyond another one."""
        return self.atom == other.atom and self.more <= other.more


@dataclass(frozen=True)
class Zeros:
    """The cells of an array that a statement leaves as zeros, from ``low`` to before ``high``, and what is left of it without them; the loop that
    stores them, if it is one, and how far from its index. A loop that never runs may begin or end at the largest int there is, and have
    ``low`` and ``high`` anywhere."""

    low: End
    high: End
    rest: tuple[Stmt, ...]
    loop: Loop | None = None
    number: int = 0


def store_first(f: Function) -> Function:
    """The function without zeros that are stored over, and with stores where it would add to them."""
    return replace(f, body=_Fresh(f).block(f.body))


class _Fresh:
    def __init__(self, f: Function) -> None:
        self.names = Names(all_names(f))
        self.sizes = {s.out.name: s for s in walk(f.body) if isinstance(s, Let) and s.out.type == I64}
        self.lent = {p.var.name for p in f.params}

    def block(self, b: Block) -> Block:
        done: list[Stmt] = []
        for s in b.stmts:
            match s:
                case If():
                    done.append(replace(s, then=self.block(s.then), orelse=self.block(s.orelse)))
                case Loop():
                    now, after = self.begun_with(replace(s, body=self.block(s.body)), done)
                    done = [*self.stored([*done, now]), *after]
                case _:
                    done.append(s)
        return replace(b, stmts=tuple(done))

    # -- zeros, and a loop behind them that adds

    def stored(self, stmts: list[Stmt]) -> list[Stmt]:
        """The statements with what the last one, a loop, adds to zeros stored."""
        s = stmts[-1]
        if not isinstance(s, Loop) or not is_plain(s) or s.step != ONE or is_short(s, self.sizes):
            return stmts
        body, done, fresh = Body(s), stmts[:-1], set()
        for name in body.written:
            match body.additions(name):
                case [row] if name not in self.lent and body.cell((some := next(iter(row.values()))[0]).index) == ((next(iter(row)), ()),):
                    a = some.array
                    k = _last(done, a)
                    zeros = None if k is None else self.zeros(done[k], a)
                    near, far = self.end(s.start, max(row)), self.end(s.stop, min(row))  # type: ignore[arg-type]
                    if zeros is not None and zeros.low <= near and far <= zeros.high:
                        fresh.add(name)
                        done[k : k + 1] = [*zeros.rest, *self.ends(a, zeros, near, far)]
        return [*done, *adding(s, self.names, fresh)] if fresh else stmts

    def zeros(self, s: Stmt, a: Var) -> Zeros | None:
        """Those that a statement leaves in an array of which it does nothing else."""
        match s:
            case Alloc(shape=(n,), fill=Const(value=0.0), log="no"):
                return Zeros(End(ZERO, 0), self.end(n), (replace(s, fill=None),))
            case Loop() if is_plain(s):
                body = Body(s)
                uses = [t for t in body.stmts if isinstance(t, Load | Store | AddTo) and t.array == a]
                cells = {body.cell(t.index) for t in uses}
                match [t for t in uses if not isinstance(t, Load)], list(cells):
                    case [Store(value=Const(value=0.0)) as last], [((number, ()),)] if uses[-1] is last:
                        rest = replace(s, body=replace(s.body, stmts=tuple(t for t in body.stmts if t is not last)))
                        up = s.step == ONE
                        low, high = (s.start, s.stop) if up else (s.stop, s.start)
                        more = number + (not up)
                        effects = len(body.written) > 1 or s.carried
                        return Zeros(self.end(low, more), self.end(high, more), (rest,) if effects else (), s, number)  # type: ignore[arg-type]
        return None

    def ends(self, a: Var, zeros: Zeros, near: End, far: End) -> list[Stmt]:
        """The zeros in front of where a loop stores, and those behind it."""
        maker = Maker(self.names)
        low, high, near_, far_ = (self.int(e, maker) for e in (zeros.low, zeros.high, near, far))
        if zeros.low != near:
            maker.out += [_cleared(a, low, maker.let("min", high, near_), maker)]
        if zeros.high != far:
            maker.out += [_cleared(a, maker.let("max", near_, far_), high, maker)]
        if zeros.loop is None or (zeros.low, zeros.high) == (near, far):
            return maker.out
        ran = has_run(zeros.loop, self.names)
        return [ran, If(ran.out, Block(tuple(maker.out)), Block(), (), zeros.loop.span)]

    def end(self, a: Atom, more: int = 0) -> End:
        match a:
            case Const(value=v):
                return End(ZERO, int(v) + more)
            case Var(name=name) if name in self.sizes:
                match self.sizes[name]:
                    case Let(op="add", ins=(x, Const(value=c))) | Let(op="add", ins=(Const(value=c), x)):
                        return self.end(x, more + int(c))
                    case Let(op="sub", ins=(x, Const(value=c))):
                        return self.end(x, more - int(c))
        return End(a, more)

    def int(self, e: End, maker: Maker) -> Atom:
        a = maker.let("add", e.atom, Const(e.more, I64))
        self.sizes.update({t.out.name: t for t in maker.out if isinstance(t, Let)})
        return a

    # -- zeros that the next iteration would add to

    def begun_with(self, s: Loop, before: list[Stmt]) -> tuple[Loop, list[Stmt]]:
        """A loop that leaves zeros in arrays that had them to begin with: it begins its iterations with them, and they are behind it."""
        after: list[Stmt] = []
        if s.exits:
            return s, after
        for k, (c, init, r) in enumerate(zip(s.carried, s.inits, s.body.results, strict=True)):
            if not isinstance(r, Var) or not isinstance(init, Var):
                continue
            made, left = _last(before, init), _last(s.body.stmts, r)
            if made is None or left is None:
                continue
            had, zeros = self.zeros(before[made], init), self.zeros(s.body.stmts[left], r)
            if had is None or zeros is None or not (had.low <= zeros.low and zeros.high <= had.high):
                continue
            stmts = [*s.body.stmts[:left], *zeros.rest, *s.body.stmts[left + 1 :]]
            first = next((n for n, t in enumerate(stmts) if _touches(t, c)), None)
            if first is None:
                continue
            begin = self.clearing(c, zeros)
            begun = [*begin, *stmts[: first + 1]]
            stored = self.stored(begun)
            if stored is not begun:
                s = replace(s, body=replace(s.body, stmts=(*stored, *stmts[first + 1 :])))
                after += self.clearing(s.outs[k], zeros)
        return s, after

    def clearing(self, a: Var, zeros: Zeros) -> list[Stmt]:
        """The loop that stores them, to another array and alone."""
        maker, s = Maker(self.names), zeros.loop
        bounds = (zeros.low, zeros.high) if s is None else (self.end(s.start), self.end(s.stop))  # type: ignore[arg-type]
        start, stop = (self.int(e, maker) for e in bounds)
        return [*maker.out, replace(_cleared(a, start, stop, maker, zeros.number), step=ONE if s is None else s.step)]


def _cleared(a: Var, start: Atom, stop: Atom, maker: Maker, number: int = 0) -> Loop:
    i = maker.names.var("i", I64)
    inside = Maker(maker.names)
    cell = inside.let("add", i, Const(number, I64))
    zero = Const(0.0, Scalar(a.type.dtype))
    return Loop(i, start, stop, ONE, (), (), Block((*inside.out, Store(a, (cell,), zero, False))), ())


def _last(stmts: Sequence[Stmt], a: Var) -> int | None:
    """The last of some statements that does anything with an array but ask for its size."""
    return next((k for k in range(len(stmts) - 1, -1, -1) if _touches(stmts[k], a)), None)


def _touches(s: Stmt, a: Var) -> bool:
    if isinstance(s, Dim):
        return False
    return a in outputs(s) or a in operands(s) or any(a.name in free_vars(b) for b in blocks(s))
