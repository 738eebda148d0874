"""Split off the linear part of a derivative program, which `linearize` applies repeatedly.

A derivative program is linear in the parameters that differentiation added, and the primal does not depend on them
(`directions`). It is split into two programs. The first runs the primal and logs the values that the linear part needs:
partial derivatives, indices, conditions and sizes. The second has the same loops and branches, reads the logs, and runs
only the linear part.

**Transformation.** Partial evaluation of a derivative program at its primal arguments, as in Frostig, Johnson,
Maclaurin, Paszke, Radul, Decomposing reverse-mode automatic differentiation (2021).

**Before.** ``s = cos x[i]; y_dot[i] = s * x_dot[i]``
**After.** ``s = cos x[i]; log[k] = s`` in the first program, ``s = log[k]; y_dot[i] = s * x_dot[i]`` in the second.

**Legality.** Both programs execute their blocks in the same order, so the log is a queue without addresses. Ints that
follow from indices, sizes and arguments, and cells of arguments, which are never written, are not logged.

**Profitability.** A counted loop without inner loops logs column by column, at positions given by its index, so that it
can still be vectorised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddArray, Alloc, Atom, Block, Call, Const, Copy, Dense, Dim, Function, If, Let, Load, Loop, Names, Param, Program,
    Reserve, Stmt, Store, Var, all_names, blocks, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import BOOL, I64, Array, Scalar, is_float

from .directions import Calls, Facts
from ..errors import CannotSplit
from .stack import KINDS, Stack, kind_of

ZERO, ONE = Const(0, I64), Const(1, I64)


def split(program: Program, given: int, results: int) -> tuple[Program, Program]:
    """Split a derivative program into two.

    Parameters
    ----------
    program
        The result of differentiation, in the form without `Dup`, `Drop` and `Read`, with functions inlined.
    given
        The number of parameters of the differentiated function.
    results
        The number of results of the differentiated function.

    Returns
    -------
    record
        From the parameters of the function to its results and the logs, one per element type in use.
    replay
        From the parameters of the derivative and the logs to the other results.

    Raises
    ------
    CannotSplit
        If the linear part calls a function, or a branch depends on a derivative.
    """
    f = program.main
    new = frozenset(range(given, len(f.params)))
    calls = Calls(program)
    calls.learn(program.entry, new)
    return _Split(program, f, calls.facts[program.entry, new], given, results).programs()


class _Split:
    def __init__(self, program: Program, f: Function, facts: Facts, given: int, results: int) -> None:
        self.program, self.f, self.facts, self.given, self.results = program, f, facts, given, results
        self.params = {p.var.name for p in f.params[:given]}
        if any(p.mode != "read" for p in f.params[:given] if isinstance(p.var.type, Array)):
            raise CannotSplit("an argument is updated")
        if any(map(facts.is_wide, f.body.results[:results])):
            raise CannotSplit("a result depends on a derivative")
        self.names = Names(all_names(f))
        self.made = {v.name: s for s in walk(f.body) for v in outputs(s)}
        self.known: dict[int, bool] = {}  # by id of a statement, whether it belongs to the linear part
        self.replayed: set[str] = set()  # ints that both programs compute
        for s in walk(f.body):
            if self.depends(s) and isinstance(s, Loop | Dim):
                self.replayed.add(s.index.name if isinstance(s, Loop) else s.out.name)
        self.needed: set[str] = set()
        self.kinds: set[str] = set()
        for a in self.wanted():
            self.need(a)
        self.stack = Stack(self.names, KINDS)
        self.scopes: list[dict[str, Atom]] = [{}]

    # -- what is needed

    def depends(self, s: Stmt) -> bool:
        """Whether a statement, or one nested in it, belongs to the linear part."""
        found = self.known.get(id(s))
        if found is None:
            wide = self.facts.is_wide
            found = any(map(wide, (*operands(s), *outputs(s))))
            found = found or any(self.depends(t) for b in blocks(s) for t in b.stmts)
            self.known[id(s)] = found
        return found

    def wanted(self) -> Iterator[Atom]:
        """The scalars that the linear part reads."""
        yield from self.f.body.results[self.results :]
        for s in walk(self.f.body):
            if not self.depends(s):
                continue
            match s:
                case Call():
                    raise CannotSplit("a call depends on a derivative")
                case If(cond=cond):
                    if self.facts.is_wide(cond):
                        raise CannotSplit("a branch depends on a derivative")
                    yield cond
                    for k, o in enumerate(s.outs):
                        if self.facts.is_wide(o):
                            yield from (s.then.results[k], s.orelse.results[k])
                case Loop():
                    nexts = s.nexts
                    yield from (s.start, s.step, *([] if s.stop is None else [s.stop]), *s.body.results[: s.exits])
                    for c, i, n in zip(s.carried, s.inits, nexts, strict=True):
                        if self.facts.is_wide(c):
                            yield from (i, n)
                case _:
                    yield from operands(s)

    def need(self, a: Atom) -> None:
        if not isinstance(a, Var) or isinstance(a.type, Array) or self.is_there(a):
            return
        if self.free(a):
            for x in operands(self.made[a.name]):
                self.need(x)
        else:
            self.needed.add(a.name)

    def is_there(self, a: Var) -> bool:
        """Whether the second program has a scalar without logging."""
        return self.facts.is_wide(a) or a.name in self.params or a.name in self.replayed

    def free(self, a: Atom) -> bool:
        """Whether the second program can compute a scalar exactly."""
        if not isinstance(a, Var) or self.is_there(a):
            return True
        match self.made.get(a.name):
            case Let(out=out, ins=ins):
                return not is_float(out.type) and all(map(self.free, ins))
            case Load(array=array, index=index):
                return array.name in self.params and all(map(self.free, index))
            case Dim(array=array):
                return array.name in self.params
        return False

    def foreign(self, s: Stmt) -> list[Var]:
        """The arrays outside the linear part that one of its statements reads: their cells are logged."""
        if not isinstance(s, (Dense, Copy, AddArray)):
            return []
        own = (a for a in operands(s) if isinstance(a, Var) and isinstance(a.type, Array))
        return [a for a in dict.fromkeys(own) if not self.facts.is_wide(a) and a.name not in self.params]

    # -- both programs

    def programs(self) -> tuple[Program, Program]:
        record: list[Stmt] = []
        replay: list[Stmt] = []
        self.block(self.f.body, _Queue(self), record, replay, ())
        kept = [self.result(r, record, replay) for r in self.f.body.results[self.results :]]
        logs = {k: v for k, v in self.stack.logs.items() if k in self.kinds}
        finals = tuple(self.whole(k, record) for k in logs)
        begin = (Alloc(v, (ZERO,), None, self.f.span, "stack") for v in logs.values())
        cursor = Alloc(self.stack.cursor, (Const(len(KINDS), I64),), ZERO, self.f.span)
        body = Block((*begin, cursor, *record), (*self.f.body.results[: self.results], *finals))
        first = Function(f"{self.f.name}_record", self.f.params[: self.given], body, self.f.span)
        params = (*self.f.params, *(Param(v, "read") for v in logs.values()))
        second = Function(f"{self.f.name}_replay", params, Block((cursor, *replay), tuple(kept)), self.f.span)
        return self.entered(first), self.entered(second)

    def entered(self, f: Function) -> Program:
        self.require(f)
        functions = {k: g for k, g in self.program.functions.items() if k != self.program.entry}
        return replace(self.program, entry=f.name, functions={**functions, f.name: f})

    def require(self, f: Function) -> None:
        """Ensure that a program defines every value it uses; the primal may need sizes of tangents."""
        seen = {p.var.name for p in f.params}
        for s in walk(f.body):
            seen |= {v.name for v in outputs(s)}
            seen |= {s.index.name, *(c.name for c in s.carried)} if isinstance(s, Loop) else set()
        for s in walk(f.body):
            if not all(a.name in seen for a in operands(s) if isinstance(a, Var)):
                raise CannotSplit("the primal uses the size of a derivative")

    def result(self, r: Atom, record: list[Stmt], replay: list[Stmt]) -> Atom:
        if isinstance(r.type, Scalar):
            return self.use(r, replay)
        assert isinstance(r, Var)
        return r if self.facts.is_wide(r) else self.handed(r, record, replay)

    def whole(self, kind: str, out: list[Stmt]) -> Var:
        """A log as an array of its exact length, which outlives the call."""
        log, size = self.stack.logs[kind], self.names.var("size", I64)
        made, i, e = self.names.like(log), self.names.var("i", I64), self.names.var("e", Scalar(kind))
        cells = Block((Load(e, log, (i,), False), Store(made, (i,), e, False)))
        out += [
            Load(size, self.stack.cursor, (Const(KINDS.index(kind), I64),), False),
            Alloc(made, (size,), None, self.f.span),
            Loop(i, ZERO, size, ONE, (), (), cells, (), span=self.f.span),
        ]
        return made

    def use(self, a: Atom, out: list[Stmt]) -> Atom:
        """The name of a scalar in the second program."""
        if not isinstance(a, Var) or self.is_there(a):
            return a
        found = next((scope[a.name] for scope in reversed(self.scopes) if a.name in scope), None)
        if found is not None:
            return found
        if not self.free(a):
            raise CannotSplit(f"{a.name} is needed where it is not known")
        s = self.made[a.name]
        new = self.names.like(a)
        s = rebuild(s, lambda x: x if isinstance(x.type, Array) else self.use(x, out), lambda v: new)
        out.append(replace(s, checked=False) if isinstance(s, Load) else s)
        self.scopes[-1][a.name] = new
        return new

    def block(
        self, block: Block, place: _Queue | _Columns, record: list[Stmt], replay: list[Stmt], begin: Iterable[Var]
    ) -> None:
        """The statements of a block in both programs. ``begin``: scalars available at its start."""
        mine, stmts = list(begin), []
        for s in block.stmts:
            if self.depends(s) and (isinstance(s, (If, Loop)) or self.foreign(s)):
                self.run(stmts, mine, place, record, replay)
                stmts, mine = [], self.region(s, place, record, replay)
            else:
                stmts.append(s)
        self.run(stmts, mine, place, record, replay)

    def run(
        self, stmts: list[Stmt], mine: Sequence[Var], place: _Queue | _Columns, record: list[Stmt], replay: list[Stmt]
    ) -> None:
        """The statements between two regions of the linear part. The values that they provide to it are logged after
        them, and read before them in the second program."""
        primal = [s for s in stmts if not self.depends(s)]
        values = [v for v in (*mine, *(o for s in primal for o in outputs(s))) if v.name in self.needed]
        self.kinds |= {kind_of(v.type) for v in values}  # type: ignore[arg-type]
        record += primal
        place.put(values, record)
        self.scopes[-1].update(place.take(values, replay))
        for s in stmts:
            if self.depends(s):
                replay.append(rebuild(s, lambda a: a if isinstance(a.type, Array) else self.use(a, replay)))

    def region(self, s: Stmt, place: _Queue | _Columns, record: list[Stmt], replay: list[Stmt]) -> list[Var]:
        """A branch or loop with statements of the linear part, or a statement on whole arrays. Return the scalars that
        it defines for the primal."""
        match s:
            case If():
                return self.branch(s, place, record, replay)
            case Loop():
                return self.loop(s, record, replay)
        taken = {a.name: self.handed(a, record, replay) for a in self.foreign(s)}
        use = lambda a: taken.get(a.name, a) if isinstance(a.type, Array) else self.use(a, replay)
        replay.append(rebuild(s, use))
        return []

    def inside(
        self, block: Block, place: _Queue | _Columns, begin: Iterable[Var], mine: Sequence[bool], first: int
    ) -> tuple[Block, Block]:
        """A nested block in both programs. ``mine``: which results, after the first ``first``, belong to the linear
        part."""
        record: list[Stmt] = []
        replay: list[Stmt] = []
        self.scopes.append({})
        self.block(block, place, record, replay, begin)
        rest = block.results[first:]
        ours = tuple(r for r, m in zip(rest, mine, strict=True) if not m)
        linear = (r for r, m in zip(rest, mine, strict=True) if m)
        theirs = tuple(self.use(r, replay) if isinstance(r.type, Scalar) else r for r in linear)
        head = tuple(self.use(r, replay) for r in block.results[:first])
        self.scopes.pop()
        return Block(tuple(record), (*block.results[:first], *ours)), Block(tuple(replay), (*head, *theirs))

    def branch(self, s: If, place: _Queue | _Columns, record: list[Stmt], replay: list[Stmt]) -> list[Var]:
        mine = [self.facts.is_wide(o) for o in s.outs]
        cond = self.use(s.cond, replay)
        arms = [self.inside(b, place, (), mine, 0) for b in (s.then, s.orelse)]
        ours = tuple(o for o, m in zip(s.outs, mine, strict=True) if not m)
        theirs = tuple(o for o, m in zip(s.outs, mine, strict=True) if m)
        record.append(replace(s, then=arms[0][0], orelse=arms[1][0], outs=ours))
        replay.append(replace(s, cond=cond, then=arms[0][1], orelse=arms[1][1], outs=theirs))
        return [o for o in ours if isinstance(o.type, Scalar)]

    def loop(self, s: Loop, record: list[Stmt], replay: list[Stmt]) -> list[Var]:
        mine = [self.facts.is_wide(c) for c in s.carried]
        pick = lambda atoms, linear: tuple(a for a, m in zip(atoms, mine, strict=True) if m == linear)
        inits = tuple(self.use(i, replay) if isinstance(i.type, Scalar) else i for i in pick(s.inits, True))
        start, step = self.use(s.start, replay), self.use(s.step, replay)
        stop = None if s.stop is None else self.use(s.stop, replay)
        begin = [c for c in pick(s.carried, False) if isinstance(c.type, Scalar)]
        own = replace(s, carried=pick(s.carried, False), inits=pick(s.inits, False), outs=pick(s.outs, False))
        again = replace(
            s, start=start, stop=stop, step=step, carried=pick(s.carried, True), inits=inits, outs=pick(s.outs, True),
            trips=None, mark=None,
        )  # fmt: skip
        columns = self.columns(s)
        first, second = self.inside(s.body, columns or _Queue(self), begin, mine, int(s.exits))
        own, again = replace(own, body=first), replace(again, body=second)
        if columns is not None:
            own, again = columns.entered(own, record, True), columns.entered(again, replay, False)
        record.append(own)
        replay.append(again)
        trips = [] if s.trips is None else [s.trips]
        return [o for o in (*own.outs, *trips) if isinstance(o.type, Scalar) and o.name in self.made]

    def columns(self, s: Loop) -> _Columns | None:
        """The log of a loop whose iterations all log the same values, or None."""
        if s.exits or s.stop is None or not isinstance(s.step, Const):
            return None
        if any(self.depends(t) and (isinstance(t, Loop) or self.foreign(t)) for t in walk(s.body)):
            return None
        return _Columns(self, s)

    def handed(self, a: Var, record: list[Stmt], replay: list[Stmt]) -> Var:
        """A copy of a primal array, with its current contents, in the second program."""
        if a.name in self.params:
            return a
        sizes = [self.names.var("n", I64) for _ in range(a.type.rank)]
        record += [Dim(n, a, k, self.f.span) for k, n in enumerate(sizes)]
        queue, kind = _Queue(self), kind_of(Scalar(a.type.dtype))
        queue.put(sizes, record)
        there = queue.take(sizes, replay)
        self.kinds |= {kind, "i64"}
        made = self.names.like(a)
        shape = tuple(there[n.name] for n in sizes)
        replay.append(Alloc(made, shape, None, self.f.span))
        if kind != a.type.dtype:
            raise CannotSplit(f"an array of {a.type.dtype} is needed")
        for array, dims, out, read in ((a, tuple(sizes), record, True), (made, shape, replay, False)):
            total: Atom = ONE
            for n in dims:
                total = self.stack.let(out, "mul", total, n, hint="size")
            base = self.advance(kind, total, out, grow=read)
            index = tuple(self.names.var("i", I64) for _ in dims)
            inner: list[Stmt] = []
            at: Atom = ZERO
            for i, n in zip(index, dims, strict=True):
                at = self.stack.let(inner, "add", self.stack.let(inner, "mul", at, n), i)
            at = self.stack.let(inner, "add", base, at)
            e = self.names.var("e", Scalar(kind))
            log = self.stack.logs[kind]
            inner += (
                [Load(e, array, index, False), Store(log, (at,), e, False)]
                if read
                else [Load(e, log, (at,), False), Store(array, index, e, False)]
            )
            for i, n in reversed(list(zip(index, dims, strict=True))):
                inner = [Loop(i, ZERO, n, ONE, (), (), Block(tuple(inner)), (), span=self.f.span)]
            out += inner
        return made

    def advance(self, kind: str, by: Atom, out: list[Stmt], grow: bool) -> Var:
        """The position of the next cells of a log; the cursor moves past them."""
        place = (Const(KINDS.index(kind), I64),)
        base = self.names.var("base", I64)
        out.append(Load(base, self.stack.cursor, place, False))
        end = self.stack.let(out, "add", base, by, hint="end")
        if grow:
            out.append(Reserve(self.stack.logs[kind], end))
        out.append(Store(self.stack.cursor, place, end, False))
        return base

    # -- words of the log

    def logged(self, v: Var, log: Var, at: Atom, out: list[Stmt]) -> None:
        word: Atom = v if v.type.dtype == log.type.dtype else self.stack.let(out, "cast", v, hint="word")
        out.append(Store(log, (at,), word, False, self.f.span))

    def told(self, v: Var, log: Var, at: Atom, out: list[Stmt]) -> Var:
        new = self.names.like(v)
        word = new if v.type.dtype == log.type.dtype else self.names.var("word", I64)
        out.append(Load(word, log, (at,), False, self.f.span))
        if word is not new:
            out.append(Let(new, "ne", (word, ZERO)) if v.type == BOOL else Let(new, "cast", (word,)))
        return new


def _by_kind(values: Iterable[Var]) -> dict[str, list[Var]]:
    found: dict[str, list[Var]] = {}
    for v in values:
        found.setdefault(kind_of(v.type), []).append(v)  # type: ignore[arg-type]
    return found


@dataclass(frozen=True)
class _Queue:
    """Values logged one after another, in the order in which both programs run."""

    split: _Split

    def put(self, values: Sequence[Var], out: list[Stmt]) -> None:
        self._each(values, out, True, self.split.logged)

    def take(self, values: Sequence[Var], out: list[Stmt]) -> dict[str, Atom]:
        return self._each(values, out, False, self.split.told)

    def _each(self, values: Sequence[Var], out: list[Stmt], grow: bool, each: Callable) -> dict[str, Atom]:
        s, found = self.split, {}
        for kind, mine in _by_kind(values).items():
            base = s.advance(kind, Const(len(mine), I64), out, grow)
            for k, v in enumerate(mine):
                at = base if k == 0 else s.stack.let(out, "add", base, Const(k, I64))
                found[v.name] = each(v, s.stack.logs[kind], at, out)
        return found


@dataclass
class _Columns:
    """Values logged in a counted loop: one column per value, with one cell per iteration."""

    split: _Split
    loop: Loop
    slots: dict[str, int] = field(default_factory=dict)  # by element type
    places: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = self.split.names
        self.trips, self.at = names.var("trips", I64), names.var("at", I64)
        self.bases = {k: names.var(f"columns_{k}", I64) for k in KINDS}

    def put(self, values: Sequence[Var], out: list[Stmt]) -> None:
        for v in values:
            kind = kind_of(v.type)  # type: ignore[arg-type]
            self.places[v.name] = kind, self.slots.setdefault(kind, 0)
            self.slots[kind] += 1
            self.split.logged(v, self.split.stack.logs[kind], self._cell(v, out), out)

    def take(self, values: Sequence[Var], out: list[Stmt]) -> dict[str, Atom]:
        logs = self.split.stack.logs
        return {v.name: self.split.told(v, logs[self.places[v.name][0]], self._cell(v, out), out) for v in values}

    def _cell(self, v: Var, out: list[Stmt]) -> Atom:
        kind, slot = self.places[v.name]
        let = self.split.stack.let
        first = self.bases[kind]
        if slot:
            first = let(out, "add", first, let(out, "mul", self.trips, Const(slot, I64)))
        return let(out, "add", first, self.at)

    def entered(self, s: Loop, out: list[Stmt], grow: bool) -> Loop:
        """The loop in one of the programs; its columns are allocated before it."""
        if not self.slots:
            return s
        assert s.stop is not None
        out.append(Let(self.trips, "trips", (s.start, s.stop, s.step), s.span))
        for kind, count in self.slots.items():
            size = self.split.stack.let(out, "mul", self.trips, Const(count, I64), hint="size")
            base = self.split.advance(kind, size, out, grow)
            out.append(Let(self.bases[kind], "add", (base, ZERO), s.span))
        if s.start == ZERO and s.step == ONE:
            head = Let(self.at, "add", (s.index, ZERO), s.span)
            return replace(s, body=replace(s.body, stmts=(head, *s.body.stmts)))
        after, last = self.split.names.like(self.at), self.split.names.like(self.at)
        body = Block((*s.body.stmts, Let(after, "add", (self.at, ONE), s.span)), (*s.body.results, after))
        return replace(s, carried=(*s.carried, self.at), inits=(*s.inits, ZERO), body=body, outs=(*s.outs, last))
