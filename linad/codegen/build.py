"""From the core to the statement tree: rebuild expressions, turn exits into ``break``, number error sites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    RETRY, AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dense, Dim, Fill, Function, If, Let, Load,
    Loop, Names, Program, Reserve, Stmt, Store, Var, all_names, count_uses, free_vars, walk,
)
from linad_typecheck.linear.uses import modes_of
from linad_typecheck.types import BOOL, F64, I64, Array, is_float

from linad.analysis.accesses import updates
from linad.analysis.parallelism import is_even
from linad.analysis.reductions import made_of

from .liveness import without_dead
from .out_of_memory import cells_of, no_room
from .error_sites import Site, Sites
from .tree import (
    AddAll, Apply, Assign, At, Branch, CopyOf, Expr, Fail, Finish, For, Forever, Grown, Invoke, Leaf, Matrix, Leave,
    New, Node, Num, ParallelCopy, Put, PutAll, Size, Spread, cells_read, subexpressions,
)

LARGEST_EXPRESSION = 12  # operators; longer expressions are split, for the reader and for Numba's type inference


@dataclass
class Builder:
    """The state of the translation of one function."""

    program: Program
    function: Function
    grown: Mapping[str, tuple[bool, ...]]  # the result of `grown_params`
    sites: Sites
    careful: bool  # arrays with different names may overlap
    tries: bool = True  # whether a failing allocation of a log is an error of the program
    uses: Counter[str] = field(default_factory=Counter)
    pending: dict[str, tuple[Var, Expr]] = field(default_factory=dict)  # values awaiting their only use
    handed: set[str] = field(default_factory=set)  # floats computed for the next iteration, other than reductions
    fitting: set[str] = field(default_factory=set)  # floats that have been checked to fit an int of 64 bits
    first: frozenset[str] = frozenset()  # initial values of even loops
    fills: dict[str, Const | None] = field(default_factory=dict)
    out: list[Node] = field(default_factory=list)
    names: Names = field(default_factory=Names)

    # ------------------------------------------------------------------------------------------------ expressions

    def expr(self, atom: Atom) -> Expr:
        match atom:
            case Const():
                return Num(atom)
            case Var(name=name) if name in self.pending:
                return self.pending.pop(name)[1]
        return Leaf(atom)

    def define(self, out: Var, value: Expr) -> None:
        """Define a scalar: keep it pending until its only use, or assign it."""
        used = self.uses[out.name]
        if used == 0:
            return
        size = sum(1 for e in subexpressions(value) if isinstance(e, Apply | At))
        if used == 1 and size <= LARGEST_EXPRESSION and out.name not in self.handed:
            self.pending[out.name] = (out, value)
        else:
            self.out.append(Assign(out, value))

    def flush(self, which: Callable[[str, Expr], bool] = lambda name, e: True) -> None:
        """Assign the pending values that the next statement would invalidate."""
        for name, (var, e) in list(self.pending.items()):
            if which(name, e):
                del self.pending[name]
                self.out.append(Assign(var, e))

    def flush_reads(self, arrays: Mapping[str, Var]) -> None:
        """Assign the pending values that read any of the arrays, which are about to be updated."""
        if not arrays:
            return
        types = {a.type for a in arrays.values()}

        def affected(name: str, e: Expr) -> bool:
            read = cells_read(e)
            return bool(read.keys() & arrays.keys()) or (self.careful and any(r.type in types for r in read.values()))

        self.flush(affected)

    # ------------------------------------------------------------------------------------------------- statements

    def block(self, block: Block) -> None:
        for s in block.stmts:
            self.stmt(s)

    def nested(self, build: Callable[[], None], given: dict[str, tuple[Var, Expr]] | None = None) -> tuple[Node, ...]:
        """The nodes that ``build`` emits. ``given``: pending values used only there."""
        outer, self.out = self.out, []
        waiting, self.pending = self.pending, given or {}
        fitting = set(self.fitting)
        build()
        nodes, self.out = tuple(self.out), outer
        self.pending, self.fitting = waiting, fitting
        return nodes

    def stmt(self, s: Stmt) -> None:
        match s:
            case Let(out, op, ins):
                args = tuple(self.expr(a) for a in ins)
                if op == "cast" and out.type == I64 and isinstance(ins[0], Var) and ins[0].name in self.fitting:
                    op = "truncate"
                self.define(out, Apply(op, args, out.type, ins[0].type))
            case Load(out, array, index):
                self.define(out, At(array, tuple(self.expr(i) for i in index)))
            case Dim(out, array, axis):
                self.define(out, Size(array, axis))
            case Store(array, index, value):
                self.put(array, index, value, add=False)
            case AddTo(array, index, value):
                self.put(array, index, value, add=True)
            case Alloc(out, shape, fill):
                self.fills[out.name] = fill
                if self.tries and fill is None and s.log != "no" and not all(isinstance(a, Const) for a in shape):
                    self.try_log(s)
                else:
                    self.out.append(Assign(out, New(out.type, tuple(self.expr(a) for a in shape), fill)))
            case Copy(out, array):
                self.out.append(Assign(out, CopyOf(array)))
            case AddArray(array, other):
                self.flush_reads({array.name: array})
                self.out.append(AddAll(array, other))
            case Dense(op, flags, updated, read):
                self.flush_reads({a.name: a for a in updated})
                self.out.append(Matrix(op, flags, (*updated, *read)))
            case Fill(array, value):
                e = self.expr(value)
                self.flush_reads({array.name: array})
                self.out.append(PutAll(array, e))
            case Reserve():
                self.reserve(s)
            case Check(cond, error, message, args):
                self.check(s, cond, error, message, args)
            case If():
                self.branch(s)
            case Loop():
                self.loop(s)
            case Call():
                self.call(s)
            case _:
                raise AssertionError(f"not a statement of the non-linear core: {s}")

    def put(self, array: Var, index: tuple[Atom, ...], value: Atom, add: bool) -> None:
        at = tuple(self.expr(i) for i in index)
        e = self.expr(value)
        self.flush_reads({array.name: array})
        self.out.append(Put(array, at, e, add))

    def named(self, a: Atom) -> Expr:
        """A variable or constant for a value that is used more than once."""
        if isinstance(a, Var) and a.name in self.pending:
            self.out.append(Assign(*self.pending.pop(a.name)))
        return Num(a) if isinstance(a, Const) else Leaf(a)

    def try_log(self, s: Alloc) -> None:
        """Allocate a log whose size the driver cannot compute."""
        shape = tuple(map(self.named, s.shape))
        size = cells_of(shape, s.out.type.dtype)
        short = Apply("lt", (Size(s.out, 0), shape[0]), BOOL, I64)
        self.out.append(Assign(s.out, New(s.out.type, shape, None, True)))
        self.out.append(Branch(short, (Fail(self.sites.add(no_room(s, self.function)), (size,)),), ()))

    @property
    def filled(self) -> Const | None:
        """The fill value for new cells of a log that the caller allocated."""
        made = (s for f in self.program.functions.values() for s in walk(f.body) if isinstance(s, Alloc))
        return next((s.fill for s in made if s.fill is not None and s.shape == (Const(0, I64),)), None)

    def reserve(self, s: Reserve) -> None:
        array, size = s.array, s.size
        if isinstance(size, Var) and size.name in self.pending and self.uses[size.name] == 1:
            var, e = self.pending.pop(size.name)
            if not isinstance(e, Size):
                self.out.append(Assign(var, e))
                e = Leaf(var)
        else:
            e = self.expr(size)
        self.flush_reads({array.name: array})
        full = Apply("lt", (Size(array, 0), e), BOOL, I64)
        grown = Grown(array, e, self.fills.get(array.name, self.filled))
        lost = Fail(self.sites.add(no_room(s, self.function)), (cells_of((e,), array.type.dtype),))
        self.out.append(Branch(full, (Assign(array, grown), Branch(full, (lost,), ())), ()))

    def check(self, s: Check, cond: Atom, error: str, message: str, args: tuple[Atom, ...]) -> None:
        ok = self.expr(cond)
        mine = {a.name: self.pending.pop(a.name) for a in args if isinstance(a, Var) and a.name in self.pending}

        def fail() -> None:
            site = None if error == RETRY else self.sites.number(s)
            self.out.append(Fail(site, tuple(self.expr(a) for a in args)))

        failing = self.nested(fail, mine)
        if (x := _fits(ok)) is not None:  # one test instead of three, if it holds
            nan = Apply("ne", (x, x), BOOL, F64)
            first = [self.out.pop()] if self.out and isinstance(b := self.out[-1], Branch) and b.cond == nan else []
            if error != RETRY:
                failing = (*first, Branch(negate(ok), failing, ()))
            ok = Apply("lt", (Apply("abs", (x,), F64, F64), Num(Const(2.0**63, F64))), BOOL, F64)
            self.fitting.add(x.var.name)
        self.out.append(Branch(negate(ok), failing, ()))

    def call(self, s: Call) -> None:
        args = tuple(self.expr(a) for a in s.args)
        self.flush_reads({a.name: a for a in updates(s, modes_of(self.program.functions))})
        grown = [a for a, g in zip(s.args, self.grown[s.callee], strict=True) if g]
        self.out.append(Invoke((*s.outs, *grown), s.callee, args))  # type: ignore[arg-type]

    # ---------------------------------------------------------------------------------------------- control flow

    def branch(self, s: If) -> None:
        cond = self.expr(s.cond)
        then, orelse = self.arms(s)
        self.out.append(
            Branch(
                cond,
                self.nested(lambda: self.arm(s.then, s.outs), then),
                self.nested(lambda: self.arm(s.orelse, s.outs), orelse),
                any(o.name in self.first for o in s.outs),
            )
        )

    def arms(self, s: If, also: tuple[Atom, ...] = ()) -> tuple[dict, dict]:
        """Move pending values that only one arm needs to that arm, and assign the others."""
        then, orelse, shared = free_vars(s.then), free_vars(s.orelse), {a.name for a in also if isinstance(a, Var)}
        inside = {n for n in self.pending if (n in then) != (n in orelse) and n not in shared}
        self.flush(lambda name, e: name not in inside)
        waiting, self.pending = self.pending, {}
        return {n: p for n, p in waiting.items() if n in then}, {n: p for n, p in waiting.items() if n in orelse}

    def arm(self, block: Block, outs: tuple[Var, ...]) -> None:
        self.block(block)
        self.copies([(o, r) for o, r in zip(outs, block.results, strict=True) if self.wanted(o)])

    def wanted(self, v: Var) -> bool:
        return self.uses[v.name] > 0

    def copies(self, pairs: list[tuple[Var, Atom]]) -> None:
        """Emit parallel copies. A value may be used twice, so only pending values with a single use are folded in."""
        for target, value in pairs:
            if isinstance(value, Var) and isinstance(value.type, Array):
                self.fills.setdefault(target.name, self.fills.get(value.name, Const(0, value.type)))
        made = tuple((t, self.expr(v)) for t, v in pairs)
        if made:
            self.out.append(ParallelCopy(made))

    def loop(self, s: Loop) -> None:
        match s.kind, s.body.stmts, s.stop:
            case "chunks", (Call(callee=callee, args=args),), Var() | Const() as stop:
                self.flush()
                demands = any(isinstance(t, Check) for t in walk(self.program.functions[callee].body))
                lost = Site(s.span, "RuntimeError", "a thread did not come to the end of its part of this loop")
                site = None if demands else self.sites.add(lost)
                self.out.append(Spread(callee, self.expr(stop), tuple(self.expr(a) for a in args[1:]), site))
                return
        self.handed |= handed_on(s)
        kept = [k for k, (c, o) in enumerate(zip(s.carried, s.outs, strict=True)) if self.wanted(c) or self.wanted(o)]
        stop = None if s.stop is None else self.expr(s.stop)
        start, step = self.expr(s.start), self.expr(s.step)
        pairs: list[tuple[Var, Atom]] = [(s.carried[k], s.inits[k]) for k in kept]
        inits = [(c, self.expr(a)) for c, a in pairs]
        for c, a in pairs:
            if isinstance(a, Var):
                self.fills.setdefault(c.name, self.fills.get(a.name, Const(0, c.type)))
        self.flush()
        counter = None
        if s.trips is not None and self.wanted(s.trips):
            counter = self.names.var(s.trips.name, I64)
            inits.append((counter, Num(Const(0, I64))))
        counted = stop is None and self.wanted(s.index)
        if counted:
            inits.append((s.index, start))
        if inits:
            self.out.append(ParallelCopy(tuple(inits)))
        follow: list[tuple[Var, Atom | Expr]] = []
        if counted:
            follow.append((s.index, Apply("add", (Leaf(s.index), step), I64, I64)))
        tail = Tail(tuple(s.carried[k] for k in kept), tuple(kept), s.exits, tuple(follow), counter)

        def body() -> None:
            if counter is not None:
                self.out.append(Assign(counter, Apply("add", (Leaf(counter), Num(Const(1, I64))), I64, I64)))
            self.tail(s.body.stmts, s.body.results, tail)

        nodes = self.nested(body)
        self.out.append(Forever(nodes) if stop is None else For(s.index, start, stop, step, nodes, is_even(s)))
        after: list[tuple[Var, Expr]] = [(s.outs[k], Leaf(s.carried[k])) for k in kept if self.wanted(s.outs[k])]
        if counter is not None and s.trips is not None:
            after.append((s.trips, Leaf(counter)))
        if after:
            self.out.append(ParallelCopy(tuple(after)))

    def tail(self, stmts: tuple[Stmt, ...], results: tuple[Atom, ...], tail: Tail) -> None:
        """The end of a loop body: compute the next carried values and whether to continue.

        If the last ``if`` of the body decides that, each arm gets its own end: a plain ``break`` or nothing.
        """
        last = stmts[-1] if stmts else None
        if isinstance(last, If) and tail.exits and self.decides(last, results):
            for s in stmts[:-1]:
                self.stmt(s)
            cond = self.expr(last.cond)
            then, orelse = self.arms(last, results)
            position = {o.name: k for k, o in enumerate(last.outs)}

            def arm(block: Block) -> Callable[[], None]:
                ends_with = tuple(
                    block.results[position[r.name]] if isinstance(r, Var) and r.name in position else r for r in results
                )
                return lambda: self.tail(block.stmts, ends_with, tail)

            self.out.append(Branch(cond, self.nested(arm(last.then), then), self.nested(arm(last.orelse), orelse)))
            return
        for s in stmts:
            self.stmt(s)
        values = results[1:] if tail.exits else results
        again: Expr | None = None
        if tail.exits and not (isinstance(results[0], Const) and results[0].value):
            again = self.expr(results[0])
            if not isinstance(again, Num | Leaf) and isinstance(results[0], Var):
                self.out.append(Assign(results[0], again))  # evaluated before the copies below change its operands
                again = Leaf(results[0])
        pairs = [(c, self.expr(values[k])) for c, k in zip(tail.carried, tail.kept, strict=True)]
        pairs = [(c, e) for c, e in pairs if e != Leaf(c)]
        pairs += tail.follow
        if pairs:
            self.out.append(ParallelCopy(tuple(pairs)))
        match again:
            case None:
                pass
            case Num():
                self.out.append(Leave())
            case _:
                self.out.append(Branch(negate(again), (Leave(),), ()))

    def decides(self, s: If, results: tuple[Atom, ...]) -> bool:
        """Whether the outputs of an ``if`` are used only as results, and an arm determines whether the loop continues.
        """
        inside = Counter(r.name for r in results if isinstance(r, Var))
        if any(self.uses[o.name] != inside[o.name] for o in s.outs):
            return False
        again = results[0]
        for k, o in enumerate(s.outs):
            if isinstance(again, Var) and again.name == o.name:
                return any(isinstance(b.results[k], Const) or _ends_in_if(b, k) for b in (s.then, s.orelse))
        return False


@dataclass(frozen=True)
class Tail:
    """The actions at the end of a loop body."""

    carried: tuple[Var, ...]
    kept: tuple[int, ...]
    exits: bool
    follow: tuple[tuple[Var, Expr], ...]
    counter: Var | None


def handed_on(s: Loop) -> set[str]:
    """The floats that an iteration computes for the next one, except those computed from what it received.

    They are computed before the stores of the iteration: LLVM vectorises such a loop only if all values for the next
    iteration are available when those of the previous one are used.
    """
    made = made_of(s)
    return {r.name for k, r in enumerate(s.nexts) if isinstance(r, Var) and is_float(r.type) and k not in made[k]}


def _ends_in_if(block: Block, k: int) -> bool:
    last = block.stmts[-1] if block.stmts else None
    return isinstance(last, If) and block.results[k] in last.outs


def _fits(e: Expr) -> Leaf | None:
    """The float of which a condition says that it fits an int of 64 bits."""
    match e:
        case Apply(op="and", args=(Apply("ge", (Leaf() as x, Num(low)), _, t), Apply("lt", (y, Num(high)), _, _))):
            limits = Const(-(2.0**63), F64), Const(2.0**63, F64)
            return x if x == y and t == F64 and (low, high) == limits else None
    return None


def negate(e: Expr) -> Expr:
    """The negation of a condition. Float comparisons are not inverted, since nan makes both false."""
    opposite = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
    match e:
        case Apply(op="not", args=(a,)):
            return a
        case Apply(op=op, source=source) if op in ("eq", "ne") or (op in opposite and source.dtype in ("i64", "i32")):
            return replace(e, op=opposite[op])
        case Num(Const(value=v)):
            return Num(Const(not v, BOOL))
    return Apply("not", (e,), BOOL, BOOL)


def build(
    program: Program,
    f: Function,
    grown: Mapping[str, tuple[bool, ...]],
    sites: Sites,
    careful: bool,
    tries: bool = True,
) -> tuple[Node, ...]:
    """The statement tree of a function."""
    rebound = any(isinstance(v.type, Array) for s in walk(f.body) if isinstance(s, If | Loop | Call) for v in s.outs)
    first = frozenset(
        a.name for s in walk(f.body) if isinstance(s, Loop) and is_even(s) for a in s.inits if isinstance(a, Var)
    )
    b = Builder(
        program, f, grown, sites, careful or rebound, tries, count_uses(f), first=first, names=Names(all_names(f))
    )
    b.block(f.body)
    values = tuple(b.expr(r) for r in f.body.results)
    extra = tuple(Leaf(p.var) for p, g in zip(f.params, grown[f.name], strict=False) if g)
    b.out.append(Finish((*values, *extra)))
    return without_dead(tuple(b.out))
