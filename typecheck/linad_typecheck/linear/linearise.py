"""To the linear form: `dup`, `drop` and `read` become explicit, and arrays are dropped after their last uses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..ir import core as ir
from ..ir.rewrite import rebuild
from ..types import Array, Scalar, is_linear
from .uses import Modes, Use, modes_of, uses


def linearise(program: ir.Program) -> ir.Program:
    """The program in linear form.

    A float scalar that is used k times gets k - 1 dups, and an unused one a drop. A scalar of an outer block is
    borrowed by `Read`. An array that is not moved is dropped after its last use; if only one arm of an `if` moves it,
    the other arm drops it. The result still has to pass `check_linear`: a program that is not linear for another reason
    stays so.
    """
    modes = modes_of(program.functions)
    return replace(program, functions={k: _Lineariser(f, modes).function() for k, f in program.functions.items()})


class _Lineariser:
    def __init__(self, f: ir.Function, modes: Modes) -> None:
        self.f, self.facts = f, _Facts(modes)
        self.names = ir.Names(ir.all_names(f))
        self.current: dict[str, ir.Var] = {}  # the unused copy of each float scalar in scope

    def function(self) -> ir.Function:
        own = [
            p.var
            for p in self.f.params
            if is_linear(p.var.type) and (p.mode == "own" or isinstance(p.var.type, Scalar))
        ]
        return replace(self.f, body=self.block(self.f.body, own))

    # -- blocks

    def block(self, block: ir.Block, own: list[ir.Var]) -> ir.Block:
        """The block, in which everything that it defines, or owns at its start, is used up."""
        local = {v.name for v in own} | {v.name for s in block.stmts for v in ir.outputs(s) if is_linear(v.type)}
        left = _uses_left(block, self.facts)
        out: list[ir.Stmt] = []
        saved = dict(self.current)
        for v in own:
            self.current[v.name] = v
            self.drop_if_done(v, left, block, -1, out)
        for at, s in enumerate(block.stmts):
            self.borrow(s, local, out)
            out.append(self.statement(s, left, out))
            for v in ir.outputs(s):
                if is_linear(v.type):
                    self.current[v.name] = v
                    self.drop_if_done(v, left, block, at, out)
            for v in self.ended(at, left, local):
                out.append(ir.Drop(self.current[v.name], s.span))
        self.borrow_results(block, local, out)
        results = tuple(self.take(r, left, out) for r in block.results)
        self.current = saved
        return ir.Block(tuple(out), results)

    def drop_if_done(self, v: ir.Var, left: _Left, block: ir.Block, at: int, out: list[ir.Stmt]) -> None:
        if left.last(v.name) <= at and v.name not in left.moved:
            out.append(ir.Drop(v, block.stmts[at].span if at >= 0 else self.f.span))

    def ended(self, at: int, left: _Left, local: set[str]) -> list[ir.Var]:
        """The values defined earlier whose last mention is statement ``at``, and which it does not use up."""
        return [
            v
            for v in left.ending.get(at, ())
            if v.name in local and v.name in self.current and v.name not in left.moved
        ]

    # -- statements

    def statement(self, s: ir.Stmt, left: _Left, out: list[ir.Stmt]) -> ir.Stmt:
        def use(a: ir.Atom) -> ir.Atom:
            return self.take(a, left, out, s)

        match s:
            case ir.If(cond, then, orelse, outs, span):
                moved = [self.facts.moves(b) for b in (then, orelse)]
                arms = [self.arm(b, moved[1 - k] - moved[k]) for k, b in enumerate((then, orelse))]
                return ir.If(cond, *arms, outs, span)
            case ir.Loop():
                head = rebuild(s, use, block=lambda b: b)
                return replace(head, body=self.block(s.body, [c for c in s.carried if is_linear(c.type)]))
            case _:
                return rebuild(s, use)

    def arm(self, block: ir.Block, drop: set[str]) -> ir.Block:
        """An arm, which at its end drops the arrays that only the other arm moves."""
        done = self.block(block, [])
        drops = tuple(ir.Drop(v) for n, v in self.current.items() if n in drop)
        return replace(done, stmts=(*done.stmts, *drops))

    # -- names

    def named(self, a: ir.Atom) -> ir.Atom:
        return self.current.get(a.name, a) if isinstance(a, ir.Var) else a

    def take(self, a: ir.Atom, left: _Left, out: list[ir.Stmt], s: ir.Stmt | None = None) -> ir.Atom:
        """One use of ``a``: the value itself if it is the last use, otherwise one half of a dup."""
        if not isinstance(a, ir.Var) or not is_linear(a.type) or isinstance(a.type, Array):
            return self.named(a)
        now = self.current[a.name]
        left.count[a.name] -= 1
        if left.count[a.name] == 0 and a.name in left.moved:
            return now
        first, second = (self.names.like(a) for _ in range(2))
        out.append(ir.Dup(first, second, now, s.span if s is not None else self.f.span))
        self.current[a.name] = second
        return first

    def borrow(self, s: ir.Stmt, local: set[str], out: list[ir.Stmt]) -> None:
        """Emit `Read` for the float scalars of outer blocks that a statement uses at this level."""
        self._borrow([v for v, _ in self.facts.uses(s)], local, out, s)

    def borrow_results(self, block: ir.Block, local: set[str], out: list[ir.Stmt]) -> None:
        self._borrow([r for r in block.results if isinstance(r, ir.Var) and is_linear(r.type)], local, out, None)

    def _borrow(self, used: list[ir.Var], local: set[str], out: list[ir.Stmt], s: ir.Stmt | None) -> None:
        for v in used:
            if isinstance(v.type, Scalar) and v.name not in local:
                copy = self.names.like(v)
                out.append(ir.Read(copy, self.current[v.name], s.span if s is not None else self.f.span))
                self.current[v.name] = copy
                local.add(v.name)


class _Left:
    """The uses of each linear name in the rest of a block: their number, and the last mention."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()  # consuming uses at the block's own level
        self.mentioned: dict[str, int] = {}  # the last statement that mentions the name, at any depth
        self.moved: set[str] = set()  # names whose last mention uses them up
        self.ending: dict[int, list[ir.Var]] = {}

    def last(self, name: str) -> int:
        return self.mentioned.get(name, -1)


