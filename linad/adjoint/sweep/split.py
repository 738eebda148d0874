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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.build import ONE, ZERO, Builder
from linad_typecheck.ir.core import (
    AddArray, Atom, Block, Call, Const, Copy, Dense, Dim, Function, If, Let, Load, Loop, Names, Param, Program,
    Stmt, Var, all_names, blocks, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import I64, Array, Scalar, is_float

from .directions import Calls, Facts
from ..errors import CannotSplit
from ..growing_logs import KINDS, GrowingLogs, kind_of


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
        for a in self.wanted():
            self.need(a)
        self.logs = GrowingLogs(self.names)
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
        finals = tuple(self.whole(k, record) for k in self.logs.logs)
        body = Block((*self.logs.allocations(), *record), (*self.f.body.results[: self.results], *finals))
        first = Function(f"{self.f.name}_record", self.f.params[: self.given], body, self.f.span)
        params = (*self.f.params, *(Param(v, "read") for v in self.logs.logs.values()))
        body = Block((*self.logs.empty_ends(), *replay), tuple(kept))
        second = Function(f"{self.f.name}_replay", params, body, self.f.span)
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
        b, log = self.builder(out), self.logs.log(kind)
        size = self.logs.end(b, kind)
        made = b.empty_like(log, (size,))
        b.loop(size, lambda i: b.store(made, (i,), b.load(log, (i,))))
        return made

    def builder(self, out: list[Stmt]) -> Builder:
        return Builder(self.names, out, self.f.span)

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
        if kind_of(a.type) != a.type.dtype:
            raise CannotSplit(f"an array of {a.type.dtype} is needed")
        write, read = self.builder(record), self.builder(replay)
        queue, kind, logs = _Queue(self), kind_of(a.type), self.logs
        sizes = write.dims(a)
        queue.put(sizes, record)
        there = queue.take(sizes, replay)
        base = logs.append(write, kind, write.count(sizes))
        write.each(sizes, lambda *i: logs.write(write, kind, write.flat(base, i, sizes), write.load(a, i)))
        shape = tuple(there[n.name] for n in sizes)
        made = read.empty_like(a, shape)
        start, cell = logs.skip(read, kind, read.count(shape)), Var("e", Scalar(kind))
        read.each(shape, lambda *i: read.store(made, i, logs.read(read, kind, read.flat(start, i, shape), cell)))
        return made


@dataclass(frozen=True)
class _Queue:
    """Values logged one after another, in the order in which both programs run."""

    split: _Split

    def put(self, values: Sequence[Var], out: list[Stmt]) -> None:
        self.split.logs.push(self.split.builder(out), values)

    def take(self, values: Sequence[Var], out: list[Stmt]) -> dict[str, Var]:
        return self.split.logs.take(self.split.builder(out), values)


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
        b = self.split.builder(out)
        for v in values:
            kind = kind_of(v.type)  # type: ignore[arg-type]
            self.places[v.name] = kind, self.slots.setdefault(kind, 0)
            self.slots[kind] += 1
            self.split.logs.write(b, kind, self._cell(b, v), v)

    def take(self, values: Sequence[Var], out: list[Stmt]) -> dict[str, Var]:
        b = self.split.builder(out)
        return {v.name: self.split.logs.read(b, self.places[v.name][0], self._cell(b, v), v) for v in values}

    def _cell(self, b: Builder, v: Var) -> Atom:
        kind, slot = self.places[v.name]
        return b.add(
            b.add(self.bases[kind], b.mul(self.trips, Const(slot, I64))) if slot else self.bases[kind], self.at
        )

    def entered(self, s: Loop, out: list[Stmt], grow: bool) -> Loop:
        """The loop in one of the programs; its columns are allocated before it."""
        if not self.slots:
            return s
        assert s.stop is not None
        out.append(Let(self.trips, "trips", (s.start, s.stop, s.step), s.span))
        for kind, count in self.slots.items():
            b, logs = self.split.builder(out), self.split.logs
            size = b.mul(self.trips, Const(count, I64), hint="size")
            base = logs.append(b, kind, size) if grow else logs.skip(b, kind, size)
            out.append(Let(self.bases[kind], "add", (base, ZERO), s.span))
        if s.start == ZERO and s.step == ONE:
            head = Let(self.at, "add", (s.index, ZERO), s.span)
            return replace(s, body=replace(s.body, stmts=(head, *s.body.stmts)))
        after, last = self.split.names.like(self.at), self.split.names.like(self.at)
        body = Block((*s.body.stmts, Let(after, "add", (self.at, ONE), s.span)), (*s.body.results, after))
        return replace(s, carried=(*s.carried, self.at), inits=(*s.inits, ZERO), body=body, outs=(*s.outs, last))
