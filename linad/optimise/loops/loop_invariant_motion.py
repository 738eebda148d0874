"""Loop-invariant code motion: hoist invariant int arithmetic, array sizes and tables out of loops.

**Transformation.** Loop-invariant code motion (Muchnick, Advanced Compiler Design and Implementation, 1997, chapter
13), also of small arrays that every iteration fills alike.

**Before.** ``for i in range(n) { k = mul a b; t = alloc [2]; &t[0] = 0.5; &t[1] = a; ... load &t [j] }``
**After.** ``k = mul a b; t = alloc [2]; &t[0] = 0.5; &t[1] = a; for i in range(n) { ... load &t [j] }``

**Legality.** Only operations that cannot fail, sizes of arrays that do not grow, and arrays of constant size that are
filled with invariant values at constant indices and only read afterwards, also in branches. Of equal ones one is left.

**Profitability.** LLVM would do this with ints anyway, but the storage plan needs it earlier: an inner loop whose
bounds are invariant has logs of known size, indexed by iteration. A table costs as much as one iteration.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Alloc, Atom, Block, Const, Copy, Dim, Function, If, Let, Load, Loop, Stmt, Store, Var, blocks, operands,
)
from linad_typecheck.ir.rewrite import at_loops, in_blocks, substitute, with_statements
from linad_typecheck.types import INTS, Scalar

from linad.analysis.logs import may_grow
from linad.analysis.loop_facts import defined


# Operations that cannot fail and are cheap enough to execute even if the loop does not run.
_FREE = frozenset("add sub mul neg min max trips".split())


def hoist_invariants(f: Function) -> Function:
    """Hoist invariant int operations and array sizes out of loops."""
    grown = may_grow(f)
    return at_loops(f, lambda s: _hoisted(s, grown))


def _hoisted(s: Loop, grown: set[str]) -> list[Stmt]:
    """The statements to hoist, and the loop of the others."""
    inside = defined(s)
    hoisted: list[Stmt] = []
    kept: list[Stmt] = []
    for t in s.body.stmts:
        free = isinstance(t, Let) and t.op in _FREE and isinstance(t.out.type, Scalar) and t.out.type.dtype in INTS
        size = isinstance(t, Dim) and t.array.name not in grown
        if (free or size) and not any(isinstance(a, Var) and a.name in inside for a in operands(t)):
            hoisted.append(t)
            inside.discard(t.out.name)
        else:
            kept.append(t)
    body = replace(s.body, stmts=tuple(kept))
    tables = _tables(body, inside)
    if tables:
        body, moved = _without(body, tables)
        hoisted += moved
    return [*hoisted, replace(s, body=body)]


def _tables(body: Block, inside: set[str]) -> dict[str, list[Alloc | Store]]:
    """The arrays of a loop body, outside of inner loops, that are filled with invariant values and then only read, with
    the statements that make and fill them."""
    found: dict[str, list[Alloc | Store]] = {}
    if not any(type(t) in (Alloc, If) for t in body.stmts):
        return found
    read: set[str] = set()
    others: set[str] = set()
    invariant = lambda t: not inside.intersection(_names(*t.index, t.value))

    def visit(b: Block, own: bool) -> None:
        made: set[str] = set()
        for t in b.stmts:
            match t:
                case Alloc(out=v, log="no", shape=shape) if own and all(isinstance(n, Const) for n in shape):
                    found[v.name] = [t]
                    made.add(v.name)
                case Store(array=a, checked=False) if a.name in made - read and invariant(t):
                    found[a.name].append(t)
                case Load(array=a) | Dim(array=a) | Copy(array=a):
                    read.add(a.name)
                case _:
                    others.update(_names(*operands(t)))
            for inner in blocks(t):
                visit(inner, own and type(t) is If)
        others.update(_names(*b.results))

    visit(body, True)
    return {v: stmts for v, stmts in found.items() if v not in others and len(stmts) > 1}


def _names(*atoms: Atom) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var)}


def _without(body: Block, tables: dict[str, list[Alloc | Store]]) -> tuple[Block, list[Stmt]]:
    """A loop body without its tables, and the statements that make these; equal ones are made once."""
    first: dict[object, Var] = {}
    equal: dict[str, Atom] = {}
    moved: list[Stmt] = []
    for stmts in tables.values():
        made, *stores = stmts
        contents = made.out.type, made.shape, made.fill, tuple((t.index, t.value) for t in stores)
        v = first.setdefault(contents, made.out)
        if v is made.out:
            moved += stmts
        else:
            equal[made.out.name] = v
    gone = {id(t) for stmts in tables.values() for t in stmts}

    def left(b: Block) -> Block:
        return with_statements(b, (in_blocks(t, left) for t in b.stmts if id(t) not in gone))

    return substitute(left(body), equal), moved
