"""Branch flattening: replace the branches of an innermost loop by selects, so that it can be vectorised.

**Transformation.** If-conversion of a whole loop body (Allen, Kennedy, Porterfield and Warren, POPL 1983), including
loads and stores.

**Before.** ``if c { &u![i] = a; yield s } else { &v![i] += e; t = add s e; yield t }``
**After.** ``o = load! &u [i]; &u![i] = select c a o; &v![i] += select c -0.0 e; s + select c -0.0 e``

**Legality.** A cell that only one arm accesses is also accessed unconditionally in the iteration, or is provably in
bounds (`linad/analysis/affine.py`). The cells of an array that an arm writes are provably equal or provably distinct.
No operation in an arm can fail. Results of the arm not taken are never selected; a sum gets -0.0, which is the identity
of addition. In an arm, the results of earlier branches with the same condition are those of the same arm.

**Profitability.** Innermost loops that are straight-line code of cheap operations afterwards, carry only sums and
values handed on to the next iteration (also through cells), and do not write to cells with loaded indices. Other loop
passes then see straight-line code, and LLVM vectorises it. The arms of a loop have at most `MOST` operations, or no
more than the rest of the loop, as in the tangents of long loops. None of them is a library call.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import (
    AddTo, Atom, Block, Const, Function, If, Let, Load, Loop, Names, Stmt, Store, Var, all_names, walk,
)
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.infer.affine import Affine
from linad_typecheck.types import Array, Scalar, is_float

from linad.analysis.affine import Ranges
from linad.analysis.loop_facts import is_counted, scatters, with_ranges
from linad.analysis.parallelism import reads_earlier_cells
from linad.analysis.reductions import is_reduction, without_handed_on

from ..scalars.constant_folding import fold_constants
from ..scalars.dead_code_elimination import eliminate_dead_code

MOST = 40  # limit on the operations in the arms of a loop
SLOW = 4  # cost of a quotient or a square root
_ANY = frozenset(
    "add sub mul neg abs min max minimum maximum select copysign zero_or and or not lt le gt ge eq ne".split()
)
_FLOAT = frozenset("div sqrt powi".split())
CHAINS = (("add", "sub"), ("min",), ("max",), ("minimum",), ("maximum",))

Access = Load | Store | AddTo
Cell = tuple[str, tuple[Affine, ...]]


def flatten_branches(f: Function) -> Function:
    """Flatten the branches of innermost loops where that is cheap."""
    names = Names(all_names(f))
    after = with_ranges(
        f, lambda s, r: [_flat(s, r, names) or s], lambda s: any(isinstance(t, If) for t in s.body.stmts)
    )
    return f if after == f else eliminate_dead_code(fold_constants(after))


def _flat(s: Loop, r: Ranges, names: Names) -> Loop | None:
    inside = list(walk(s.body))
    branches = [t for t in inside if isinstance(t, If)]
    if any(isinstance(v.type, Array) for b in branches for v in b.outs):
        return None
    if not branches or not is_counted(s) or scatters(s) or not all(isinstance(t, If | Let | Access) for t in inside):
        return None
    whole, rest = sum(map(_cost, inside)), sum(map(_cost, s.body.stmts))
    if whole - rest > max(MOST, rest) or not _only_sums(s):
        return None
    return None if reads_earlier_cells(s, r) else _Flattener(r, names).loop(s)


def _only_sums(s: Loop) -> bool:
    """Whether iterations depend on earlier ones only through sums and extremes."""
    kept = without_handed_on(s)
    return all(any(is_reduction(kept, k, ops) for ops in CHAINS) for k in range(len(kept.carried)))


def _cost(t: Stmt) -> int:
    match t:
        case Let(op=op):
            return SLOW if op in ("div", "sqrt") else 1
        case If(outs=outs):
            return len(outs)
    return 1


def _may_run(t: Stmt) -> bool:
    """Whether a statement can be executed speculatively."""
    match t:
        case Let(out=out, op="cast", ins=(x,)):
            return is_float(out.type) or not is_float(x.type)
        case Let(out=out, op=op):
            return op in _ANY or op in _FLOAT and is_float(out.type)
    return isinstance(t, Access) and not t.checked


@dataclass
class _Held:
    """The effect of an arm on a cell: its new value, if known, or what has been added to it."""

    value: Atom | None = None
    added: Atom | None = None
    stored: bool = False


class _Flattener:
    """Replaces the branches of one loop by selects."""

    def __init__(self, r: Ranges, names: Names) -> None:
        self.r, self.names = r, names
        self.same: dict[str, Atom] = {}
        self.made: dict[str, Let] = {}
        self.carried: tuple[Var, ...] = ()
        self.results: dict[str, tuple[Atom, Atom, Atom]] = {}  # of branches: condition and the values of both arms
        self.taken: dict[Atom, bool] = {}  # the conditions that hold, or do not hold, in the current arm

    def loop(self, s: Loop) -> Loop | None:
        self.carried = s.carried
        body = self.block(s.body, set())
        if body is None:
            return None
        return replace(s, body=Block(tuple(body), tuple(map(self.use, s.body.results))))

    def use(self, a: Atom) -> Atom:
        while isinstance(a, Var):
            if a.name in self.same:
                a = self.same[a.name]
            elif a.name in self.results and (cond := self.results[a.name][0]) in self.taken:
                a = self.results[a.name][1 if self.taken[cond] else 2]
            else:
                break
        return a

    def cell(self, t: Access) -> Cell:
        return t.array.name, tuple(map(self.r.form, t.index))

    def block(self, b: Block, known: set[Cell]) -> list[Stmt] | None:
        """The statements of a block without branches. ``known``: cells that are in bounds where the block runs."""
        stmts = [t if isinstance(t, If) else rebuild(t, self.use, block=lambda inner: inner) for t in b.stmts]
        known = known | {self.cell(t) for t in stmts if isinstance(t, Access)}
        out: list[Stmt] = []
        for t in stmts:
            if not isinstance(t, If):
                t = rebuild(t, self.use, block=lambda inner: inner)
                if isinstance(t, Let):
                    self.made[t.out.name] = t
                out.append(t)
            elif (flat := self.branch(t, known)) is None:
                return None
            else:
                out += flat
                known |= {self.cell(t) for t in flat if isinstance(t, Access)}
        return out

    def taking(self, cond: Atom, holds: bool, b: Block, known: set[Cell]) -> tuple[list[Stmt] | None, list[Atom]]:
        """The statements and the results of an arm. In it, a result of another branch with the same condition is the
        result of the same arm."""
        before, self.taken = self.taken, self.taken | {cond: holds}
        made = self.block(b, known), [self.use(a) for a in b.results]
        self.taken = before
        return made

    def branch(self, s: If, known: set[Cell]) -> list[Stmt] | None:
        cond = self.use(s.cond)
        (then, first_results), (orelse, second_results) = (
            self.taking(cond, holds, b, known) for holds, b in ((True, s.then), (False, s.orelse))
        )
        if then is None or orelse is None:
            return None
        arms, both = (then, orelse), [*then, *orelse]
        first, second = ({self.cell(t): t for t in arm if isinstance(t, Access)} for arm in arms)
        known = known | first.keys() & second.keys()
        if not all(map(_may_run, both)) or not all(c in known or self.exists(t) for c, t in (first | second).items()):
            return None
        written = {t.array.name for t in both if isinstance(t, Store | AddTo)}
        cells = {c: t for c, t in (first | second).items() if c[0] in written}
        if not self.all_apart(cells):
            return None
        out: list[Stmt] = []
        begun: dict[Cell, Var] = {}  # the contents of cells before the branch
        held = [self.arm(arm, cells, begun, out) for arm in arms]
        writes: list[Stmt] = []
        for c, t in cells.items():
            writes += self.joined(cond, t, [h.get(c, _Held()) for h in held], begun, out)
        for v, a, b in zip(s.outs, map(self.use, first_results), map(self.use, second_results), strict=True):
            self.results[v.name] = cond, a, b
            self.choice(v, cond, a, b, out)
        return [*out, *writes]

    def exists(self, t: Access) -> bool:
        """Whether a cell is provably in bounds in every iteration."""
        forms = enumerate(map(self.r.form, t.index))
        return all(self.r.proves(f) and self.r.proves(self.r.dim(t.array, axis) - 1 - f) for axis, f in forms)

    def all_apart(self, cells: dict[Cell, Access]) -> bool:
        """Whether these cells are pairwise distinct."""
        found = list(cells.items())
        return all(
            a[0] != b[0] or self.r.apart(s.index, t.index) for k, (a, s) in enumerate(found) for b, t in found[:k]
        )

    def arm(
        self, stmts: Iterable[Stmt], cells: dict[Cell, Access], begun: dict[Cell, Var], out: list[Stmt]
    ) -> dict[Cell, _Held]:
        """The effect of an arm on the given cells; its computations are appended to ``out``."""
        held: dict[Cell, _Held] = {}
        for t in stmts:
            t = rebuild(t, self.use, block=lambda inner: inner)
            if not isinstance(t, Access) or self.cell(t) not in cells:
                if isinstance(t, Let):
                    self.made[t.out.name] = t
                out.append(t)
                continue
            c = self.cell(t)
            now = held.setdefault(c, _Held())
            match t:
                case Load(out=v):
                    self.same[v.name] = now.value = self.holds(t, c, now, begun, out)
                    now.added, now.stored = None, now.stored or now.added is not None
                case Store(value=value):
                    now.value, now.added, now.stored = value, None, True
                case AddTo(value=value) if now.value is not None:
                    now.value, now.stored = self.let("add", now.value, value, out), True
                case AddTo(value=value):
                    now.added = value if now.added is None else self.let("add", now.added, value, out)
        return held

    def holds(self, t: Access, c: Cell, now: _Held, begun: dict[Cell, Var], out: list[Stmt]) -> Atom:
        """The value of a cell after the effects of an arm."""
        if now.value is not None:
            return now.value
        if c not in begun:
            begun[c] = self.names.var("t", Scalar(t.array.type.dtype))
            out.append(Load(begun[c], t.array, t.index, False, t.span))
        return begun[c] if now.added is None else self.let("add", begun[c], now.added, out)

    def joined(self, cond: Atom, t: Access, held: list[_Held], begun: dict[Cell, Var], out: list[Stmt]) -> list[Stmt]:
        """The write that replaces the writes of both arms to a cell."""
        if any(h.stored for h in held):
            a, b = (self.holds(t, self.cell(t), h, begun, out) for h in held)
            return [Store(t.array, t.index, self.chosen(cond, a, b, out), False, t.span)]
        if all(h.added is None for h in held):
            return []
        nothing = _nothing(Scalar(t.array.type.dtype))
        a, b = (nothing if h.added is None else h.added for h in held)
        return [AddTo(t.array, t.index, self.chosen(cond, a, b, out), False, t.span)]

    def choice(self, v: Var, cond: Atom, a: Atom, b: Atom, out: list[Stmt]) -> None:
        """Define a result of the branch. For sums, only the added term is selected."""
        if _alike(a, b):
            self.same[v.name] = a
            return
        for op in ("add", "sub"):
            for base in (b, a):
                more = self.more(a, base, op), self.more(b, base, op)
                if isinstance(base, Var) and None not in more:
                    e = self.chosen(cond, *more, out)  # type: ignore[arg-type]
                    out.append(Let(v, op, (base, e)))
                    return
        for base in self.carried:
            if base.type == v.type and self.adds_to(a, base) and self.adds_to(b, base):
                terms = self.added(a, base, out), self.added(b, base, out)
                out.append(Let(v, "add", (base, self.chosen(cond, *terms, out))))
                return
        out.append(Let(v, "select", (cond, a, b)))

    def adds_to(self, a: Atom, base: Var) -> bool:
        """Whether a value is ``base`` plus or minus some terms."""
        match self.made.get(a.name) if isinstance(a, Var) else None:
            case Let(op="add", ins=(x, y)):
                return self.adds_to(x, base) or self.adds_to(y, base)
            case Let(op="sub", ins=(x, _)):
                return self.adds_to(x, base)
        return a == base

    def added(self, a: Atom, base: Var, out: list[Stmt]) -> Atom:
        """The sum of these terms."""
        match self.made.get(a.name) if isinstance(a, Var) else None:
            case Let(op="add", ins=(x, y)):
                x, y = (x, y) if self.adds_to(x, base) else (y, x)
                return y if x == base else self.let("add", self.added(x, base, out), y, out)
            case Let(op="sub", ins=(x, y)):
                return self.let("sub", self.added(x, base, out), y, out)
        return _nothing(base.type)

    def more(self, a: Atom, base: Atom, op: str) -> Atom | None:
        """The term ``e`` if ``a`` is ``base + e`` (or ``base - e``, depending on ``op``)."""
        if a == base:
            return _nothing(a.type, op)
        match self.made.get(a.name) if isinstance(a, Var) else None:
            case Let(op=o, ins=(x, e)) if o == op and x == base:
                return e
            case Let(op="add", ins=(e, x)) if op == "add" and x == base:
                return e
        return None

    def chosen(self, cond: Atom, a: Atom, b: Atom, out: list[Stmt]) -> Atom:
        if _alike(a, b):
            return a
        return self.let("select", cond, a, out, b)

    def let(self, op: str, a: Atom, b: Atom, out: list[Stmt], *more: Atom) -> Var:
        v = self.names.var("t", b.type)
        out.append(Let(v, op, (a, b, *more)))
        self.made[v.name] = out[-1]  # type: ignore[assignment]
        return v


def _alike(a: Atom, b: Atom) -> bool:
    """Whether two atoms are identical; 0.0 and -0.0 are not."""
    return a == b and repr(a) == repr(b)


def _nothing(t: object, op: str = "add") -> Const:
    """The right identity of an addition or a subtraction."""
    assert isinstance(t, Scalar)
    return Const((-0.0 if op == "add" else 0.0) if is_float(t) else 0, t)