class _Facts:
    """Facts about statements and blocks that several levels need, memoised per function."""

    def __init__(self, modes: Modes) -> None:
        self.modes = modes
        self._uses: dict[int, list[tuple[ir.Var, Use]]] = {}
        self._moves: dict[int, set[str]] = {}

    def uses(self, s: ir.Stmt) -> list[tuple[ir.Var, Use]]:
        """`uses`, memoised."""
        found = self._uses.get(id(s))
        if found is None:
            found = self._uses[id(s)] = uses(s, self.modes)
        return found

    def moves(self, block: ir.Block) -> set[str]:
        """The arrays of outer blocks that a block moves: as a result, an initial value, an owned argument, or inside
        a nested arm."""
        found = self._moves.get(id(block))
        if found is None:
            outer = {n for n, v in ir.free_vars(block).items() if isinstance(v.type, Array)}
            found = {r.name for r in block.results if isinstance(r, ir.Var)} & outer
            for s in block.stmts:
                found |= {v.name for v, use in self.uses(s) if use == "consume" and isinstance(v.type, Array)} & outer
                if isinstance(s, ir.If):
                    found |= (self.moves(s.then) | self.moves(s.orelse)) & outer
            self._moves[id(block)] = found
        return found


def _uses_left(block: ir.Block, facts: _Facts) -> _Left:
    left = _Left()
    kind: dict[str, ir.Var] = {}
    for at, s in enumerate(block.stmts):
        within = ir.blocks(s)
        if not within:
            for v, use in facts.uses(s):
                left.mentioned[v.name], kind[v.name] = at, v
                if use == "consume":
                    left.count[v.name] += 1
                    left.moved.add(v.name)
                else:
                    left.moved.discard(v.name)
            continue
        inside = {n: v for b in within for n, v in ir.free_vars(b).items() if is_linear(v.type)}
        for name, v in inside.items():
            left.mentioned[name], kind[name] = at, v
        moved_inside = set().union(*(facts.moves(b) for b in within))
        for v, use in facts.uses(s):
            left.mentioned[v.name], kind[v.name] = at, v
            left.moved.discard(v.name)
            if use == "consume":
                left.count[v.name] += 1
                if v.name not in inside:
                    left.moved.add(v.name)
        left.moved -= inside.keys() - moved_inside
        left.moved |= moved_inside & inside.keys()
    for r in block.results:
        if isinstance(r, ir.Var) and is_linear(r.type):
            left.count[r.name] += 1
            left.mentioned[r.name], kind[r.name] = len(block.stmts), r
            left.moved.add(r.name)
    for name, at in left.mentioned.items():
        left.ending.setdefault(at, []).append(kind[name])
    return left
