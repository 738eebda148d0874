"""Call distribution: compute the library functions between inner loops, and sums down columns, for many iterations at
once.

**Transformation.** Strip-mining, loop distribution with scalar expansion, and interchange (Allen and Kennedy,
Optimizing Compilers for Modern Architectures, 2001, chapters 5 and 9).

**Before.** ``for i in range(n) { a = sum of w[i, j] * h[j] over j; &t[i] = tanh(a) }``
**After.** ``for low in range(0, n, 32) { for i { a = sum ...; &v[i - low] = a }; for i { &t[i] = tanh(v[i - low]) } }``

**Before.** ``for j in range(n) { s = sum of x[i] * w[i, j] over i; &y[j] = s }``
**After.** ``for low in range(0, n, 256) { for i { for j { &v[j - low] += x[i] * w[i, j] } }; for j { &y[j] = ... } }``

**Legality.** Parts of the body are separated so that values only flow from earlier to later ones. Of an array that is
written, iterations access cells of their own, or all parts only add to it. What an iteration hands to the next one
stays in one part. Nothing may fail or allocate. An inner loop that is interchanged carries only sums, and iterations of
the outer loop access cells of their own in it, or only add.

**Profitability.** Only for loops with inner loops and library functions beside them: a network's layer, the kernel of a
distance, a logistic regression. Functions are then evaluated four or eight at a time, in a third of the time. And for
inner loops that go down the columns of a matrix: then each vector is a part of a row.
Values between parts pass through `BLOCK` cells, so rows that two parts read are still cached. Loads of cells that do
not change and int arithmetic are repeated instead.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Dim, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names,
    mentioned, outputs, walk,
)
from linad_typecheck.ir.rewrite import at_loops, freshen
from linad_typecheck.types import I64, Array, is_float

from linad.analysis.accesses import Access, accesses
from linad.analysis.dependence import Distance, Independent, Nest
from linad.analysis.loop_body import depending, needed
from linad.analysis.loop_facts import is_counted, is_plain, outer_accesses
from linad.analysis.operation_costs import is_library_call
from linad.analysis.parallelism import verdict
from linad.analysis.reductions import is_reduction
from linad.analysis.trip_counts import ints_of, is_short

from ..ints import ONE, Maker, upwards

BLOCK, WIDE = 32, 256  # iterations: rows of a hundred cells stay in the first cache; columns are summed in wider blocks
PARTS = 9
KINDS = INNER, COLUMNS, CALLS = 0, 1, 2  # of parts, by their number modulo 3
ROUNDS = 4  # in which the parts of carried values settle


def distribute_calls(f: Function) -> Function:
    """Distribute loops that contain both inner loops and library functions, or sums down columns."""
    names, sizes = Names(all_names(f)), ints_of(f)
    return at_loops(f, lambda s: _distributed(s, names, sizes))


def _distributed(s: Loop, names: Names, sizes: Mapping[str, Let]) -> list[Stmt]:
    if not any(isinstance(t, Loop) for t in s.body.stmts) or not is_counted(s, one_by_one=True):
        return [s]
    if s.kind != "sequential" or is_short(s, sizes) or not _plain(s.body):
        return [s]
    front = Maker(names)
    division = _Division(upwards(s, front))
    if division.columns and s.step != ONE:
        order = verdict(s, True)
        if order.reason or not {"add"}.issuperset(order.sums):
            division.columns.clear()
    if not division.columns:
        if not any(map(is_library_call, s.body.stmts)):
            return [s]
        division, front = _Division(s, down=False), Maker(names)
    return [*front.out, *division.loops(names)] if division.assign() and division.is_legal() else [s]


def _plain(b: Block) -> bool:
    """Whether a body cannot fail, allocates nothing and keeps the names of its arrays."""
    inside = list(walk(b))
    return all(isinstance(t, Let | Load | Store | AddTo | Dim | Loop | If) for t in inside) and not any(
        isinstance(v.type, Array) for t in inside for v in outputs(t)
    )


class _Division:
    """The parts of a loop body, each of one of the `KINDS`.

    ``part``: the part of each statement, by position. Statements without one are repeated where they are needed.
    ``columns``: the inner loops that go down columns.
    """

    def __init__(self, s: Loop, down: bool = True) -> None:
        self.loop, self.stmts = s, s.body.stmts
        self.definition = {v.name: k for k, t in enumerate(self.stmts) for v in outputs(t)}
        self.mentions = [mentioned(t) for t in self.stmts]
        self.carried = {c.name for c in s.carried}
        self.written = {a.array.name for _, a in outer_accesses(s) if a.kind != "read"}
        self.repeated = self.repeatable()
        self.part: dict[int, int] = {}
        self.nest = Nest(s)
        self.columns = {k for k, t in enumerate(self.stmts) if down and isinstance(t, Loop) and self.goes_down(t)}

    def goes_down(self, p: Loop) -> bool:
        """Whether an inner loop accesses cells in columns, the next iteration of the outer loop the cells beside them,
        and the loops can be interchanged."""
        if not is_plain(p) or not self.carried.isdisjoint(mentioned(p)):
            return False
        if not all(is_reduction(p, k, ("add", "sub")) and self.term(p, k) for k in range(len(p.carried))):
            return False
        varies = self.varying(p)
        if any(isinstance(a, Var) and a.name in varies for a in (p.start, p.stop)):
            return False
        down = False
        uses = [(t, a) for t in p.body.stmts for a in accesses(t)]
        for t, a in uses:
            moving = [i for i in t.index if isinstance(i, Var) and i.name in varies]
            if not moving:
                if isinstance(t, Store):
                    return False
                continue
            form = dict(self.nest.form(moving[0]).terms)
            if moving != [t.index[-1]] or form.pop(self.loop.index.name, 0) != 1 or not varies.isdisjoint(form):
                return False
            down |= len(t.index) > 1
        for (_, a), (_, b) in combinations_with_replacement(uses, 2):
            if a.array.name == b.array.name and not a.kind == b.kind != "write" and self.nest.between(a, b).carried:
                return False
        return down

    def varying(self, p: Loop) -> set[str]:
        """The names in an inner loop, or before it, that may differ between iterations of the outer loop."""
        moving = [t for k, t in enumerate(self.stmts) if k not in self.repeated]
        found = {self.loop.index.name, *self.carried, *(v.name for t in moving for v in outputs(t))}
        return depending((*self.stmts, *p.body.stmts), found | {c.name for c in p.carried})

    def term(self, p: Loop, k: int) -> Let | None:
        """The only addition to a sum, if nothing else in the loop uses the sum."""
        c, r = p.carried[k], p.body.results[k]
        match [t for t in p.body.stmts if c.name in mentioned(t) or isinstance(r, Var) and r.name in mentioned(t)]:
            case [Let(op="add" | "sub", ins=ins, out=out) as t] if out == r and ins.count(c) == 1:
                return t if ins[0] == c or t.op == "add" else None
        return None

    def repeatable(self) -> set[int]:
        found: set[int] = set()
        for k, (t, given) in enumerate(zip(self.stmts, self.mentions)):
            match t:
                case Dim():
                    same = True
                case Load():
                    same = t.array.name not in self.written
                case Let() if t.out.type == I64 and not any(is_float(a.type) for a in t.ins):
                    same = True
                case Let():
                    invariant = self.definition.keys().isdisjoint(given) and self.loop.index.name not in given
                    same = invariant and not is_library_call(t)
                case _:
                    same = False
            if same:
                inside = [self.definition[n] for n in given if n in self.definition]
                if found.issuperset(inside) and self.carried.isdisjoint(given):
                    found.add(k)
        return found

    # -- assignment to parts

    def assign(self) -> bool:
        """Assign statements to parts; whether that succeeds."""
        least: dict[int, int] = {}
        for _ in range(ROUNDS):
            self.part = {}
            for k in range(len(self.stmts)):
                if k not in self.repeated:
                    self.part[k] = self.earliest(k, least.get(k, 0))
            before = dict(least)
            for c, a in zip(self.loop.carried, self.loop.nexts, strict=True):
                chain = [k for k in self.part if c.name in self.mentions[k]]
                if isinstance(a, Var) and self.definition.get(a.name) in self.part:
                    chain.append(self.definition[a.name])
                last = max((self.part[k] for k in chain), default=0)
                least |= {k: max(last, least.get(k, 0)) for k in chain}
            if least == before or all(self.part[k] == p for k, p in least.items()):
                return len(set(self.part.values())) > 1 and max(self.part.values()) < PARTS
        return False

    def earliest(self, k: int, least: int) -> int:
        """The first part in which a statement may be: after all that it depends on."""
        t = self.stmts[k]
        given = (self.definition.get(n) for n in self.mentions[k])
        columns = k in self.columns
        found = max((self.part[d] + (columns and d in self.columns) for d in given if d in self.part), default=0)
        mine = {a.array.name: a.kind for u in walk(Block((t,))) for a in reversed(accesses(u))}
        mine |= {a.array.name: a.kind for u in walk(Block((t,))) for a in accesses(u) if a.kind != "read"}
        for d, p in self.part.items():
            for a in (a for u in walk(Block((self.stmts[d],))) for a in accesses(u) if a.array.name in mine):
                if a.kind != "read" or mine[a.array.name] != "read":
                    found = max(found, p)
        found = max(found, least)
        if columns or isinstance(t, Loop) or is_library_call(t):
            kind = COLUMNS if columns else INNER if isinstance(t, Loop) else CALLS
            return found + (kind - found) % len(KINDS)
        return found + (found % len(KINDS) == COLUMNS)

    def is_legal(self) -> bool:
        """Whether the accesses to arrays permit that all iterations of a part precede those of the next one."""
        uses: dict[str, dict[tuple[int, Access], None]] = {}
        for k, t in enumerate(self.stmts):
            for a in (a for u in walk(Block((t,))) for a in accesses(u) if a.array.name in self.written):
                uses.setdefault(a.array.name, {})[self.part[k], a] = None
        for found in uses.values():
            if all(a.kind == "update" and a.index is not None for _, a in found):
                continue
            for (p, a), (q, b) in combinations(found, 2):
                if p != q and not (a.kind == b.kind == "read"):
                    match self.nest.between(a, b):
                        case Independent() | Distance(by=(0,)):
                            pass
                        case _:
                            return False
        return True

    # -- code generation

    def loops(self, names: Names) -> list[Stmt]:
        """The loop over blocks, after the allocations of the arrays between its parts."""
        s = self.loop
        parts = sorted(set(self.part.values()))
        home = [self.home(a) for a in s.nexts]
        ends = {p: [k for k, q in enumerate(home) if q == p] for p in parts}
        slices = {p: self.slice(p, [s.nexts[k] for k in ends[p]]) for p in parts}
        handed = {v.name: v for p in parts for v in slices[p][1]}
        rows = {name: names.var(name, Array(v.type.dtype, 1)) for name, v in handed.items()}
        many = WIDE if self.columns else BLOCK
        before = [Alloc(row, (Const(many, I64),), None, s.span) for row in rows.values()]
        low, width = names.like(s.index), Const(many * int(s.step.value), I64)
        head = Maker(names)
        stop = head.let("min" if s.step.value > 0 else "max", head.let("add", low, width), s.stop)
        begun, ended = (tuple(map(names.like, s.carried)) for _ in range(2))
        body: list[Stmt] = [*head.out]
        for p in parts:
            if p % len(KINDS) == COLUMNS:
                for k in (k for k in self.part if self.part[k] == p):
                    body += self.interchanged(k, rows, low, stop, names)
            else:
                body.append(self.one(p, ends[p], slices[p], rows, (low, stop, begun, ended), names))
        outer = replace(
            s, index=low, step=width, carried=begun, body=Block(tuple(body), tuple(ended[k] for k in range(len(home))))
        )
        return [*before, outer]

    def home(self, a: Atom) -> int:
        """The part that computes a result."""
        first = min(self.part.values())
        return self.part.get(self.definition.get(a.name, -1), first) if isinstance(a, Var) else first

    def slice(self, p: int, results: Iterable[Atom]) -> tuple[list[int], list[Var]]:
        """The statements of a part with those repeated in it, and the values that it needs from earlier parts."""
        return self.with_repeated({k for k, q in self.part.items() if q == p}, results)

    def with_repeated(self, wanted: set[int], results: Iterable[Atom] = ()) -> tuple[list[int], list[Var]]:
        """As `slice`, for the statements at some positions."""
        handed: dict[str, Var] = {}
        todo = [v for k in wanted for v in self.mentions[k].values()] + [a for a in results if isinstance(a, Var)]
        while todo:
            v = todo.pop()
            k = self.definition.get(v.name)
            if k is None or k in wanted:
                continue
            if k in self.repeated:
                wanted.add(k)
                todo += self.mentions[k].values()
            else:
                handed[v.name] = v
        return sorted(wanted), list(handed.values())

    def one(
        self,
        p: int,
        ends: list[int],
        needed: tuple[list[int], list[Var]],
        rows: Mapping[str, Var],
        block: tuple[Var, Atom, tuple[Var, ...], tuple[Var, ...]],
        names: Names,
    ) -> Loop:
        """The loop of one part over a block."""
        s, (low, stop, begun, ended) = self.loop, block
        at = names.var("k", I64)
        place = Let(at, "sub", (s.index, low) if s.step.value > 0 else (low, s.index), s.span)
        stmts = [self.stmts[k] for k in needed[0]]
        made = [v for k in needed[0] if k in self.part for v in outputs(self.stmts[k])]
        read = [Load(v, rows[v.name], (at,), False, s.span) for v in needed[1]]
        write = [Store(rows[v.name], (at,), v, False, s.span) for v in made if v.name in rows]
        results = tuple(s.nexts[k] for k in ends)
        index, carried = names.like(s.index), {k: names.like(s.carried[k]) for k in ends}
        body = freshen(
            Block((place, *read, *stmts, *write), results),
            names,
            {s.index.name: index, **{s.carried[k].name: v for k, v in carried.items()}},
        )
        return replace(
            s, index=index, start=low, stop=stop, carried=tuple(carried.values()), inits=tuple(begun[k] for k in ends),
            body=body, outs=tuple(ended[k] for k in ends),
        )  # fmt: skip

    def interchanged(self, k: int, rows: Mapping[str, Var], low: Var, stop: Atom, names: Names) -> list[Stmt]:
        """The inner loop at a position as the outer one of a nest, for a block."""
        s, p = self.loop, self.stmts[k]
        assert isinstance(p, Loop)
        needs, handed = self.with_repeated({k})
        at = Let(names.var("k", I64), "sub", (s.index, low), s.span)
        read = [Load(v, rows[v.name], (at.out,), False, s.span) for v in handed]
        varies = self.varying(p)
        is_same = lambda t: isinstance(t, Let | Load | Dim) and varies.isdisjoint(v.name for v in outputs(t))
        before = [self.stmts[j] for j in needs if j != k]
        own = [at, *read, *(t for t in before if not is_same(t))]

        def lanes(stmts: Iterable[Stmt], carried: tuple[Var, ...] = (), results: tuple[Atom, ...] = ()) -> Loop:
            stmts = [*own, *stmts]
            effects = [t for t in stmts if isinstance(t, Store | AddTo)]
            index, inner = names.like(s.index), tuple(map(names.like, carried))
            given = {s.index.name: index, **{c.name: v for c, v in zip(carried, inner)}}
            body = freshen(Block(tuple(needed(stmts, effects, results)), results), names, given)
            zeros, outs = (Const(0.0, c.type) for c in carried), tuple(map(names.like, carried))
            return Loop(index, low, stop, ONE, inner, tuple(zeros), body, outs, span=p.span)

        sums = [rows[o.name] for o in p.outs if o.name in rows]
        begin = lanes(Store(row, (at.out,), a, False, p.span) for row, a in zip(sums, p.inits))
        inside: list[Stmt] = []
        shared: list[tuple[AddTo, Var, Var]] = []  # additions to one cell by all lanes: each is a sum
        terms = {id(self.term(p, j)): rows[o.name] for j, o in enumerate(p.outs)}
        for t in p.body.stmts:
            if id(t) in terms:
                assert isinstance(t, Let)
                e = t.ins[1] if t.ins[0] in p.carried else t.ins[0]
                if t.op == "sub":
                    inside.append(Let(names.like(t.out), "neg", (e,), t.span))
                    e = inside[-1].out
                inside.append(AddTo(terms[id(t)], (at.out,), e, False, t.span))
            elif isinstance(t, AddTo) and not any(isinstance(i, Var) and i.name in varies for i in t.index):
                shared.append((t, names.var("part", t.value.type), names.var("part", t.value.type)))
                inside.append(Let(shared[-1][2], "add", (shared[-1][1], t.value), t.span))
            elif not is_same(t):
                inside.append(t)
        main = lanes(inside, tuple(c for _, c, _ in shared), tuple(r for _, _, r in shared))
        same = [t for t in p.body.stmts if is_same(t)]
        added = [replace(t, value=out) for (t, *_), out in zip(shared, main.outs)]
        nest = replace(p, carried=(), inits=(), outs=(), body=Block((*same, main, *added)))
        made = freshen(Block((*(t for t in before if is_same(t)), nest)), names, {})
        return [*([begin] if sums else []), *made.stmts]
