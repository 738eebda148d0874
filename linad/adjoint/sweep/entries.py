"""Entries of a Jacobian one by one, if each contribution comes from a single place of the program.

Reverse mode reads the cotangents of the results and adds to the adjoints of the arguments. If the value added to a cell
depends, through scalars alone, on cotangents that were read in the same iteration, its factor with respect to each of
them is an entry of the Jacobian: the row is the cell that was read, the column the cell that is added to. A single run
then gives all entries, whatever the sparsity. This is the case if residuals (of measurements, edges or elements) are
computed one after the other from values gathered by index.

**Transformation.** Preaccumulation of local Jacobians: Griewank and Walther, Evaluating Derivatives, section 10.2.

**Before.** ``t = load y_bar [i]; x_bar[j] += a * t``
**After.** ``entry (i, j) a``

**Legality.** The derivative program is linear in the cotangents. Cotangents are loaded, and set to zero where the
result is overwritten; no adjoint that depends on them passes through memory or from one iteration to the next. The
value added to a cell depends on the same cotangents, whichever arms of earlier branches have executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Call, Const, Copy, Dense, Dim, Function, If, Let, Load, Loop, Names, Param, Program, Stmt,
    Store, Var, all_names, blocks, operands, outputs, walk,
)
from linad_typecheck.types import BOOL, F64, I32, I64, Array, Scalar, is_float

from ..errors import CannotSplit
from .directions import ONE, ZERO, Calls, Facts, zero

COUNTED, PLACED, FILLED, SUMMED = "counted", "placed", "filled", "summed"
BLOCKS, RUNS = "blocks", "runs"  # as FILLED, for entries that lie side by side
MOST = 4000  # maximum number of statements for the factors

Lanes = dict[int, Atom]  # by cotangent that was read: the factor of a value with respect to it
Index = tuple[Atom, ...]


@dataclass(frozen=True)
class _Seed:
    """A cotangent that was read: the result it belongs to, where it was read, its row, and the names that the row
    depends on."""

    leaf: int
    index: Index
    row: Atom
    names: frozenset[str]


@dataclass(frozen=True)
class _Entry:
    """An entry that is emitted at the end of its block: the parameter and its cell, as an index and in C order."""

    leaf: int
    index: Index
    cell: Atom
    lane: int
    factor: Atom


def entries(program: Program, given: int, results: int, wrt: Sequence[int], kind: str) -> Program:
    """The program that computes the entries of a Jacobian one after the other.

    Parameters
    ----------
    program
        The reverse derivative with the value, in the form without `Dup`, `Drop` and `Read`.
    given
        The number of parameters of the differentiated function. They are followed by the cotangents of its float
        results and by the adjoint buffers.
    results
        The number of results of that function: later results are gradients with respect to scalars.
    wrt
        The positions of the parameters to differentiate by, in order.
    kind
        What the program does. Its parameters are those of the function, then the cotangents, all of them 1.

        - ``"counted"``: returns the number of entries, and then the sizes of the arrays among the float results.
        - ``"placed"``: stores the row and the column of each entry; the row is -1 for cells overwritten later. It also
          stores how many entries of the same block, and of the same run, precede it. The parameters include a vector
          for each of these, then two vectors with the offsets of the rows of each result and of the columns of each
          parameter.
        - ``"filled"``: stores each entry to its cell of a vector. The parameters include the 32-bit numbers of the
          cells, and that vector. Entries of cells overwritten later go to a cell that is never read, so every cotangent
          is taken as 1.
        - ``"summed"``: as ``"filled"``; entries of the same cell are added.
        - ``"blocks"`` and ``"runs"``: as ``"filled"``, with a number for the first entry of each block, or run, only:
          the others are in the cells that follow. A block has the entries of one iteration in rows and columns whose
          indices differ by constants in the last axis; a run is a row of it.

    Raises
    ------
    CannotSplit
        If the entries do not come from single places of the program.
    """
    f = program.main
    walker = _Walk(program, given, results, wrt, kind)
    main = walker.function()
    return Program(f.name, {**program.functions, f.name: main})


def by_ints(program: Program, given: int) -> bool:
    """Whether nothing that the entry computes depends on floats among its first parameters."""
    f = program.main
    known = {p.var.name for p in f.params[given:]}  # values computed from the cotangents alone
    for s in walk(f.body):
        if isinstance(s, Call | Dense):
            return False
        floats = [a for a in operands(s) if isinstance(a, Var) and is_float(a.type)]
        if all(a.name in known for a in floats):
            known |= {o.name for o in outputs(s)} if floats else set()
        elif isinstance(s, Let) and not is_float(s.out.type):  # floats decide nothing else but by way of these
            return False
    return True


class _Walk:
    """Rewrites the entry function. ``at``: the number of entries, blocks or runs so far. ``pending``: the entries of
    the current block, which are emitted at its end in an order in which they probably lie side by side. ``shifts``:
    ints that are another one and a constant."""

    def __init__(self, program: Program, given: int, results: int, wrt: Sequence[int], kind: str) -> None:
        self.f, self.given, self.results, self.kind = program.main, given, results, kind
        calls = Calls(program)
        calls.learn(program.entry, frozenset(range(given, len(self.f.params))))
        self.facts: Facts = calls.facts[program.entry, frozenset(range(given, len(self.f.params)))]
        self.names = Names(all_names(self.f))
        params = self.f.params[given:]
        count_of_buffers = sum(isinstance(self.f.params[k].var.type, Array) for k in wrt)
        self.cotangents = [p.var for p in params[: len(params) - count_of_buffers]]
        self.leaf = {v.name: k for k, v in enumerate(self.cotangents)}
        buffers = iter(params[len(params) - count_of_buffers :])
        arrays = [n for n, k in enumerate(wrt) if isinstance(self.f.params[k].var.type, Array)]
        self.column = {next(buffers).var.name: n for n in arrays}
        self.scalars = [n for n, k in enumerate(wrt) if isinstance(self.f.params[k].var.type, Scalar)]
        self.lanes: dict[str, Lanes] = {}
        # the cotangents on which a value depends whichever arms have executed
        self.sure: dict[str, frozenset[int]] = {}
        self.seeds: list[_Seed] = []
        self.pending: list[_Entry] = []
        self.shifts: dict[str, tuple[Atom, int]] = {}
        self.at: Atom = ZERO
        self.made = count()
        self.out: list[Stmt] = []
        self.placing = kind == PLACED  # where it matters whether a cotangent has been set to zero
        vector = lambda hint, dtype: self.names.var(hint, Array(dtype, 1))  # noqa: E731
        self.rows, self.columns = vector("rows", "i64"), vector("columns", "i64")
        self.in_block, self.in_run = vector("in_block", "i64"), vector("in_run", "i64")
        self.row_starts, self.column_starts = vector("row_starts", "i64"), vector("column_starts", "i64")
        self.cells, self.data = vector("cells", "i32"), vector("data", "f64")

    def function(self) -> Function:
        f = self.f
        for k, v in enumerate(self.cotangents):
            if isinstance(v.type, Scalar):
                self.seed(v, k, (), ZERO, Const(1.0, v.type))
        self.block(f.body.stmts)
        for n, r in zip(self.scalars, f.body.results[self.results :], strict=True):
            self.entries(n, (), ZERO, r)
        self.emit()
        sizes: list[Atom] = []
        if self.kind == COUNTED:
            for r in f.body.results[: self.results]:
                if isinstance(r.type, Array) and r.type.dtype in ("f32", "f64"):
                    for axis in range(r.type.rank):
                        sizes.append(self.names.var("n", I64))
                        self.out.append(Dim(sizes[-1], r, axis, f.span))
        more: dict[str, tuple[Param, ...]] = {
            COUNTED: (),
            PLACED: (
                *(Param(v, "mut") for v in (self.rows, self.columns, self.in_block, self.in_run)),
                *(Param(v, "read") for v in (self.row_starts, self.column_starts)),
            ),
            SUMMED: (Param(self.cells, "read"), Param(self.data, "acc")),
        }
        filled = Param(self.cells, "read"), Param(self.data, "mut")
        ones = (Param(v, "read" if isinstance(v.type, Array) else "own") for v in self.cotangents)
        params = (*f.params[: self.given], *ones, *more.get(self.kind, filled))
        total = (self.at, *sizes) if self.kind == COUNTED else ()
        return Function(f.name, params, Block(tuple(self.out), total), f.span)

    # -- the walk

    def block(self, stmts: Sequence[Stmt]) -> None:
        around, self.pending = self.pending, []
        for s in stmts:
            self.stmt(s)
            if next(self.made) > 10**6 or len(self.out) > MOST:
                raise CannotSplit("too long")
        self.emit()
        self.pending = around

    def stmt(self, s: Stmt) -> None:
        wide = self.facts.is_wide
        match s:
            case Let() if wide(s.out):
                self.let(s)
            case Load(out=v, array=a, index=i) if wide(v):
                if a.name not in self.leaf:
                    raise CannotSplit("through memory")
                self.out += [s] if self.placing else []
                self.seed(v, self.leaf[a.name], i, self.flat(a, i), v if self.placing else Const(1.0, v.type))
            case Store(array=a, value=e) if wide(a):
                if a.name not in self.leaf or wide(e) or not isinstance(e, Const) or e.value != 0.0:
                    raise CannotSplit("through memory")
                self.out += [s] if self.placing else []
            case AddTo(array=a, index=i, value=e) if wide(a):
                if a.name not in self.column:
                    raise CannotSplit("through memory")
                if s.checked:
                    raise CannotSplit("an index that is tested late")
                self.entries(self.column[a.name], i, self.flat(a, i), e)
            case Copy(out=v, array=a) if wide(v):
                if a.name not in self.leaf:
                    raise CannotSplit("through memory")
                self.leaf[v.name] = self.leaf[a.name]
                self.out += [s] if self.placing else []
            case Dim(array=a) if a.name in self.column:
                self.out.append(replace(s, array=self.primal(a)))
            case If():
                self.branch(s)
            case Loop():
                self.loop(s)
            case _ if not self.touches(s):
                self.shift(s)
                self.out.append(s)
            case _:
                raise CannotSplit("whole arrays")

    def touches(self, s: Stmt) -> bool:
        return any(map(self.facts.is_wide, (*operands(s), *outputs(s))))

    def primal(self, bar: Var) -> Var:
        """The parameter that an adjoint buffer belongs to."""
        like = next(p.like for p in self.f.params if p.var.name == bar.name)
        return next(p.var for p in self.f.params if p.var.name == like)

    # -- factors

    def of(self, a: Atom) -> Lanes:
        return self.lanes.get(a.name, {}) if isinstance(a, Var) else {}

    def sure_of(self, a: Atom) -> frozenset[int]:
        return self.sure.get(a.name, frozenset()) if isinstance(a, Var) else frozenset()

    def seed(self, v: Var, leaf: int, index: Index, cell: Atom, factor: Atom) -> None:
        """Record a cotangent that is read. It is zero if its cell is overwritten later."""
        row, names = cell, frozenset(x.name for x in index if isinstance(x, Var))
        if self.kind == PLACED:
            row = self.op("add", self.start(self.row_starts, leaf), cell)
            if isinstance(factor, Var):
                lost = self.op("eq", factor, zero(factor), type=BOOL)
                row = self.op("select", lost, Const(-1, I64), row)
            names |= {row.name}
        self.lanes[v.name] = {len(self.seeds): factor}
        self.sure[v.name] = frozenset((len(self.seeds),))
        self.seeds.append(_Seed(leaf, index, row, names))

    def let(self, s: Let) -> None:
        wide = self.facts.is_wide
        found: Lanes = {}
        for lane in dict.fromkeys(k for a in s.ins for k in self.of(a)):
            ins = [self.of(a).get(lane) if wide(a) else a for a in s.ins]
            match s.op, ins:
                case ("add", [a, None] | [None, a]):
                    found[lane] = a
                    continue
                case ("add", [a, b]) if not all(map(wide, s.ins)):
                    found[lane] = a if wide(s.ins[0]) else b
                    continue
                case ("sub", [a, None]):
                    found[lane] = a
                    continue
                case ("sub", [None, b]):
                    op, ins = "neg", [b]
                case _:
                    op, ins = s.op, [zero(s.out) if a is None else a for a in ins]
            found[lane] = out = self.names.like(s.out)
            self.out.append(Let(replace(out, adjoint=False), op, tuple(ins), s.span))
            found[lane] = replace(out, adjoint=False)
        self.lanes[s.out.name] = found
        self.sure[s.out.name] = frozenset().union(*map(self.sure_of, s.ins))

    def branch(self, s: If) -> None:
        wide = [k for k, o in enumerate(s.outs) if self.facts.is_wide(o)]
        if any(isinstance(s.outs[k].type, Array) for k in wide) or self.facts.is_wide(s.cond):
            raise CannotSplit("through memory")
        before, at = self.out, self.at
        arms = []
        for b in blocks(s):
            self.out, self.at = [], at
            self.block(b.stmts)
            arms.append((self.out, self.at, [self.of(b.results[k]) for k in wide], b.results))
        self.out = before
        inside = {o.name for b in blocks(s) for t in walk(b) for o in outputs(t)}
        outs = [o for k, o in enumerate(s.outs) if k not in wide]
        results = [[r for k, r in enumerate(found) if k not in wide] for *_, found in arms]
        for n, k in enumerate(wide):
            lanes: Lanes = {}
            for lane in dict.fromkeys(x for _, _, own, _ in arms for x in own[n]):
                if self.seeds[lane].names & inside:
                    raise CannotSplit("a row that one arm alone knows")
                lanes[lane] = out = replace(self.names.like(s.outs[k]), adjoint=False)
                outs.append(out)
                for r, (_, _, own, _) in zip(results, arms, strict=True):
                    r.append(own[n].get(lane, zero(out)))
            self.lanes[s.outs[k].name] = lanes
            one, other = (found[k] for *_, found in arms)
            self.sure[s.outs[k].name] = self.sure_of(one) & self.sure_of(other)
        if any(end != at for _, end, _, _ in arms):
            self.at = self.names.var("at", I64)
            outs.append(self.at)
            for r, (_, end, _, _) in zip(results, arms, strict=True):
                r.append(end)
        else:
            self.at = at
        then, orelse = (Block(tuple(stmts), tuple(r)) for (stmts, *_), r in zip(arms, results, strict=True))
        self.out.append(replace(s, then=then, orelse=orelse, outs=tuple(outs)))

    def loop(self, s: Loop) -> None:
        if any(map(self.facts.is_wide, (*s.carried, *s.outs))):
            raise CannotSplit("from one iteration to the next")
        before, start = self.out, self.at
        self.out, self.at = [], self.names.var("at", I64)
        own = self.at
        self.block(s.body.stmts)
        body, end, self.out = tuple(self.out), self.at, before
        if end == own:
            self.at = start
            self.out.append(replace(s, body=Block(body, s.body.results)))
            return
        self.at = self.names.var("at", I64)
        self.out.append(
            replace(
                s,
                carried=(*s.carried, own),
                inits=(*s.inits, start),
                body=Block(body, (*s.body.results, end)),
                outs=(*s.outs, self.at),
            )
        )

    # -- entries

    def entries(self, leaf: int, index: Index, cell: Atom, value: Atom) -> None:
        """Record the entries with respect to one cell of an argument."""
        for lane, factor in self.of(value).items():
            if lane not in self.sure_of(value):
                raise CannotSplit("what one arm alone depends on")
            self.pending.append(_Entry(leaf, index, cell, lane, factor))

    def emit(self) -> None:
        """Emit the entries of a block, in an order in which those of a matrix probably lie side by side."""
        groups: dict[object, list[tuple[int, int, _Entry]]] = {}
        for e in sorted(self.pending, key=lambda e: e.leaf):
            seed = self.seeds[e.lane]
            (row, r), (column, c) = self.shifted(seed.index), self.shifted(e.index)
            groups.setdefault((e.leaf, seed.leaf, row, column), []).append((r, c, e))
        for group in groups.values():
            in_block = count()
            for _, run in groupby(sorted(group, key=lambda x: x[:2]), key=lambda x: x[0]):
                for in_run, (_, _, e) in enumerate(run):
                    self.entry(e, next(in_block), in_run)
        self.pending = []

    def entry(self, e: _Entry, in_block: int, in_run: int) -> None:
        before = {BLOCKS: in_block, RUNS: in_run}.get(self.kind, 0)
        if self.kind == PLACED:
            column = self.op("add", self.start(self.column_starts, e.leaf), e.cell)
            found = self.seeds[e.lane].row, column, Const(in_block, I64), Const(in_run, I64)
            for array, value in zip((self.rows, self.columns, self.in_block, self.in_run), found, strict=True):
                self.out.append(Store(array, (self.at,), value, False))
        elif self.kind != COUNTED:
            if not before:
                number = self.names.var("cell", I32)
                self.out.append(Load(number, self.cells, (self.at,), False))
                self.first = self.op("cast", number)
            place = self.op("add", self.first, Const(before, I64)) if before else self.first
            factor = e.factor if e.factor.type == F64 else self.op("cast", e.factor, type=F64)
            kind = AddTo if self.kind == SUMMED else Store
            self.out.append(kind(self.data, (place,), factor, False))
        if not before:
            self.at = self.op("add", self.at, ONE)

    def shift(self, s: Stmt) -> None:
        """Record an int that is another one and a constant."""
        match s:
            case Let(op="add", ins=(a, Const(value=k)) | (Const(value=k), a)) | Let(op="sub", ins=(a, Const(value=k))):
                if s.out.type == I64:
                    base, more = self.shifts.get(a.name, (a, 0)) if isinstance(a, Var) else (a, 0)
                    self.shifts[s.out.name] = base, more + (k if s.op == "add" else -k)

    def shifted(self, index: Index) -> tuple[Index, int]:
        """An index without the constant that its last axis adds, and that constant."""
        match index:
            case (*most, Const(value=k)):
                return tuple(most), int(k)
            case (*most, Var(name=name)) if name in self.shifts:
                base, k = self.shifts[name]
                return (*most, base), k
        return index, 0

    def start(self, starts: Var, k: int) -> Var:
        out = self.names.var("start", I64)
        self.out.append(Load(out, starts, (Const(k, I64),), False))
        return out

    def flat(self, a: Var, index: Sequence[Atom]) -> Atom:
        """The number of a cell in C order."""
        if self.kind != PLACED:
            return ZERO
        home = self.primal(a) if a.name in self.column else a
        at: Atom = index[0] if index else ZERO
        for axis, i in enumerate(index[1:], 1):
            n = self.names.var("n", I64)
            self.out.append(Dim(n, home, axis))
            at = self.op("add", self.op("mul", at, n), i)
        return at

    def op(self, op: str, *ins: Atom, type: Scalar = I64) -> Var:
        out = self.names.var("t", type)
        self.out.append(Let(out, op, ins))
        return out
