"""State snapshots: copy a state at the start of each iteration, or when the iteration has computed it, and keep the
copies, if that takes fewer words than logging its loads.

With ``x = y`` at the end of an iteration, the old ``x`` is gone when the reverse sweep arrives, so its loads are
logged. An iteration that traverses ``x`` repeatedly, such as a matrix-vector product, logs n words for each cell. A
copy of ``x`` at the start of the iteration is an array local to that iteration, and such arrays are kept as slices
(`storage.py`): n words in all. So is a copy of an array that the iteration allocates, reads and hands to the next one,
after its last change. A copy in the program (``old = x.copy()``) is expanded cell by cell for the same reason.

Snapshots are only taken in a block that loads from the state and allocates an array of the same sizes, whose words pay
for the copy (`linad/steps.py`). The copy is placed at the start of this block, which is an arm in a loop with an early
exit. The plan with the copy decides whether it takes fewer words (`state_snapshots_cost.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Const, Copy, Dim, Drop, Function, If, Let, Load, Loop, Names, Stmt, Store, Var,
    all_names, free_vars, operands, using, walk,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.ir.sizes import known_sizes, lengths
from linad_typecheck.span import Span
from linad_typecheck.types import I64, Array, Scalar, is_float

from .model import Plan, own_blocks


def with_slices(
    f: Function, plan: Plan, tried: Container[str], worth: Mapping[str, int]
) -> Iterator[tuple[str, dict[str, int], Function, bool]]:
    """Candidates for state snapshots, each with the function in which the copy is made cell by cell.

    Yields the name of the array, changes to ``worth``, the function, and whether the iteration writes to the array (if
    so, loops that this write kept apart may be fused once the copy exists). ``plan``: the plan of the function's linear
    form, with the same loops. ``tried``: arrays to skip. ``worth``: how many copies an array pays for, 1 by default and
    -1 for such a copy.
    """
    sizes, same = known_sizes(f), lengths(f)
    logged = {around.loop.index.name for b in plan.bodies.values() if b.logs for around in b.path}

    def wanted(a: Var) -> bool:
        return isinstance(a.type, Array) and is_float(a.type) and a.name in sizes and a.name not in tried

    def alike(a: Var) -> tuple[Atom, ...]:
        return tuple(same.get(n.name, n) if isinstance(n, Var) else n for n in sizes[a.name])

    for s in (s for s in walk(f.body) if isinstance(s, Loop) and s.index.name in logged):
        for block in own_blocks(s.body):
            made = [t for t in block.stmts if isinstance(t, Copy) or isinstance(t, Alloc) and t.log == "no"]
            for t in made:
                if isinstance(t, Copy) and wanted(t.out) and _only(t.out, block, Load | Store | AddTo | Dim | Drop):
                    copied = _copy(f, t.out, t.array, sizes[t.out.name], t.span)
                    yield (
                        t.out.name,
                        {t.out.name: 0},
                        _with(f, block, lambda b, t=t, new=copied: _instead(b, t, new)),
                        False,
                    )
            updated = (v for v in free_vars(block).values() if _is_written(v, block))
            for c in filter(wanted, dict.fromkeys((*s.carried, *updated))):
                paid = sum(worth.get(t.out.name, 1) for t in made if t.out.name in sizes and alike(t.out) == alike(c))
                old = _unchanged(c, block) if paid > 0 else set()
                if old:
                    own = Names(all_names(f)).like(c)
                    copied = _copy(f, own, c, sizes[c.name], s.span)
                    yield (
                        c.name,
                        {own.name: -1},
                        _with(f, block, lambda b, old=old, own=own, new=copied: _reading(b, old, own, new)),
                        _is_written(c, block),
                    )
            for t in (t for t in made if isinstance(t, Alloc) and t.out.name in plan.facts.moved and wanted(t.out)):
                last = max(k for k, s in enumerate(block.stmts) if s is t or _changes(s, t.out))
                old = {id(u) for u in using(Block(block.stmts[last + 1 :]), t.out) if isinstance(u, Load)}
                if old:
                    own = Names(all_names(f)).like(t.out)
                    copied = _copy(f, own, t.out, sizes[t.out.name], t.span)
                    yield (
                        t.out.name,
                        {own.name: -1},
                        _with(f, block, lambda b, at=last + 1, a=(old, own, copied): _reading(b, *a, at)),
                        False,
                    )


def _only(c: Var, block: Block, kinds: type) -> bool:
    """Whether a block loads cells of an array and otherwise uses it only in statements of the given kinds."""
    uses = [s for s in walk(block) if c in operands(s)]
    return any(isinstance(s, Load) for s in uses) and all(isinstance(s, kinds) for s in uses)


def _copy(f: Function, out: Var, array: Var, sizes: tuple[Atom, ...], span: Span) -> tuple[Stmt, ...]:
    """Statements that allocate an array and fill it cell by cell."""
    names = Names({*all_names(f), out.name})
    index = [names.var("i", I64) for _ in sizes]
    cell = names.var(f"{array.name}_i", Scalar(out.type.dtype))
    body = Block((Load(cell, array, tuple(index), False, span), Store(out, tuple(index), cell, False, span)))
    for i, n in zip(reversed(index), reversed(sizes), strict=True):
        body = Block((Loop(i, Const(0, I64), n, Const(1, I64), (), (), body, (), span=span),))
    return (Alloc(out, sizes, None, span), *body.stmts)


def _instead(block: Block, s: Stmt, new: tuple[Stmt, ...]) -> Block:
    """A block with one statement replaced."""
    return replace(block, stmts=tuple(u for t in block.stmts for u in (new if t is s else (t,))))


def _unchanged(c: Var, block: Block) -> set[int]:
    """The loads of an array, by id, that find its contents from the start of the block.

    These are the loads before the first change, and those in the changing statement itself if it is a loop nest in
    which each iteration then stores to the loaded cell only.
    """
    found: set[int] = set()
    for s in block.stmts:
        uses = using(Block((s,)), c)
        loads = {id(t) for t in uses if isinstance(t, Load)}
        if all(isinstance(t, Load | Dim | Drop | Copy | If) for t in uses):
            found |= loads
            if any(isinstance(t, If) for t in uses):  # beyond this arm the array has another name
                return found
        else:
            return found | (loads if isinstance(s, Loop) and _own_cells(s, c, len(uses)) else set())
    return found


def _is_written(c: Var, block: Block) -> bool:
    return any(isinstance(t, Store | AddTo) and t.array == c for t in walk(block))


def _changes(s: Stmt, a: Var) -> bool:
    """Whether a statement does anything with an array other than reading or dropping it."""
    return not all(isinstance(t, Load | Dim | Drop) for t in using(Block((s,)), a))


def _own_cells(s: Loop, c: Var, uses: int) -> bool:
    """Whether a loop nest only loads and then stores the single cell addressed by its indices."""
    indices = {s.index.name}
    far: dict[str, str] = {}
    while True:
        far[s.index.name] = s.index.name
        for t in s.body.stmts:
            match t:
                case (
                    Let(out=v, op="add" | "sub", ins=(Var(name=x), Const()))
                    | Let(out=v, op="add", ins=(Const(), Var(name=x)))
                ) if x in far:
                    far[v.name] = far[x]
        inner = [t for t in s.body.stmts if isinstance(t, Loop)]
        if len(inner) != 1:
            break
        s = inner[0]
        indices.add(s.index.name)
    here = [t for t in s.body.stmts if isinstance(t, Load | Store | AddTo) and t.array == c]
    cells = {t.index for t in here}
    if len(here) != uses or len(cells) != 1 or not all(isinstance(t, Load) for t in here[:-1]):
        return False
    return sorted(far.get(str(a), "") for a in next(iter(cells))) == sorted(indices)


def _reading(block: Block, old: set[int], own: Var, new: tuple[Stmt, ...], at: int = 0) -> Block:
    """The block with statements inserted at a position, and some loads redirected to another array."""

    def inside(b: Block) -> Block:
        return replace(b, stmts=tuple(map(stmt, b.stmts)))

    def stmt(s: Stmt) -> Stmt:
        return replace(s, array=own) if isinstance(s, Load) and id(s) in old else in_blocks(s, inside)

    stmts = tuple(map(stmt, block.stmts))
    return replace(block, stmts=(*stmts[:at], *new, *stmts[at:]))


def _with(f: Function, block: Block, change: Callable[[Block], Block]) -> Function:
    """The function with one of its blocks rewritten."""

    def inside(b: Block) -> Block:
        return change(b) if b is block else replace(b, stmts=tuple(in_blocks(s, inside) for s in b.stmts))

    return replace(f, body=inside(f.body))
