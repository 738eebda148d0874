"""Copy elision: remove fills, clears and copies of arrays whose result is never read.

**Transformation.** Dead-store elimination of whole arrays, and copy elision. Adjoint arrays start as zeros and end as
zeros. The pass applies five rewrites, numbered below, to arrays that a block allocates or owns.

**Before.** ``b = alloc [n] fill 0.0; for i { &b[i] += e }; c = copy &b; return c``
**After.** ``b = alloc [n]; for i { &b[i] = e }; return b``

**Legality.** (1) The first use of a zero-filled array is a loop nest that adds exactly once to each cell: it stores
instead, and the fill is dropped. (2) The last use of an array stores zeros to cells that only the same iteration has
read: the stores are dropped. This also applies to an array that a loop carries in but not out. (3) A zero-filled array
is added to, and then a second array, unchanged since, is added to it as a whole: it starts as a copy of the second
array. (4) A copy of an array that the block owns and does not use again: the copy is the array itself. (5) The first
use of an array is a loop nest that stores every cell of another array of the same shape: it becomes a copy of that
array.

**Profitability.** Always: each rewrite saves one pass over an array.

**Needs.** Rewrites (1) to (3) and (5) require that the array is an adjoint: they reassociate sums and may change the
sign of a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dim, Drop, Function, If, Let, Load, Loop, Stmt, Store, Var,
    blocks, operands, outputs, using, walk, writes,
)
from linad_typecheck.ir.rewrite import in_blocks, substitute
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.types import FLOATS, I64, Array

from linad.analysis.affine import Ranges
from linad.analysis.logs import logs_of, may_grow
from linad.analysis.regions import Touched, filled, touched

from ..mentions import Mentions


class Known(Mentions):
    """Cached facts about a function: how values are computed, and which arrays a statement reads."""

    def __init__(self, f: Function) -> None:
        super().__init__()
        self.ints = {s.out.name: s for s in walk(f.body) if isinstance(s, Let | Dim) and s.out.type == I64}
        self.logs = frozenset(may_grow(f) | logs_of(f))
        self.function = f
        # the statement is kept alive so that its id stays unique
        self._looked_at: dict[int, tuple[Stmt, frozenset[str]]] = {}

    @cached_property
    def sizes(self) -> Sizes:
        return known_sizes(self.function)

    def ranges(self, made: Alloc, loops: Iterable[Loop]) -> Ranges:
        """Facts about the bounds of loops. The sizes of the array are unknowns, known to be non-negative."""
        found, done = Ranges(self.logs), {a.name for a in made.shape if isinstance(a, Var)}
        found.statement(made)

        def learn(a: Atom) -> None:
            t = self.ints.get(a.name) if isinstance(a, Var) else None
            if t is not None and t.out.name not in done:
                done.add(t.out.name)
                for x in t.ins if isinstance(t, Let) else ():
                    learn(x)
                found.statement(t)

        for s in loops:
            for a in (s.start, s.stop, s.step):
                if a is not None:
                    learn(a)
        return found

    def only_adds(self, s: Stmt, array: Var) -> bool:
        """Whether a statement uses an array only to add to its cells or to query its size."""
        found = self._looked_at.get(id(s))
        if found is None:
            found = self._looked_at[id(s)] = s, frozenset(_looked_at(s))
        return array.name not in found[1]


def elide_copies(f: Function) -> Function:
    """Remove array fills, clears and copies that have no effect on any result."""
    return replace(f, body=_block(f.body, Known(f), ()))


def _block(block: Block, known: Known, carried: tuple[Var, ...]) -> Block:
    """Rewrite a block. ``carried``: arrays that the block owns."""
    block = _moved(
        replace(block, stmts=tuple(_inside(s, known) for s in block.stmts)), frozenset(c.name for c in carried), known
    )
    stmts = list(block.stmts)
    for made in [s for s in stmts if isinstance(s, Alloc)]:
        if made.log == "no" and made.out.type.dtype in FLOATS and made.out.adjoint:
            at = next(k for k, s in enumerate(stmts) if s is made)
            if made.fill is not None and repr(made.fill.value) == "0.0":
                _begun(stmts, at, known)
            _taken_over(stmts, made.out, known)
            if made.out not in block.results:
                _ended(stmts, made.out, known)
    for c in carried:
        if c.type.dtype in FLOATS and c.adjoint and c not in block.results:
            _ended(stmts, c, known)
    return replace(block, stmts=tuple(stmts))


def _inside(s: Stmt, known: Known) -> Stmt:
    carried = tuple(c for c in s.carried if isinstance(c.type, Array)) if isinstance(s, Loop) else ()
    return in_blocks(s, lambda b: _block(b, known, carried))


# ---------------------------------------------------------------------------------------------------- initial contents


def _begun(stmts: list[Stmt], at: int, known: Known) -> None:
    """Remove the zero fill of the allocation at ``stmts[at]`` if the following statements make it unnecessary."""
    made = stmts[at]
    assert isinstance(made, Alloc)
    for k in range(at + 1, len(stmts)):
        s = stmts[k]
        if isinstance(s, Dim) or not known.touches(s, made.out):
            continue
        nest = touched(s, made.out, known.touches)
        match nest:
            case Touched(uses=(AddTo(),)) if filled(nest, made.out, known.ranges(made, nest.loops)):
                stmts[at], stmts[k] = replace(made, fill=None), storing(s, made.out)
                return
        break
    _copied(stmts, at, known)


def _taken_over(stmts: list[Stmt], array: Var, known: Known) -> None:
    """Turn an allocation whose first use copies all cells of another array into a copy of that array."""
    at, *uses = [
        k for k, s in enumerate(stmts) if known.touches(s, array) or isinstance(s, Alloc) and s.out == array
    ] or [0]
    made = stmts[at]
    if not isinstance(made, Alloc) or made.fill is not None or not uses:
        return
    nest = touched(stmts[uses[0]], array, known.touches)
    match None if nest is None else moved_by(nest):
        case Load(array=source), Store(value=Var()) if known.sizes.get(source.name) == made.shape:
            if filled(nest, array, known.ranges(made, nest.loops)):  # type: ignore[arg-type, union-attr]
                stmts[uses[0]] = Copy(array, source, made.span)
                del stmts[at]


def storing(s: Stmt, array: Var) -> Stmt:
    """A loop nest with its additions to an array turned into stores."""
    match s:
        case AddTo() if s.array == array:
            return Store(array, s.index, s.value, s.checked, s.span)
        case Loop():
            return replace(s, body=replace(s.body, stmts=tuple(storing(t, array) for t in s.body.stmts)))
    return s


def moved_by(nest: Touched) -> tuple[Load, Store | AddTo] | None:
    """Match a loop nest that only copies or adds cells of one array to the same cells of another: the load and the
    write."""
    if any(len(t.body.stmts) != 1 for t in nest.loops[:-1]) or any(t.carried for t in nest.loops):
        return None
    match nest.loops[-1].body.stmts:
        case (Load(out=v, checked=False) as load, Store() | AddTo() as write):
            return (load, write) if write.value == v and write.index == load.index else None
    return None


def _copied(stmts: list[Stmt], at: int, known: Known) -> None:
    """Turn a zero-filled array to which another array is added before any read into a copy of that array."""
    made = stmts[at]
    assert isinstance(made, Alloc)
    array = made.out
    for k in range(at + 1, len(stmts)):
        s = stmts[k]
        if isinstance(s, AddArray) and s.array == array and s.other != array:
            if _made_before(stmts, at, s.other) and not any(
                known.touches(t, s.other) and changes(t, s.other) for t in stmts[at + 1 : k]
            ):
                stmts[at] = Copy(array, s.other, s.span)
                del stmts[k]
            return
        if known.touches(s, array) and not known.only_adds(s, array):
            return


def _made_before(stmts: list[Stmt], at: int, other: Var) -> bool:
    from_here = {v.name for s in stmts[at:] for v in outputs(s)}
    return other.name not in from_here


def outs(s: Stmt) -> tuple[Var, ...]:
    match s:
        case Alloc(out=v) | Copy(out=v):
            return (v,)
        case If(outs=made) | Loop(outs=made):
            return made
    return ()


def _looked_at(s: Stmt) -> Iterator[str]:
    """The arrays that a statement uses other than to add to their cells or to query their size."""
    for t in walk(Block((s,))):
        match t:
            case AddTo() | Dim():
                continue
            case AddArray(other=a):
                yield a.name
            case _:
                yield from (a.name for a in operands(t) if isinstance(a, Var))
        yield from (r.name for b in blocks(t) for r in b.results if isinstance(r, Var))


def changes(s: Stmt, array: Var) -> bool:
    """Whether a statement may write to an array, move it, or give it another name."""
    return any(array in writes(t) or not isinstance(t, Load | Dim | Copy | AddArray) for t in using(Block((s,)), array))


# --------------------------------------------------------------------------------------------------------------- copies


def _moved(block: Block, carried: frozenset[str], known: Known) -> Block:
    """Replace copies of owned arrays by the array itself if it has no further uses."""
    own = set(carried)
    k = 0
    while k < len(block.stmts):
        s, rest = block.stmts[k], Block(block.stmts[k + 1 :], block.results)
        if isinstance(s, Copy) and s.array.name in own and s.out.type == s.array.type and _may_be(s.out, s.array, rest):
            if s.array not in rest.results and not any(known.touches(t, s.array) for t in rest.stmts):
                rest = substitute(rest, {s.out.name: s.array})
                block = Block((*block.stmts[:k], *rest.stmts), rest.results)
                continue
        own |= {v.name for v in outs(s)} if not (isinstance(s, Alloc) and s.log != "no") else set()
        k += 1
    return block


def _may_be(copy: Var, array: Var, rest: Block) -> bool:
    """Whether ``copy`` may be replaced by ``array``. An adjoint copy of a non-adjoint array becomes a non-adjoint,
    which is allowed only if it has no aliases; an array that the user updates never becomes an adjoint."""
    if copy.adjoint == array.adjoint:
        return True
    further = copy in rest.results or any(isinstance(t, If | Loop | Call) for t in using(rest, copy))
    return copy.adjoint and not further


# ------------------------------------------------------------------------------------------------------ final contents


def _ended(stmts: list[Stmt], array: Var, known: Known) -> None:
    """Remove the zero stores to an array from the last statement that touches it."""
    last = next(
        (k for k in range(len(stmts) - 1, -1, -1) if known.touches(stmts[k], array) and not isinstance(stmts[k], Drop)),
        None,
    )
    found = emptied(stmts[last], array, known) if last is not None else None
    if last is not None and found is not None:
        stmts[last] = without(found[0][0], array)


def emptied(s: Stmt, array: Var, known: Known) -> tuple[list[Loop], Store] | None:
    """Match a loop nest in which each iteration reads its own cell of an array and leaves a zero there: the loops and
    the zero store. None if the nest uses the array in any other way (size queries aside)."""
    nest = touched(s, array, known.touches)
    match nest:
        case Touched(loops=loops, uses=(*_, Store() as zero) as uses) if (
            _ends_as_zero(list(uses), zero.index) and nest.one_by_one()
        ):
            return list(loops), zero
    return None


def _ends_as_zero(uses: list[Stmt], cell: tuple[Atom, ...]) -> bool:
    """Whether the statements only read one cell and finally store a zero there."""
    loads = [t for t in uses if isinstance(t, Load)]
    zeros = [t for t in uses if isinstance(t, Store) and isinstance(t.value, Const) and t.value.value == 0.0]
    return [*loads, *zeros] == uses and all(t.index == cell for t in (*loads, *zeros))


def without(s: Loop, array: Var) -> Loop:
    """A loop nest without its stores to an array."""
    kept = (t for t in s.body.stmts if not (isinstance(t, Store) and t.array == array))
    return replace(s, body=replace(s.body, stmts=tuple(without(t, array) if isinstance(t, Loop) else t for t in kept)))
