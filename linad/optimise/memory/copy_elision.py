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

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dim, Drop, Function, If, Let, Load, Loop, Stmt, Store, Var,
    blocks, operands, outputs, using, walk, writes,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.types import FLOATS, I64, Array

from ..mentions import Mentions
from ..offsets import offset


class Known(Mentions):
    """Cached facts about a function: how values are computed, and which arrays a statement reads."""

    def __init__(self, f: Function) -> None:
        super().__init__()
        self.lets = {s.out.name: s for s in walk(f.body) if isinstance(s, Let)}
        self.function = f
        # the statement is kept alive so that its id stays unique
        self._looked_at: dict[int, tuple[Stmt, frozenset[str]]] = {}

    @cached_property
    def sizes(self) -> Sizes:
        return known_sizes(self.function)

    def only_adds(self, s: Stmt, array: Var) -> bool:
        """Whether a statement uses an array only to add to its cells or to query its size."""
        found = self._looked_at.get(id(s))
        if found is None:
            found = self._looked_at[id(s)] = s, frozenset(_looked_at(s))
        return array.name not in found[1]


def spare_zeros(f: Function) -> Function:
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
    match s:
        case If():
            return replace(s, then=_block(s.then, known, ()), orelse=_block(s.orelse, known, ()))
        case Loop(carried=carried):
            return replace(s, body=_block(s.body, known, tuple(c for c in carried if isinstance(c.type, Array))))
    return s


# ---------------------------------------------------------------------------------------------------- initial contents


def _begun(stmts: list[Stmt], at: int, known: Known) -> None:
    """Remove the zero fill of the allocation at ``stmts[at]`` if the following statements make it unnecessary."""
    made = stmts[at]
    assert isinstance(made, Alloc)
    for k in range(at + 1, len(stmts)):
        s = stmts[k]
        if isinstance(s, Dim) or not known.touches(s, made.out):
            continue
        stored = _stored(s, made.out, list(made.shape), (), known)
        if stored is not None:
            stmts[at], stmts[k] = replace(made, fill=None), stored
            return
        break
    _copied(stmts, at, known)


def _stored(s: Stmt, array: Var, sizes: list[Atom], index: tuple[Var, ...], known: Known) -> Stmt | None:
    """A loop nest over all cells with its single addition to the array turned into a store, or None."""
    if not sizes:
        return Store(array, s.index, s.value, False, s.span) if isinstance(s, AddTo) and s.index == index else None
    if not isinstance(s, Loop) or s.exits or s.mark is not None or not covers(s, sizes[0], known):
        return None
    touching = [k for k, t in enumerate(s.body.stmts) if known.touches(t, array)]
    if len(touching) != 1 or array in (*s.inits, *s.body.results):
        return None
    (k,) = touching
    inner = _stored(s.body.stmts[k], array, sizes[1:], (*index, s.index), known)
    if inner is None:
        return None
    return replace(s, body=replace(s.body, stmts=(*s.body.stmts[:k], inner, *s.body.stmts[k + 1 :])))


def _taken_over(stmts: list[Stmt], array: Var, known: Known) -> None:
    """Turn an allocation whose first use copies all cells of another array into a copy of that array."""
    at, *uses = [
        k for k, s in enumerate(stmts) if known.touches(s, array) or isinstance(s, Alloc) and s.out == array
    ] or [0]
    made = stmts[at]
    if not isinstance(made, Alloc) or made.fill is not None or not uses:
        return
    source = _copied_from(stmts[uses[0]], array, list(made.shape), (), known)
    if source is not None and known.sizes.get(source.name) == made.shape:
        stmts[uses[0]] = Copy(array, source, made.span)
        del stmts[at]


def _copied_from(s: Stmt, array: Var, sizes: list[Atom], index: tuple[Var, ...], known: Known) -> Var | None:
    """The array that a loop nest copies cell by cell to ``array``, if that is all it does."""
    if (
        not isinstance(s, Loop)
        or s.exits
        or s.mark is not None
        or s.carried
        or not sizes
        or not covers(s, sizes[0], known)
    ):
        return None
    index = (*index, s.index)
    match s.body.stmts:
        case (Load(out=v, array=source, index=here, checked=False), Store(array=to, index=there, value=w)) if (
            to == array and v == w and here == there == index and len(sizes) == 1
        ):
            return source
        case (Loop() as inner,):
            return _copied_from(inner, array, sizes[1:], index, known)
    return None


def covers(s: Loop, size: Atom, known: Known) -> bool:
    """Whether a loop runs over all indices 0 to ``size - 1``, ascending or descending."""
    match s.step, s.start, s.stop:
        case Const(value=1), Const(value=0), stop:
            return stop == size
        case Const(value=-1), Const(value=top), Const(value=-1):
            return isinstance(size, Const) and top == size.value - 1
        case Const(value=-1), Var(name=name), Const(value=-1) if name in known.lets:
            return known.lets[name].op == "sub" and known.lets[name].ins == (size, Const(1, I64))
    return False


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
    loops: list[Loop] = []
    while isinstance(s, Loop) and isinstance(s.step, Const) and array not in (*s.inits, *s.body.results):
        loops.append(s)
        match [t for t in s.body.stmts if known.touches(t, array) and not isinstance(t, Dim)]:
            case [Loop() as inner]:
                s = inner
            case [*before, Store() as zero] if _ends_as_zero([*before, zero], zero.index):
                bases = (offset(a, known.lets)[0] for a in zero.index)
                return (
                    (loops, zero)
                    if {v.name for v in bases if isinstance(v, Var)} == {t.index.name for t in loops}
                    else None
                )
            case _:
                return None
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
