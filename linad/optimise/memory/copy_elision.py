"""Copy elision: arrays are not filled, emptied or copied where no one reads what that gives.

**Transformation.** Dead-store elimination of whole arrays, and copy elision. Adjoint arrays begin as zeros and end
as zeros. Five rewritings of an array that is made in a block, or given to it for good, numbered below.

**Before.** ``b = alloc [n] fill 0.0; for i { &b[i] += e }; c = copy &b; return c``
**After.** ``b = alloc [n]; for i { &b[i] = e }; return b``

**Legality.** (1) The first to touch its zeros is a nest of loops over all its cells that adds once to each: it
stores, and nothing is filled. (2) The last to touch it stores zeros to cells that only the same iteration has read:
it does not; likewise where a loop carries an array into an iteration and not out of it. (3) Something is added to
its zeros, and then another array as a whole, which has not changed since: it begins as a copy of that. (4) It is a
copy of an array that belongs to the block and is not used again: it is that array. (5) The first to touch it is a
nest of loops that stores each cell of another array of the same sizes: it is a copy of that.

**Profitability.** Always: each saves going through an array.

**Needs.** For (1) to (3) and (5) that the array is an adjoint: they change the order of sums and the sign of a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Const, Copy, Dim, Drop, Function, If, Let, Load, Loop, Stmt, Store, Var,
    blocks, operands, outputs, using, walk, writes,
)
from linad_typecheck.ir.rewrite import substitute
from linad_typecheck.ir.sizes import Sizes, known_sizes
from linad_typecheck.types import FLOATS, I64, Array

from linad.analysis.affine import Ranges
from linad.analysis.logs import logs_of, may_grow
from linad.analysis.regions import Touched, filled, touched

from ..mentions import Mentions


class Known(Mentions):
    """Facts that several rewritings need: also how a value is computed, and which arrays a statement looks at."""

    def __init__(self, f: Function) -> None:
        super().__init__()
        self.ints = {s.out.name: s for s in walk(f.body) if isinstance(s, Let | Dim) and s.out.type == I64}
        self.logs = frozenset(may_grow(f) | logs_of(f))
        self.function = f
        # with the statement, which keeps its identity taken
        self._looked_at: dict[int, tuple[Stmt, frozenset[str]]] = {}

    @cached_property
    def sizes(self) -> Sizes:
        return known_sizes(self.function)

    def ranges(self, made: Alloc, loops: Iterable[Loop]) -> Ranges:
        """What is known of the ints that loops run between; the sizes of the array stand for themselves, as they are
        known not to be negative."""
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
        """Whether a statement does nothing with an array but add to its cells, or ask for its size."""
        found = self._looked_at.get(id(s))
        if found is None:
            found = self._looked_at[id(s)] = s, frozenset(_looked_at(s))
        return array.name not in found[1]


def spare_zeros(f: Function) -> Function:
    """The function without zeros that are never read."""
    return replace(f, body=_block(f.body, Known(f), ()))


def _block(block: Block, known: Known, carried: tuple[Var, ...]) -> Block:
    """``carried`` are arrays that the block is given for good."""
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


# -------------------------------------------------------------------------------------------------------------
# beginning


def _begun(stmts: list[Stmt], at: int, known: Known) -> None:
    """The zeros of the array made at a place, where what follows makes them unnecessary."""
    made = stmts[at]
    assert isinstance(made, Alloc)
    for k in range(at + 1, len(stmts)):
        s = stmts[k]
        if isinstance(s, Dim) or not known.touches(s, made.out):
            continue
        nest = touched(s, made.out, known.touches)
        match None if nest is None else nest.uses:
            case (AddTo(),) if filled(nest, made.out, known.ranges(made, nest.loops)):  # type: ignore[arg-type]
                stmts[at], stmts[k] = replace(made, fill=None), storing(s, made.out)
                return
        break
    _copied(stmts, at, known)


def _taken_over(stmts: list[Stmt], array: Var, known: Known) -> None:
    """The array as a copy, where the first to touch it stores all cells of another one."""
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
    """A nest of loops that stores what it has added to an array."""
    match s:
        case AddTo() if s.array == array:
            return Store(array, s.index, s.value, s.checked, s.span)
        case Loop():
            return replace(s, body=replace(s.body, stmts=tuple(storing(t, array) for t in s.body.stmts)))
    return s


def moved_by(nest: Touched) -> tuple[Load, Store | AddTo] | None:
    """The load, and the store or addition of that to the same cell of another array, if a nest does nothing else."""
    if any(len(t.body.stmts) != 1 for t in nest.loops[:-1]) or any(t.carried for t in nest.loops):
        return None
    match nest.loops[-1].body.stmts:
        case (Load(out=v, checked=False) as load, Store() | AddTo() as write):
            return (load, write) if write.value == v and write.index == load.index else None
    return None


def _copied(stmts: list[Stmt], at: int, known: Known) -> None:
    """Zeros to which another array is added, before anything reads them: they begin as its copy."""
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
    """What a statement does more with than add to its cells, or ask for its size."""
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
    """The block without copies of its own arrays that are used no more: the copy is the array itself."""
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
    """Whether an array may go by the name of another one. An adjoint may by that of an array that is none, and is none
    itself then, unless it has further names; what a user updates is never an adjoint."""
    if copy.adjoint == array.adjoint:
        return True
    further = copy in rest.results or any(isinstance(t, If | Loop | Call) for t in using(rest, copy))
    return copy.adjoint and not further


# ----------------------------------------------------------------------------------------------------------------
# ending


def _ended(stmts: list[Stmt], array: Var, known: Known) -> None:
    """Without the stores to cells of the array in the last statement that touches it, where nothing reads them any
    more."""
    last = next(
        (k for k in range(len(stmts) - 1, -1, -1) if known.touches(stmts[k], array) and not isinstance(stmts[k], Drop)),
        None,
    )
    found = emptied(stmts[last], array, known) if last is not None else None
    if last is not None and found is not None:
        stmts[last] = without(found[0][0], array)


def emptied(s: Stmt, array: Var, known: Known) -> tuple[list[Loop], Store] | None:
    """The loops of a nest of which each iteration reads a cell of an array that is its own, and leaves a zero there,
    and the store of that; None where the nest does anything else with the array but ask for its size."""
    nest = touched(s, array, known.touches)
    match None if nest is None else nest.uses:
        case (*_, Store() as zero) as uses if _ends_as_zero(list(uses), zero.index) and nest.one_by_one():  # type: ignore[union-attr]
            return list(nest.loops), zero  # type: ignore[union-attr]
    return None


def _ends_as_zero(uses: list[Stmt], cell: tuple[Atom, ...]) -> bool:
    """Whether a cell is all that statements look at, before they leave a zero there."""
    loads = [t for t in uses if isinstance(t, Load)]
    zeros = [t for t in uses if isinstance(t, Store) and isinstance(t.value, Const) and t.value.value == 0.0]
    return [*loads, *zeros] == uses and all(t.index == cell for t in (*loads, *zeros))


def without(s: Loop, array: Var) -> Loop:
    """A nest of loops without what it stores to an array."""
    kept = (t for t in s.body.stmts if not (isinstance(t, Store) and t.array == array))
    return replace(s, body=replace(s.body, stmts=tuple(without(t, array) if isinstance(t, Loop) else t for t in kept)))
