"""Vector mode: derivatives in many directions at once.

The results of `forward` and `reverse` are linear in the parameters that they add: tangents, cotangents and adjoint
buffers. Here each of these, and everything that depends on them, gets an innermost axis with one cell per direction.
The rest (the primal with its control flow, its logs, and the partial derivatives) is computed once for all directions.

**Transformation.** Vector mode of automatic differentiation: Griewank and Walther, Evaluating Derivatives, section 3.1.

**Before.** ``y_dot = slope * x_dot``
**After.** ``for k in range(w): y_dot = slope * x_dots[k]; y_dots[k] = y_dot``

**Legality.** No statement of the primal depends on a tangent or an adjoint. The statements that do can move to the end
of their block, or to the next region that contains such statements, where they form one loop over the directions. A
scalar that one such loop computes and another one uses is stored in a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Dense, Dim, Fill, Function, If, Let, Load, Loop,
    Names, Param, Program, Reserve, Stmt, Store, Var, all_names, base_name, blocks, operands, outputs, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.types import BOOL, I64, ZEROS, Array, Scalar

ZERO, ONE = Const(0, I64), Const(1, I64)
FEW = 1000  # products of two cells up to which all directions of one are computed at once; BLAS is ahead for more
BY_COLUMNS = ("solve", "trisolve", "gramsolve")  # operations on each column of the matrix that they update


def in_directions(program: Program, given: int, results: int) -> Program:
    """Transform a program so that its entry takes and returns derivatives in several directions.

    Parameters
    ----------
    program
        The result of differentiation, in the form without `Dup`, `Drop` and `Read`.
    given
        The number of parameters of the differentiated function: later parameters get the axis.
    results
        The number of results of the differentiated function: later results get the axis.

    Returns
    -------
    Program
        A scalar with the axis becomes a vector, which is read-only if it is a parameter. All vectors have the same
        length.
    """
    calls = Calls(program)
    entry = program.main
    new = range(given, len(entry.params))
    calls.learn(program.entry, frozenset(new))
    made = {
        program.entry: _widened(entry, calls, frozenset(new), program.entry, range(results, len(entry.body.results)))
    }
    while wanted := [key for key, name in calls.names.items() if name not in made]:
        for callee, positions in wanted:
            name = calls.names[callee, positions]
            made[name] = _widened(program.functions[callee], calls, positions, name, ())
    return replace(program, functions={**program.functions, **made})


def _widened(f: Function, calls: Calls, positions: frozenset[int], name: str, wide_results: Iterable[int]) -> Function:
    """A function with the axis on some of its parameters. It is generated twice: the first run finds the scalars that
    one loop over the directions leaves for another."""
    facts = calls.facts[f.name, positions]
    forced = frozenset(wide_results)
    first = _Walk(f, facts, calls, frozenset(), forced)
    first.function(name)
    return _Walk(f, facts, calls, frozenset(first.left), forced).function(name)


# ----------------------------------------------------------------------------------------- dependence on the directions


def zero(v: Var) -> Const:
    return Const(ZEROS[v.type.dtype], Scalar(v.type.dtype))


class Facts:
    """What depends on the directions in a function: scalars by name, arrays by alias group."""

    def __init__(self, f: Function) -> None:
        self.f = f
        self.wide: set[str] = set()
        self.same: dict[str, str] = {}
        for s in walk(f.body):
            if isinstance(s, If):
                for b in blocks(s):
                    self._join(s.outs, b.results)
            elif isinstance(s, Loop):
                for others in (s.inits, s.nexts, s.outs):
                    self._join(s.carried, others)
        # arrays that grow, here or in a callee, have a single axis
        self.flat = {self.place(s.array) for s in walk(f.body) if isinstance(s, Reserve)}

    def _join(self, ours: Sequence[Atom], others: Sequence[Atom]) -> None:
        for a, b in zip(ours, others, strict=True):
            if isinstance(a.type, Array) and self.place(a) != self.place(b):
                self.same[self.place(b)] = self.place(a)

    def place(self, a: Atom) -> str:
        assert isinstance(a, Var)
        name = a.name
        while name in self.same:
            name = self.same[name]
        return name

    def is_wide(self, a: Atom) -> bool:
        return isinstance(a, Var) and (self.place(a) if isinstance(a.type, Array) else a.name) in self.wide

    def is_flat(self, a: Atom) -> bool:
        return isinstance(a, Var) and isinstance(a.type, Array) and self.place(a) in self.flat

    def shows_width(self) -> int | None:
        """The position of a parameter whose last axis is that of the directions; None if the width is a parameter."""
        return next((k for k, p in enumerate(self.f.params) if self.is_wide(p.var) and not self.is_flat(p.var)), None)

    def mark(self, *atoms: Atom) -> None:
        self.wide |= {self.place(a) if isinstance(a.type, Array) else a.name for a in atoms if isinstance(a, Var)}


class Calls:
    """What depends on the directions in called functions, by the positions of the parameters that do."""

    def __init__(self, program: Program) -> None:
        self.functions = program.functions
        self.facts: dict[tuple[str, frozenset[int]], Facts] = {}
        self.names: dict[tuple[str, frozenset[int]], str] = {}  # by function and positions: the name of its replacement

    def learn(self, entry: str, positions: frozenset[int]) -> None:
        """Propagate the dependence on directions through all reachable functions."""
        self._facts(entry, positions)
        before = -1
        while before < (before := sum(len(facts.wide) + len(facts.flat) + 1 for facts in self.facts.values())):
            for facts in list(self.facts.values()):
                for s in walk(facts.f.body):
                    self._flow(s, facts)

    def _facts(self, callee: str, positions: frozenset[int]) -> Facts:
        key = callee, positions
        if key not in self.facts:
            f = self.functions[callee]
            self.facts[key] = Facts(f)
            self.facts[key].mark(*(f.params[k].var for k in positions))
        return self.facts[key]

    def called(self, s: Call, facts: Facts) -> tuple[frozenset[int], Facts]:
        """The positions of a call's arguments that get the axis, and the facts about its callee."""
        positions = frozenset(k for k, a in enumerate(s.args) if facts.is_wide(a))
        while True:
            inside = self._facts(s.callee, positions)
            more = frozenset(
                k for k, p in enumerate(inside.f.params) if isinstance(p.var.type, Array) and inside.is_wide(p.var)
            )
            if more <= positions:
                return positions, inside
            positions |= more

    def is_apart(self, s: Call) -> bool:
        """Whether a call stays as it is, for one direction after the other."""
        f = self.functions[s.callee]
        return f.rule is not None or f.nonlinear is not None

    def name(self, callee: str, positions: frozenset[int]) -> str:
        """The name of the replacement of a function."""
        name = f"{callee}_in_directions_{'_'.join(map(str, sorted(positions)))}"
        return self.names.setdefault((callee, positions), name)

    def _flow(self, s: Stmt, facts: Facts) -> None:
        wide, mark = facts.is_wide, facts.mark
        match s:
            case Let(out=v, ins=ins) if any(map(wide, ins)):
                mark(v)
            case Load(out=v, array=a) | Copy(out=v, array=a) if wide(a):
                mark(v)
            case Store(array=a, value=v) | AddTo(array=a, value=v) | Fill(array=a, value=v) if wide(v):
                mark(a)
            case AddArray(array=a, other=b) if wide(b):
                mark(a)
            case Dense(updated=updated, read=read) if any(map(wide, (*updated, *read))):
                mark(*updated)
            case If(cond=cond, outs=outs):
                for b in blocks(s):
                    mark(*(o for o, r in zip(outs, b.results, strict=True) if wide(r) or wide(cond)))
            case Loop(carried=carried, inits=inits, outs=outs):
                for c, i, n, o in zip(carried, inits, s.nexts, outs, strict=True):
                    if wide(i) or wide(n):
                        mark(c, o)
            case Call(outs=outs, args=args) if any(map(wide, args)) and self.is_apart(s):
                mark(*outs)
            case Call(outs=outs, args=args) if any(map(wide, args)):
                positions, inside = self.called(s, facts)
                mark(*(args[k] for k in positions))
                mark(*(o for o, r in zip(outs, inside.f.body.results, strict=True) if inside.is_wide(r)))
                for k in positions:
                    ours, theirs = args[k], inside.f.params[k].var
                    if facts.is_flat(ours) or inside.is_flat(theirs):
                        facts.flat.add(facts.place(ours))
                        inside.flat.add(inside.place(theirs))


