"""Double buffering: write the array that an iteration creates for the next one into the buffer of the last but one.

**Transformation.** Double buffering. The variant `pin_buffers` (the pass `buffer_pinning`) is for parallel loops: it
writes into the incoming array and reads a copy, because iterations are distributed over threads only if arrays keep
their names.

**Before.** ``for t carry (u) { new = copy &u; ...; yield new }``
**After.** ``first = alloc [n]; for t carry (u, other = first) { other = u; ...; yield other, u }``

A state of several steps, ``for t carry (past, now) { new = alloc [n]; ...; yield now, new }``, is written into
the buffer of the step that is forgotten.

**Legality.** A loop owns the arrays that it carries: by the linear discipline, the incoming array has no aliases. The
iteration does not pass it on, and both arrays have the same sizes.

**Profitability.** Always: the loop allocates nothing.

**Needs.** Fastmath and noalias, as for all loop restructuring.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Call, Copy, Fill, Function, Loop, Names, Stmt, Var, all_names, blocks,
)
from linad_typecheck.ir.rewrite import at_loops, in_blocks, substitute
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.types import Array

from linad.analysis.loop_facts import carrying_only

from .snapshot_coalescing import snapshots_of, write_apart
from ..pass_manager import Remark, Remarks, known_as, remark

TURNS = "in two buffers that take turns"  # shown to users


def double_buffer(f: Function) -> tuple[Function, Remarks]:
    """Carry a second buffer in each loop that creates an array for its next iteration. Also return a remark for each.
    """
    f = write_apart(f)
    rewriting = _DoubleBuffering(f)
    return at_loops(f, rewriting.loop), tuple(rewriting.remarks)


class _DoubleBuffering:
    def __init__(self, f: Function) -> None:
        self.function = f
        self.names = Names(all_names(f))
        self.sizes: Sizes = known_sizes(f)
        self.remarks: list[Remark] = []

    def loop(self, s: Loop) -> list[Stmt]:
        """The loop, preceded by the allocations of its second buffers."""
        made: list[Stmt] = []
        for c in s.carried:
            if c.name in self.sizes:
                first = self.names.like(c)
                if (turned := self.turned(s, c, first)) is not None:
                    made.append(Alloc(first, self.sizes[c.name], None, s.span))
                    self.remarks.append(remark(s.span, "stored", f"{known_as(c)} {TURNS}"))
                    s = turned
        return [*made, s]

    def turned(self, s: Loop, c: Var, first: Var) -> Loop | None:
        """The loop with a second buffer for the carried array ``c``, initially ``first``; `snapshot_coalescing` writes
        arrays to their logs."""
        apart = (
            r for d, r in zip(s.carried, s.nexts, strict=True) if snapshots_of(self.function, s, d, self.sizes) is None
        )
        found = _made(s, c, self.sizes, tuple(apart))
        if found is None:
            return None
        k, made = found
        other = self.names.like(c)
        stmts = (*s.body.stmts[:k], *self.filling(made, other, self.sizes[c.name]), *s.body.stmts[k + 1 :])
        body = substitute(Block(stmts, (*s.body.results, c)), {made.out.name: other})
        out = self.names.like(c)
        return replace(s, carried=(*s.carried, other), inits=(*s.inits, first), body=body, outs=(*s.outs, out))

    def filling(self, s: Alloc | Copy, other: Var, sizes: tuple[Atom, ...]) -> list[Stmt]:
        """The statements that initialise ``other`` as the allocation or copy ``s`` does."""
        if isinstance(s, Copy):
            return copying(replace(s, out=other), sizes, self.names)
        return [] if s.fill is None else [Fill(other, s.fill, s.span)]


def pin_buffers(f: Function) -> Function:
    """Make inner loops write into the incoming array what they create for the next iteration, and read a copy.

    For parallel loops: iterations are distributed over threads only if the arrays in the loop keep their names.
    """
    return replace(f, body=_InPlace(f).block(f.body, False))


class _InPlace:
    def __init__(self, f: Function) -> None:
        self.names = Names(all_names(f))
        self.sizes: Sizes = known_sizes(f)

    def block(self, b: Block, inside: bool) -> Block:
        done: list[Stmt] = []
        while b.stmts:
            s, b = b.stmts[0], Block(b.stmts[1:], b.results)
            within = inside or isinstance(s, Loop)
            s = in_blocks(s, lambda body, within=within: self.block(body, within))
            for c in s.carried if isinstance(s, Loop) and inside else ():
                k = s.carried.index(c)
                a, out = s.inits[k], s.outs[k]
                if isinstance(a, Var) and (staying := self.staying(s, k, a)) is not None:
                    s, b = staying, substitute(b, {out.name: a})
            done.append(s)
        return replace(b, stmts=tuple(done))

    def staying(self, s: Loop, k: int, a: Var) -> Loop | None:
        """The loop that writes into ``a`` instead of creating an array for its carried slot ``k``."""
        c = s.carried[k]
        found = _made(s, c, self.sizes, (s.nexts[k],))
        if found is None:
            return None
        at, made = found
        old = self.names.like(c)
        filling: list[Stmt] = [Copy(old, a, made.span)]
        match made:
            case Alloc(fill=value) if value is not None:
                filling.append(Fill(a, value, made.span))
            case Copy(array=source) if source != c:
                filling += copying(replace(made, out=a), self.sizes[c.name], self.names)
        before = substitute(Block(s.body.stmts[:at]), {c.name: a})
        rest = substitute(Block(s.body.stmts[at + 1 :], s.body.results), {c.name: old, made.out.name: a})
        body = Block((*before.stmts, *filling, *rest.stmts), rest.results)
        return carrying_only(replace(s, body=body), (n for n in range(len(s.carried)) if n != k))


def _made(s: Loop, c: Var, sizes: Sizes, results: tuple[Atom, ...]) -> tuple[int, Alloc | Copy] | None:
    """The statement that creates one of the ``results`` of an iteration at whose end the carried array ``c`` is dead,
    and its position."""
    if c.name not in sizes or c in s.nexts or c.name in passed_on(s.body):
        return None
    for k, t in enumerate(s.body.stmts):
        if isinstance(t, Alloc | Copy) and t.out in results and sizes.get(t.out.name) == sizes[c.name]:
            return k, t
    return None


def copying(s: Copy, shape: tuple[Atom, ...], names: Names) -> list[Stmt]:
    """``out[...] = array`` as a loop nest, one loop per axis."""
    b = Builder(names, span=s.span)
    b.each(shape, lambda *i: b.store(s.out, i, b.load(s.array, i, hint="cell")))
    return b.stmts


def passed_on(b: Block) -> set[str]:
    """Arrays that are renamed by loops, branches or calls in a block."""
    found: set[str] = set()
    for s in b.stmts:
        for inner in blocks(s):
            found |= passed_on(inner) | _arrays(inner.results)
        if isinstance(s, Loop):
            found |= _arrays(s.inits)
        if isinstance(s, Call):
            found |= _arrays(s.args)
    return found


def _arrays(atoms: tuple[Atom, ...]) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var) and isinstance(a.type, Array)}
