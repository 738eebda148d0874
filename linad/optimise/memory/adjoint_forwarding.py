"""Adjoint forwarding: accumulate into one adjoint array instead of summing a second one and adding it at the end.

**Transformation.** Merge two accumulators of the same sum.

**Before.** ``old_bar = alloc fill 0.0; ... &old_bar[i] += e ...; &u_bar += old_bar``
**After.** ``old_bar = copy &u_bar; ... &old_bar[i] += e ...; u_bar is old_bar``

**Legality.** ``old_bar`` starts as zeros, is only added to, and is dead after the sum. ``u_bar`` is owned by the block
and only read in between, except that one final loop nest may clear cells of it. Both arrays have the same sizes. Inside
a loop, ``u_bar`` becomes loop-carried and the two arrays alternate (`double_buffering.py`).

**Profitability.** Always: a zero fill and a whole-array sum become one copy. The reverse of ``old = u.copy(); u[i] +=
f(old)`` has this form.

**Needs.** Both arrays are adjoints, because sums are reassociated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Check, Const, Copy, Function, If, Let, Load, Loop, Names, Stmt, Store,
    Var, all_names, free_vars, mentioned, operands, outputs, using, walk,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, substitute
from linad_typecheck.ir.sizes import Lengths, Sizes, known_sizes, lengths
from linad_typecheck.types import I64

from linad.analysis.dependence import Nest
from linad.analysis.loop_body import needed
from linad.analysis.regions import filled, touched

from ..ints import Maker
from .copy_elision import Known, changes, emptied, moved_by, outs, without


def forward_adjoints(f: Function) -> Function:
    """Apply adjoint forwarding to a function."""
    if not any(isinstance(s, Alloc) and s.out.adjoint for s in walk(f.body)):
        return f
    return replace(f, body=_Over(f).block(f.body, set(), set())[0])


class _Over:
    def __init__(self, f: Function) -> None:
        self.function = f
        self.known = Known(f)

    @cached_property
    def names(self) -> Names:
        return Names(all_names(self.function))

    @cached_property
    def sizes(self) -> Sizes:
        return known_sizes(self.function)

    @cached_property
    def same(self) -> Lengths:
        return lengths(self.function)

    def block(self, b: Block, around: set[Var], own: set[Var]) -> tuple[Block, list[Var]]:
        """Rewrite a block. Also return the arrays of enclosing blocks that were replaced; their replacements are
        appended to the results of the block in the same order.

        ``around``: arrays of enclosing blocks that may be replaced. ``own``: arrays that the block owns.
        """
        done: list[Stmt] = []
        may, taken = around | own, []
        names: dict[str, Atom] = {}  # renamings that apply to the remaining statements
        at = 0
        while at < len(b.stmts):
            s, at = self.renamed(b.stmts[at], names), at + 1
            new: dict[Var, Var] = {}
            match s:
                case If():
                    s = in_blocks(s, lambda arm: self.block(arm, set(), set())[0])
                case Loop():
                    s, new = self.loop(s, may)
            pair = self.summed(s, may, done, b, at)
            new |= [pair] if pair is not None else []
            names = {n: new.get(v, v) for n, v in names.items()} | {a.name: now for a, now in new.items()}
            moved = self.moved_out(s, may, done, b, at, names) if pair is None else None
            if moved is not None:
                a, now, stmts, b = moved
                at, names = 0, {}
                new[a] = now
                done += stmts
            elif pair is None:
                done.append(s)
            for a, now in new.items():
                if a in around:
                    taken.append(a)
                    b = Block(b.stmts, (*b.results, now))
                else:
                    may.remove(a)
                may.add(now)
            may.update(outs(s))
        return Block(tuple(done), substitute(Block((), b.results), names).results), taken

    def renamed(self, s: Stmt, names: dict[str, Atom]) -> Stmt:
        if names.keys().isdisjoint(self.known.of(s)):
            return s
        (s,) = substitute(Block((s,)), names).stmts
        return s

    def loop(self, s: Loop, around: set[Var]) -> tuple[Loop, dict[Var, Var]]:
        """Rewrite a loop. Enclosing arrays that are replaced in its body become loop-carried; also return their names
        after the loop."""
        body, taken = self.block(s.body, around if s.mark is None else set(), set(s.carried))
        if not taken:
            return replace(s, body=body), {}
        inside, behind = ([self.like(a) for a in taken] for _ in range(2))
        body = substitute(body, {a.name: c for a, c in zip(taken, inside, strict=True)})
        s = replace(s, carried=(*s.carried, *inside), inits=(*s.inits, *taken), body=body, outs=(*s.outs, *behind))
        return s, dict(zip(taken, behind, strict=True))

    def summed(self, s: Stmt, own: set[Var], done: list[Stmt], b: Block, at: int) -> tuple[Var, Var] | None:
        """Return ``(a, b)`` if the statement computes ``a += b`` for adjoints and ``b`` has no other use. ``b`` then
        starts as a copy of ``a``: ``done`` is rewritten. The following statements start at ``b.stmts[at]``."""
        pair = self.sum_of(s)
        if (
            pair is None
            or pair[0] not in own
            or pair[1] in b.results
            or any(self.known.touches(t, pair[1]) for t in b.stmts[at:])
        ):
            return None
        return pair if self.begun(done, *pair) else None

    def like(self, a: Var) -> Var:
        v = self.names.like(a)
        self.sizes[v.name] = self.sizes[a.name]
        return v

    def sum_of(self, s: Stmt) -> tuple[Var, Var] | None:
        """Return ``(a, b)`` if the statement adds the whole adjoint ``b`` to the adjoint ``a``."""
        match s:
            case AddArray(array=a, other=Var() as b):
                return (a, b) if self.alike(a, b) else None
            case Loop():
                adds = [t.array for t in walk(s.body) if isinstance(t, AddTo)]
                nest = touched(s, adds[0], self.known.touches) if len(adds) == 1 else None
                match None if nest is None else moved_by(nest):
                    case Load(array=b), AddTo(array=a) if a != b and self.alike(a, b):
                        made = Alloc(a, self.sizes[a.name], None)
                        return (a, b) if filled(nest, a, self.known.ranges(made, nest.loops)) else None  # type: ignore
        return None

    def alike(self, a: Var, b: Var) -> bool:
        """Whether two arrays are adjoints of the same sizes."""
        sizes = self.sizes.get(a.name)
        return a.adjoint and b.adjoint and sizes is not None and sizes == self.sizes.get(b.name)

    def begun(self, done: list[Stmt], a: Var, b: Var) -> bool:
        """Rewrite ``done`` so that ``b`` starts as a copy of ``a``, and report whether that is legal.

        ``b`` must start as zeros and only be added to. ``a`` must not change, except that one final loop nest may clear
        cells of it; these cells are then zeroed in ``b``.
        """
        k = next((k for k, s in enumerate(done) if isinstance(s, Alloc) and s.out == b), None)
        match done[k] if k is not None else None:
            case Alloc(fill=Const(value=zero)) as made if repr(zero) == "0.0":
                pass
            case _:
                return False
        assert k is not None
        zeros: tuple[Stmt, ...] = ()
        left = list(done[k + 1 :])
        for at, t in enumerate(left):
            if a in outs(t) or not self.known.only_adds(t, b):
                return False
            if not self.known.touches(t, a):
                continue
            if zeros:
                return False
            if changes(t, a):
                parts = self.emptying(t, a, b)
                if (
                    parts is None
                    or _fails(left[: at + 1])
                    or {v.name for u in left[:at] for v in outputs(u)} & mentioned(parts[1]).keys()
                ):
                    return False
                left[at], alone = parts
                zeros = freshen(Block((alone,), ()), self.names, {}).stmts
        done[k:] = [Copy(b, a, made.span), *zeros, *left]
        return True

    def moved_out(
        self, s: Stmt, own: set[Var], done: list[Stmt], b: Block, at: int, names: dict[str, Atom]
    ) -> tuple[Var, Var, list[Stmt], Block] | None:
        """Forward an adjoint of which a loop nest copies nearly all cells to another array.

        The nest may leave zeros in the cells that it copies, and the adjoint is added to afterwards. Return the
        adjoint, its replacement, the statements that replace the nest, and the remaining block, which reads the cells
        from the original adjoint instead of the copy.
        """
        move = _move(s)
        if move is None:
            return None
        a, cell, to, loops = move
        made = next((t for t in done if isinstance(t, Alloc) and t.out == to), None)
        if (
            a not in own
            or made is None
            or made.fill is not None
            or any(self.known.touches(t, to) for t in done if t is not made)
        ):
            return None
        if (
            a.name not in self.sizes
            or to.name not in self.sizes
            or to in b.results
            or sum(to in operands(t) for t in walk(Block((s,)))) > 1
        ):
            return None
        near = [
            self.same.get(n.name, n) if isinstance(n, Var) else n for n in (*self.sizes[a.name], *self.sizes[to.name])
        ]
        if near[: len(near) // 2] != near[len(near) // 2 :]:
            return None
        far = Nest(*loops).offsets(cell)
        if far is None:
            return None
        rest = Block(
            tuple(self.renamed(t, names) for t in b.stmts[at:]), substitute(Block((), b.results), names).results
        )
        uses = using(rest, to)
        if not all(isinstance(t, Load) and not t.checked for t in uses) or not any(
            isinstance(t, AddTo) and t.array == a for t in walk(rest)
        ):
            return None
        now = self.like(a)
        zeros: tuple[Stmt, ...] = ()
        if changes(s, a):
            parts = self.emptying(s, a, now)
            if parts is None or _fails((s,)):
                return None
            s, alone = parts
            zeros = freshen(Block((alone,)), self.names, {}).stmts
        behind = self.redirected(substitute(rest, {a.name: now}), to, a, far)
        return a, now, [Copy(now, a, s.span), *zeros, without(s, to)], behind

    def redirected(self, b: Block, to: Var, a: Var, far: tuple[int, ...]) -> Block:
        """The block with loads from ``to`` turned into loads from ``a``, whose cells are ``far`` from those."""

        def reading(t: Stmt) -> list[Stmt]:
            if not isinstance(t, Load) or t.array != to:
                return [in_blocks(t, inside)]
            maker = Maker(self.names)
            index = tuple(maker.let("add", i, Const(n, I64)) for i, n in zip(t.index, far, strict=True))
            return [*maker.out, replace(t, array=a, index=index)]

        def inside(b: Block) -> Block:
            return replace(b, stmts=tuple(u for t in b.stmts for u in reading(t)))

        return inside(b)

    def emptying(self, s: Stmt, a: Var, b: Var) -> tuple[Loop, Stmt] | None:
        """Split a loop nest that reads cells of ``a``, each in one iteration, and leaves zeros in them: return the nest
        without the zero stores, and a nest that only stores those zeros to ``b``."""
        found = emptied(s, a, self.known)
        if found is None or any(t.exits for t in found[0]):
            return None
        loops, zero = found
        alone: Stmt = replace(zero, array=b)
        for t in reversed(loops):
            computed = needed(t.body.stmts, (), mentioned(alone).values())
            body = Block((*(u for u in computed if isinstance(u, Let)), alone))
            if free_vars(body).keys() & (
                {v.name for u in t.body.stmts for v in outputs(u)} | {c.name for c in t.carried}
            ):
                return None
            alone = Loop(t.index, t.start, t.stop, t.step, (), (), body, (), span=t.span)
        return without(loops[0], a), alone


def _move(s: Stmt, around: tuple[Loop, ...] = ()) -> tuple[Var, tuple[Atom, ...], Var, tuple[Loop, ...]] | None:
    """Find a store that copies a cell of one adjoint to the cell of another that the loop indices address: the source,
    its index, the target and the loops."""
    if not isinstance(s, Loop):
        return None
    loops = (*around, s)
    inner = [t for t in s.body.stmts if isinstance(t, Loop)]
    if inner:
        return _move(inner[0], loops)
    loads = {t.out: t for t in s.body.stmts if isinstance(t, Load)}
    for t in s.body.stmts:
        if isinstance(t, Store) and t.index == tuple(u.index for u in loops) and isinstance(t.value, Var):
            x = loads.get(t.value)
            if x is not None and x.array.adjoint and t.array.adjoint:
                return x.array, x.index, t.array, loops
    return None


def _fails(stmts: Sequence[Stmt]) -> bool:
    """Whether one of these statements may raise an error."""
    return any(
        isinstance(t, Check | Call) or isinstance(t, Load | Store | AddTo) and t.checked
        for t in walk(Block(tuple(stmts)))
    )