# ----------------------------------------------------------------------------------------------------- code generation


@dataclass(slots=True)
class _Group:
    """Statements of a loop over the directions. ``found``: local names of scalars from outside."""

    number: int
    index: Var
    stmts: list[Stmt] = field(default_factory=list)
    found: dict[str, Var] = field(default_factory=dict)


class _Walk:
    """Rewrites a function with the axis. ``kept``: scalars that one group leaves for another. ``left``: those found so
    far."""

    def __init__(self, f: Function, facts: Facts, calls: Calls, kept: frozenset[str], forced: frozenset[int]) -> None:
        self.f, self.facts, self.calls, self.kept, self.forced = f, facts, calls, kept, forced
        self.names = Names(all_names(f))
        self.left: set[str] = set()
        self.homes: dict[str, Var] = {}  # the vectors that hold scalars
        self.made: dict[str, int] = {}  # by name of a scalar: the number of the group that defines it
        self.groups = 0
        self.group: _Group | None = None
        self.out: list[Stmt] = []
        self.width = self.names.var("width", I64)

    def function(self, name: str) -> Function:
        params = [self.param(p) for p in self.f.params]
        wide = self.facts.shows_width()
        if wide is None:
            params.append(Param(self.width, "own"))
        else:
            self.out.append(Dim(self.width, params[wide].var, params[wide].var.type.rank - 1, self.f.span))
        results = list(self.f.body.results)
        vectors = {
            k: self.vector(r, "result") for k, r in enumerate(results)
            if isinstance(r.type, Scalar) and (k in self.forced or self.facts.is_wide(r))
        }  # fmt: skip
        stmts = self.block(self.f.body, [(results[k], v) for k, v in vectors.items()])
        for k, r in enumerate(results):
            if k not in vectors and k in self.forced and not self.facts.is_wide(r):
                vectors[k] = self.names.var(base_name(r.name), Array(r.type.dtype, r.type.rank + 1))
                stmts += self.repeated(r, vectors[k])
        body = Block((*self.out, *stmts), tuple(vectors.get(k) or self.renamed(r) for k, r in enumerate(results)))
        return Function(name, tuple(params), body, self.f.span)

    def param(self, p: Param) -> Param:
        v = p.var
        if not self.facts.is_wide(v):
            return p
        if isinstance(v.type, Array):
            return replace(p, var=self.renamed(v), like="")
        self.homes[v.name] = made = replace(v, type=Array(v.type.dtype, 1))
        return replace(p, var=made, mode="read", like="")

    # -- atoms

    def renamed(self, a: Atom) -> Atom:
        """An array with the additional axis."""
        if not self.facts.is_wide(a) or isinstance(a.type, Scalar) or self.facts.is_flat(a):
            return a
        return replace(a, type=Array(a.type.dtype, a.type.rank + 1))

    def vector(self, a: Atom, hint: str, out: list[Stmt] | None = None, fill: Const | None = None) -> Var:
        """A new vector with one cell per direction, for a scalar."""
        v = self.names.var(hint, Array(a.type.dtype, 1))
        v = replace(v, adjoint=isinstance(a, Var) and a.adjoint)
        (self.out if out is None else out).append(Alloc(v, (self.width,), fill, self.f.span))
        return v

    def repeated(self, v: Var, made: Var) -> list[Stmt]:
        """Create an array with a copy of another one for each direction."""
        out: list[Stmt] = []
        shape = self.dims(v, out)
        out.append(Alloc(made, (*shape, self.width), None, self.f.span))
        e = self.names.var("e", Scalar(v.type.dtype))
        self.nest(shape, lambda i, k: [Load(e, v, i, False), Store(made, (*i, k), e, False)], out)
        return out

    def dims(self, v: Var, out: list[Stmt]) -> tuple[Atom, ...]:
        """The sizes of an array, without the axis of the directions."""
        found = tuple(self.names.var("n", I64) for _ in range(v.type.rank))
        out += [Dim(n, self.renamed(v), k, self.f.span) for k, n in enumerate(found)]
        return found

    def nest(
        self,
        shape: Sequence[Atom],
        body: Callable[[tuple[Var, ...], Var], list[Stmt]],
        out: list[Stmt],
        last: bool = True,
    ) -> None:
        """Emit the loops over cells and directions around ``body(index, direction)``."""
        index = tuple(self.names.var("i", I64) for _ in shape)
        k = self.names.var("k", I64)
        stmts = tuple(body(index, k))
        for i, n in [*([(k, self.width)] if last else ()), *reversed(list(zip(index, shape, strict=True)))]:
            stmts = (Loop(i, ZERO, n, ONE, (), (), Block(stmts), (), span=self.f.span),)
        out += stmts

    # -- loops over the directions

    def opened(self) -> _Group:
        if self.group is None:
            self.groups += 1
            self.group = _Group(self.groups, self.names.var("k", I64))
        return self.group

    def close(self) -> None:
        if self.group is not None and self.group.stmts:
            g = self.group
            self.out.append(Loop(g.index, ZERO, self.width, ONE, (), (), Block(tuple(g.stmts)), (), span=self.f.span))
        self.group = None

    def lane(self, a: Atom) -> Atom:
        """The name of a scalar in the current group."""
        g = self.opened()
        if not self.facts.is_wide(a) or self.made.get(a.name) == g.number:
            return a
        self.left.add(a.name)
        if a.name not in g.found:
            g.found[a.name] = v = self.names.like(a)
            g.stmts.append(Load(v, self.home(a), (g.index,), False, self.f.span))
        return g.found[a.name]

    def home(self, v: Var) -> Var:
        """The vector that holds a scalar; in the first run it may not exist yet."""
        return self.homes.get(v.name) or replace(v, type=Array(v.type.dtype, 1))

    def arrange(self, s: Stmt) -> None:
        """Append a statement to the current group."""
        g = self.opened()
        for b in blocks(s):  # load what blocks use from outside before them
            for inner in walk(b):
                self.made |= dict.fromkeys((v.name for v in outputs(inner)), g.number)
            for inner in walk(b):
                for a in operands(inner):
                    if isinstance(a.type, Scalar):
                        self.lane(a)
            for r in b.results:
                self.lane(r)
        g.stmts.append(self.one(s, g))
        for v in outputs(s):
            self.made[v.name] = g.number
            if v.name in self.kept and self.facts.is_wide(v):
                self.homes[v.name] = self.vector(v, base_name(v.name))
                g.stmts.append(Store(self.homes[v.name], (g.index,), v, False, s.span))

    def one(self, s: Stmt, g: _Group) -> Stmt:
        """A statement for a single direction."""

        def use(a: Atom) -> Atom:
            return self.renamed(a) if isinstance(a.type, Array) else self.lane(a)

        made = rebuild(
            s, use, block=lambda b: Block(tuple(self.one(t, g) for t in b.stmts), tuple(map(use, b.results)))
        )
        match made:
            case Load(index=i) | Store(index=i) | AddTo(index=i) if self.facts.is_wide(s.array):
                if self.facts.is_flat(s.array):
                    first, at = (self.names.var("at", I64) for _ in range(2))
                    g.stmts += [Let(first, "mul", (i[0], self.width)), Let(at, "add", (first, g.index))]
                    return replace(made, index=(at,))
                return replace(made, index=(*i, g.index))
            case Let() | Load() | If() | Check() | Store() | AddTo() | Dim():
                return made
        raise AssertionError(f"{self.f.name}: a statement that depends on a direction: {s}")

    # -- statements

    def block(self, block: Block, kept: Iterable[tuple[Atom, Var]]) -> list[Stmt]:
        """The statements of a block. At its end, the results in ``kept`` are stored to vectors."""
        outer = self.out, self.group
        self.out, self.group = [], None
        for s in block.stmts:
            self.statement(s)
        values = [(self.lane(a), home) for a, home in kept]
        for a, home in values:
            g = self.opened()
            g.stmts.append(Store(home, (g.index,), a, False, self.f.span))
        self.close()
        made = self.out
        self.out, self.group = outer
        return made

    def statement(self, s: Stmt) -> None:
        wide = self.facts.is_wide
        if not self.depends(s):
            self.out.append(s)
            return
        match s:
            case If(cond=cond) if not wide(cond):
                self.branch(s)
            case Loop():
                self.loop(s)
            case Call() if self.calls.is_apart(s):
                self.close()
                self.call_by_direction(s)
            case Call():
                self.call(s)
            case Let() | Load() | Store() | AddTo() | Check() | If():
                self.arrange(s)
            case Dim(array=a, axis=axis):
                if self.facts.is_flat(a):
                    n = self.names.var("n", I64)
                    self.out += [Dim(n, a, axis, s.span), Let(s.out, "floordiv", (n, self.width), s.span)]
                else:
                    self.out.append(replace(s, array=self.renamed(a)))
            case Alloc(out=v, shape=shape):
                if self.facts.is_flat(v):
                    self.out.append(replace(s, shape=(self.times(shape[0]),)))
                else:
                    self.out.append(replace(s, out=self.renamed(v), shape=(*shape, self.width)))
            case _:
                self.close()
                self.whole(s)

    def depends(self, s: Stmt) -> bool:
        return any(map(self.facts.is_wide, (*operands(s), *outputs(s)))) or any(
            self.depends(t) for b in blocks(s) for t in b.stmts
        )

    def times(self, size: Atom) -> Atom:
        n = self.names.var("n", I64)
        self.out.append(Let(n, "mul", (size, self.width), self.f.span))
        return n

    def whole(self, s: Stmt) -> None:
        """A statement on whole arrays."""
        wide, out = self.facts.is_wide, self.out
        match s:
            case Reserve(size=n):
                out.append(replace(s, size=self.times(n)))
            case Copy(out=v, array=a) if not wide(a):
                out += self.repeated(a, self.renamed(v))
            case AddArray(array=a, other=b) if not wide(b):
                e = self.names.var("e", Scalar(b.type.dtype))
                cells = self.renamed(a)
                self.nest(self.dims(b, out), lambda i, k: [Load(e, b, i, False), AddTo(cells, (*i, k), e, False)], out)
            case Fill(array=a, value=v) if wide(v):
                self.left.add(v.name)
                e = self.names.like(v)
                cells, home = self.renamed(a), self.home(v)
                self.nest(
                    self.dims(a, out), lambda i, k: [Load(e, home, (k,), False), Store(cells, (*i, k), e, False)], out
                )
            case Dense(op="gemm", read=(a, b)) if self.facts.is_wide(a) != self.facts.is_wide(b):
                self.product(s)
            case Dense(op=op, updated=(x,), read=read) if op in BY_COLUMNS and not any(map(wide, read)):
                shape = self.dims(x, out)
                columns = self.columns(x, shape, out)
                self.between(x, columns, shape, False, None, out)
                out.append(replace(s, updated=(columns,)))
                self.between(x, columns, shape, False, Store, out)
            case Dense():
                self.dense(s)
            case _:
                out.append(rebuild(s, self.renamed, self.renamed))

    def product(self, s: Dense) -> None:
        """A product of matrices, of which one has directions: of small ones, all directions of each product of two
        cells at once; otherwise one product with a matrix in which the directions of a column are columns."""
        (c,), (a, b), (ta, tb, sign) = s.updated, s.read, s.flags
        before = self.out
        (m, n), of_a = self.dims(c, before), self.dims(a, before)
        inner = of_a[0] if ta == "t" else of_a[1]
        cells, work, small = (self.names.var(name, t) for name, t in (("cells", I64), ("work", I64), ("small", BOOL)))
        before += [
            Let(cells, "mul", (m, n), s.span),
            Let(work, "mul", (cells, inner), s.span),
            Let(small, "le", (work, Const(FEW, I64)), s.span),
        ]
        i, j, q, k = (self.names.var(name, I64) for name in "ijqk")
        dtype = Scalar(c.type.dtype)
        x, y, e, t = (self.names.var(name, dtype) for name in ("x", "y", "e", "t"))
        in_a, in_b = (q, i) if ta == "t" else (i, q), (j, q) if tb == "t" else (q, j)
        (one, place), (wide, along) = ((a, in_a), (b, in_b))[:: 1 if self.facts.is_wide(b) else -1]
        slope: list[Stmt] = [Load(x, self.renamed(one), place, False, s.span)]
        if sign == "m":
            slope.append(Let(y, "neg", (x,), s.span))
        lanes: list[Stmt] = [
            Load(e, self.renamed(wide), (*along, k), False, s.span),
            Let(t, "mul", (e, y if sign == "m" else x), s.span),
            AddTo(self.renamed(c), (i, j, k), t, False, s.span),
        ]
        loop = lambda index, stop, body: Loop(  # noqa: E731
            index, ZERO, stop, ONE, (), (), Block(tuple(body)), (), span=s.span
        )
        nest = loop(i, m, [loop(j, n, [loop(q, inner, [*slope, loop(k, self.width, lanes)])])])
        rows, columns = (m, n) if wide is b else (n, m)  # of the product, or of its transpose
        flag = ta if wide is b else "n" if tb == "t" else "t"
        large = self.names.var("large", I64)  # 0 if small: the arrays are allocated before the branch, and kept
        before.append(Let(large, "select", (small, ZERO, columns), s.span))
        factor, total = (self.columns(v, (size, large), before) for v, size in ((wide, inner), (c, rows)))
        otherwise: list[Stmt] = []
        self.between(wide, factor, (inner, columns), (tb == "t") if wide is b else (ta == "n"), None, otherwise)
        otherwise.append(Fill(total, zero(c), s.span))
        otherwise.append(replace(s, flags=f"{flag}n{sign}", updated=(total,), read=(one, factor)))
        self.between(c, total, (rows, columns), wide is a, AddTo, otherwise)
        self.out.append(If(small, Block((nest,)), Block(tuple(otherwise)), (), s.span))

    def columns(self, v: Var, shape: tuple[Atom, ...], out: list[Stmt]) -> Var:
        """A new matrix in which the directions of each column of a matrix ``v`` of this shape are columns."""
        made, n = self.names.like(v), self.names.var("n", I64)
        out += [Let(n, "mul", (shape[1], self.width)), Alloc(made, (shape[0], n), None, self.f.span)]
        return made

    def between(
        self,
        v: Var,
        columns: Var,
        shape: tuple[Atom, ...],
        transposed: bool,
        give: type[Store | AddTo] | None,
        out: list[Stmt],
    ) -> None:
        """Copy ``v``, or its transpose, in all directions to such a matrix; with ``give``, store or add that to it."""
        first, at = (self.names.var("at", I64) for _ in range(2))
        e = self.names.var("e", Scalar(v.type.dtype))

        def cell(index: tuple[Var, ...], k: Var) -> list[Stmt]:
            place, own = (*(index[::-1] if transposed else index), k), (index[0], at)
            lets = [Let(first, "mul", (index[1], self.width)), Let(at, "add", (first, k))]
            if give is None:
                return [*lets, Load(e, self.renamed(v), place, False), Store(columns, own, e, False)]
            return [*lets, Load(e, columns, own, False), give(self.renamed(v), place, e, False)]

        self.nest(shape, cell, out)

    def dense(self, s: Dense) -> None:
        """Linear algebra for one direction after the other, on matrices without the axis."""
        k = self.names.var("k", I64)
        before: list[Stmt] = []
        inside: list[Stmt] = []
        after: list[Stmt] = []
        taken: dict[str, Var] = {}
        for v in dict.fromkeys((*s.updated, *s.read)):
            if not self.facts.is_wide(v):
                continue
            shape = self.dims(v, before)
            taken[v.name] = own = self.names.like(v)
            cells, added = self.renamed(v), v in s.updated and DENSE[s.op].mode == "acc"
            e, back = (self.names.var("e", Scalar(v.type.dtype)) for _ in range(2))
            inside.append(Alloc(own, shape, Const(0.0, e.type) if added else None, s.span))
            if not added:
                self.nest(shape, lambda i, _: [Load(e, cells, (*i, k), False), Store(own, i, e, False)], inside, False)
            if v in s.updated:
                give = AddTo if added else Store
                self.nest(
                    shape, lambda i, _: [Load(back, own, i, False), give(cells, (*i, k), back, False)], after, False
                )
        inside.append(rebuild(s, lambda a: taken.get(a.name, a)))
        self.out += [*before, Loop(k, ZERO, self.width, ONE, (), (), Block((*inside, *after)), (), span=s.span)]

    def call_by_direction(self, s: Call) -> None:
        """Call a function that handles a single direction for one direction after the other.

        The first call is made even without directions, with zeros, because it determines the sizes of the results.
        """
        params, k = self.calls.functions[s.callee].params, self.names.var("k", I64)
        some = self.names.var("some", BOOL)
        self.out.append(Let(some, "gt", (self.width, ZERO), s.span))
        homes: list[Var] = []
        for at in (ZERO, k):
            stmts: list[Stmt] = []
            args = [self.taken(a, p, at, some, stmts) for a, p in zip(s.args, params, strict=True)]
            outs = [self.names.like(o) for o in s.outs]
            stmts.append(replace(s, outs=tuple(outs), args=tuple(args)))
            shapes: list[tuple[Atom, ...]] = []
            for made in outs:
                shapes.append(tuple(self.names.var("n", I64) for _ in range(getattr(made.type, "rank", 0))))
                stmts += [Dim(n, made, axis, s.span) for axis, n in enumerate(shapes[-1])]
            if at is ZERO:
                self.out += stmts
                for o, shape in zip(s.outs, shapes, strict=True):
                    if isinstance(o.type, Array):
                        homes.append(self.renamed(o))
                        self.out.append(Alloc(homes[-1], (*shape, self.width), zero(o), s.span))
                    else:
                        homes.append(self.vector(o, base_name(o.name), fill=zero(o)))
                        self.homes[o.name] = homes[-1]
                stmts = []
            for made, home, shape in zip(outs, homes, shapes, strict=True):
                stmts += self.given(made, home, shape, at)
            if at is ZERO:
                self.out.append(If(some, Block(tuple(stmts)), Block(), (), s.span))
            else:
                self.out.append(Loop(k, ONE, self.width, ONE, (), (), Block(tuple(stmts)), (), span=s.span))

    def taken(self, a: Atom, p: Param, at: Atom, some: Var, out: list[Stmt]) -> Atom:
        """An argument in one direction."""
        if not self.facts.is_wide(a):
            if isinstance(a, Var) and isinstance(a.type, Array) and p.mode == "own":
                out.append(Copy(own := self.names.like(a), a))
                return own
            return a
        assert isinstance(a, Var)
        own, e = self.names.like(a), self.names.var("e", Scalar(a.type.dtype))
        if isinstance(a.type, Scalar):
            self.left.add(a.name)
            load = Block((Load(e, self.home(a), (at,), False),), (e,))
            out.append(If(some, load, Block((), (zero(a),)), (own,)))
            return own
        shape, cells = self.dims(a, out), self.renamed(a)
        copies: list[Stmt] = []
        self.nest(shape, lambda i, _: [Load(e, cells, (*i, at), False), Store(own, i, e, False)], copies, False)
        out += [Alloc(own, shape, zero(a)), If(some, Block(tuple(copies)), Block())]
        return own

    def given(self, made: Var, home: Var, shape: tuple[Atom, ...], at: Atom) -> list[Stmt]:
        """Store a result in one direction to the result for all directions."""
        if isinstance(made.type, Scalar):
            return [Store(home, (at,), made, False)]
        e, out = self.names.var("e", Scalar(made.type.dtype)), []
        self.nest(shape, lambda i, _: [Load(e, made, i, False), Store(home, (*i, at), e, False)], out, False)
        return out

    # -- regions

    def others(self, homes: dict[int, Var], atoms: Sequence[Atom]) -> tuple:
        """What regions still carry and return: everything but the scalars held in vectors."""
        return tuple(self.renamed(a) for k, a in enumerate(atoms) if k not in homes)

    def branch(self, s: If) -> None:
        homes = {k: self.vector(o, base_name(o.name)) for k, o in enumerate(s.outs) if self.scalar(o)}
        self.close()
        arms = []
        for arm in (s.then, s.orelse):
            stmts = self.block(arm, [(arm.results[k], v) for k, v in homes.items()])
            arms.append(Block(tuple(stmts), self.others(homes, arm.results)))
        self.homes |= {s.outs[k].name: v for k, v in homes.items()}
        self.out.append(replace(s, then=arms[0], orelse=arms[1], outs=self.others(homes, s.outs)))

    def scalar(self, v: Atom) -> bool:
        return isinstance(v.type, Scalar) and self.facts.is_wide(v)

    def loop(self, s: Loop) -> None:
        homes: dict[int, Var] = {}
        for k, c in enumerate(s.carried):
            if self.scalar(c):
                first = s.inits[k]
                homes[k] = self.vector(c, base_name(c.name), fill=first if isinstance(first, Const) else None)
                self.homes[c.name] = self.homes[s.outs[k].name] = homes[k]
                if not isinstance(first, Const):
                    first, g = self.lane(first), self.opened()
                    g.stmts.append(Store(homes[k], (g.index,), first, False, s.span))
        self.close()
        nexts = s.nexts
        stmts = self.block(s.body, [(nexts[k], v) for k, v in homes.items() if nexts[k] != s.carried[k]])
        body = Block(tuple(stmts), (*s.body.results[: s.exits], *self.others(homes, nexts)))
        carried, inits, outs = (self.others(homes, atoms) for atoms in (s.carried, s.inits, s.outs))
        self.out.append(replace(s, carried=carried, inits=inits, body=body, outs=outs))

    def call(self, s: Call) -> None:
        positions, inside = self.calls.called(s, self.facts)
        args = list(s.args)
        for k in positions:
            a = args[k]
            if isinstance(a.type, Array):
                args[k] = self.renamed(a)
            else:
                self.left.add(a.name)
                args[k] = self.home(a)
        if inside.shows_width() is None:
            args.append(self.width)
        self.close()
        outs: list[Var] = []
        after: list[Stmt] = []
        for o, r in zip(s.outs, inside.f.body.results, strict=True):
            if self.scalar(o):
                self.homes[o.name] = replace(self.names.like(o), type=Array(o.type.dtype, 1))
            elif self.facts.is_wide(o) and not inside.is_wide(r):
                outs.append(self.names.like(o))
                after += self.repeated(outs[-1], self.renamed(o))
                continue
            outs.append(self.homes.get(o.name) or self.renamed(o))
        callee = self.calls.name(s.callee, positions)
        self.out += [replace(s, outs=tuple(outs), callee=callee, args=tuple(args)), *after]
