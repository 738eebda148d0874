"""Buffer merging: replace a pair of alternating buffers by one, if each cell is written after its last read.

**Transformation.** Storage folding in time of the two buffers of a loop (as in Halide and PPCG). Old cells that later
iterations still need stay in registers (`accumulation_rotation.py`).

**Before.** ``for t carry (u, v) { for i { &v[i] = f(u[i-1], u[i], u[i+1]) }; yield v, u }``
**After.** ``for t { old = copy &u; for i { &u[i] = f(old[i-1], old[i], old[i+1]) } }``

**Legality.** Arrays with one axis. Cells that no iteration writes are equal in both buffers: either ``new`` starts each
iteration as a copy of ``old``, or both started as copies of the same array. For adjoints, cells that are not read are
added to in either buffer, and at the end both are added to the same array, or neither is used.

**Profitability.** The copy disappears (`copy_sinking.py` removes it) and the working set is halved. The pass makes
loops sequential, so it runs after parallel loops are chosen.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Const, Copy, Function, Let, Load, Loop, Stmt, Store, Var, count_uses,
    outputs,
)
from linad_typecheck.ir.rewrite import freshen, in_blocks, substitute
from linad_typecheck.types import Array

from linad.analysis.loop_body import Body, Cell
from linad.analysis.loop_facts import carrying_only, defined, is_plain
from linad.analysis.trip_counts import is_short

from ..loops.accumulation_rotation import Held, adding
from ..pass_manager import Remark, Remarks, known_as, remark
from .copy_sinking import in_registers
from .double_buffering import TURNS
from .known_regions import Contents, Sizes, is_only_read


def merge_buffers(f: Function) -> tuple[Function, Remarks]:
    """Merge the alternating buffers of time loops in a function. Also return a remark for each."""
    one = _OneOfTwo(f)
    body = one.block(f.body)
    if body == f.body:
        return f, ()
    f = replace(f, body=body)
    return replace(f, body=_needed(body, count_uses(f))), tuple(one.remarks)


class _OneOfTwo:
    def __init__(self, f: Function) -> None:
        self.sizes = Sizes(f)
        # the caller may read its parameters afterwards
        self.uses = count_uses(f) + Counter(p.var.name for p in f.params)
        self.remarks: list[Remark] = []

    def block(self, b: Block) -> Block:
        done: list[Stmt] = []
        rest = list(b.stmts)
        while rest:
            s = in_blocks(rest.pop(0), self.block)
            if isinstance(s, Loop):
                pairs = (self.merged(done, s, rest, *pair) for pair in _turning(s))
                if (one := next((found for found in pairs if found is not None), None)) is not None:
                    done, rest = one  # visit the loop again: it may carry another pair
                    continue
                if (one := self.moved(done, s)) is not None:
                    done = one
                    continue
            done.append(s)
        return replace(b, stmts=tuple(done))

    def merged(
        self, before: list[Stmt], s: Loop, behind: list[Stmt], a: Var, b: Var
    ) -> tuple[list[Stmt], list[Stmt]] | None:
        """Merge ``b`` into ``a`` in a loop that carries both: the statements before the loop, and the rewritten loop
        with the statements after it."""
        (_, end), (spare, over) = _place(s, a), _place(s, b)
        inside: list[Stmt] | None = None
        if not self.uses[over.name]:
            inside = self.copied(s, a, b) or (self.alike(s, a, b) if _same(before, _place(s, a)[0], spare) else None)
            if inside is None and not self.uses[end.name] and self.are_zeros(before, spare):
                inside = self.emptied(s, a, b)
        elif (
            self.uses[end.name] == self.uses[over.name] == 1
            and (sums := self.sums(behind, end, over)) is not None
            and self.are_zeros(before, spare)
        ):
            inside = self.emptied(s, a, b)
            behind = [t for t in behind if t is not sums]
        if inside is None:
            return None
        self.uses[a.name] += self.uses[b.name]
        told = f"{known_as(a)} in one buffer, written where it has been read"
        self.remarks.append(remark(s.span, "stored", told, instead=f"{known_as(a)} {TURNS}"))
        return before, [_without(s, b, tuple(inside), a), *behind]

    def moved(self, before: list[Stmt], s: Loop) -> list[Stmt] | None:
        """Forward a value that a loop before ``s`` stores to a temporary array, and ``s`` moves to its destination: the
        first loop then writes the destination. Return the statements that replace those before ``s`` and ``s`` itself.
        """
        match [t for t in s.body.stmts if not isinstance(t, Let)]:
            case [Load(out=v, array=new, index=(i,)), Store() | AddTo() as write] if (
                v == write.value and i == s.index and self.uses[new.name] == 2
            ):
                k = next(
                    (
                        k
                        for k in range(len(before) - 1, -1, -1)
                        if self.sizes.touches(before[k], new) or self.sizes.touches(before[k], write.array)
                    ),
                    None,
                )
            case _:
                return None
        loop = None if k is None else before[k]
        if (
            not isinstance(loop, Loop)
            or (loop.start, loop.stop, loop.step) != (s.start, s.stop, s.step)
            or s.carried
            or s.exits
        ):
            return None
        at = next(
            (
                n
                for n, t in enumerate(loop.body.stmts)
                if isinstance(t, Store) and t.array == new and t.index == (loop.index,)
            ),
            None,
        )
        if at is None:
            return None
        stmts, value = loop.body.stmts, loop.body.stmts[at].value  # type: ignore[union-attr]
        index = freshen(
            Block(tuple(t for t in s.body.stmts if isinstance(t, Let)), write.index),
            self.sizes.names,
            {i.name: loop.index},
        )
        stmts = (
            *stmts[:at],
            *index.stmts,
            replace(write, array=new, index=index.results, value=value),
            *stmts[at + 1 :],
        )
        changed = self.stored(replace(loop, body=replace(loop.body, stmts=stmts)), write.array, new)
        if changed is None:
            return None
        self.uses[write.array.name] += self.uses[new.name]
        told = f"{known_as(write.array)} where it has been read: no array is made of what is stored"
        self.remarks.append(remark(s.span, "stored", told))
        return [*before[:k], *changed, *before[k + 1 :]]  # type: ignore[operator]

    def copied(self, s: Loop, a: Var, b: Var) -> list[Stmt] | None:
        """The loop body without the copy that initialises ``b`` from ``a`` (possibly followed by zeroing); all accesses
        go to ``a``."""
        stmts = s.body.stmts
        uses = [k for k, t in enumerate(stmts) if self.sizes.touches(t, b)]
        made = self.sizes.contents(stmts[uses[0]], b) if len(uses) > 1 else None
        if (
            made is None
            or made.source != a
            or made.loop is not None
            or any(self.sizes.touches(t, b) for t in made.rest)
        ):
            return None
        k = uses[1]
        front = [*stmts[: uses[0]], *made.rest, *stmts[uses[0] + 1 : k]]
        if is_only_read(front, a) and not any(self.sizes.touches(t, a) for t in stmts[k:]):
            return [*front, *stmts[k:]]
        zeros = self.sizes.contents(stmts[k], b)
        if zeros is not None and zeros.source is None and len(uses) > 2:
            front += [*zeros.rest, *stmts[k + 1 : uses[2]]]
            return self.around(front, stmts[uses[2] :], a, lambda t: self.added(t, a, b, zeros))
        return self.around(front, stmts[k:], a, lambda t: self.added(t, a, b, None) or self.stored(t, a, b))

    def alike(self, s: Loop, a: Var, b: Var) -> list[Stmt] | None:
        """The loop body with ``a`` alone, where the cells that are not written are equal in both arrays if they were
        equal initially."""
        stmts = s.body.stmts
        k = next((k for k, t in enumerate(stmts) if self.sizes.touches(t, b)), None)
        if (
            k is None
            or not _is_steady(stmts[k], s)
            or not self.only_stores(stmts[k], b)
            or not is_only_read(stmts[k + 1 :], b)
        ):
            return None
        return self.around(stmts[:k], stmts[k:], a, lambda t: self.stored(t, a, b))

    def emptied(self, s: Loop, a: Var, b: Var) -> list[Stmt] | None:
        """The loop body with ``a`` alone, where it clears cells of ``a`` and adds to ``b``, whose same cells were zero
        initially."""
        stmts = s.body.stmts
        k = next((k for k, t in enumerate(stmts) if self.sizes.touches(t, b)), None)
        zeros = None if k is None else self.sizes.contents(stmts[k], a)
        if k is None or zeros is None or not _is_steady(stmts[k], s):
            return None
        # the other cells of a and b are summed at the end, or dead
        if any(self.sizes.touches(t, a) or self.sizes.touches(t, b) for t in (*stmts[:k], *stmts[k + 1 :])):
            return None
        match zeros:
            case Contents(source=None, rest=(loop,)):
                return self.around(stmts[:k], [loop, *stmts[k + 1 :]], a, lambda t: self.added(t, a, b, zeros))
        return None

    def only_stores(self, s: Stmt, a: Var) -> bool:
        """Whether a loop accesses an array only by stores."""
        return isinstance(s, Loop) and all(isinstance(t, Store) for t in s.body.stmts if self.sizes.touches(t, a))

    def are_zeros(self, stmts: Sequence[Stmt], a: Atom) -> bool:
        """Whether the only statement that touches an array is its zero-filled allocation."""
        match [t for t in stmts if isinstance(a, Var) and self.sizes.touches(t, a)]:
            case [Alloc(fill=Const(value=0.0))]:
                return True
        return False

    def sums(self, stmts: Sequence[Stmt], a: Var, b: Var) -> Stmt | None:
        """The statement that adds the whole of ``b`` to the same array that ``a`` is added to, if that array is only
        added to in between."""
        found = {t.other: (k, t) for k, t in enumerate(stmts) if isinstance(t, AddArray) and t.other in (a, b)}
        if len(found) < 2 or found[a][1].array != (total := found[b][1].array):
            return None
        low, high = sorted((found[a][0], found[b][0]))
        others = (t for t in stmts[low:high] if self.sizes.touches(t, total))
        return found[b][1] if all(isinstance(t, AddArray) and t.array == total for t in others) else None

    def around(
        self, front: Sequence[Stmt], rest: Sequence[Stmt], a: Var, change: Callable[[Stmt], list[Stmt] | None]
    ) -> list[Stmt] | None:
        """The statements with the first of ``rest`` rewritten by ``change``. It must be the last one to touch ``a``,
        and the ``front`` may only read ``a``."""
        if not is_only_read(front, a) or any(self.sizes.touches(t, a) for t in rest[1:]):
            return None
        changed = change(rest[0])
        return None if changed is None else [*front, *changed, *rest[1:]]

    def stored(self, s: Stmt, a: Var, b: Var) -> list[Stmt] | None:
        """A loop that reads ``a`` and stores to ``b``, rewritten to store to ``a``; None if the old contents it still
        needs do not fit in registers."""
        # parameters have no known shape here: a partial update would be visible after an error
        if not isinstance(s, Loop) or a.name not in self.sizes.shapes:
            return None
        old = self.sizes.names.like(a)
        (loop,) = substitute(Block((s,)), {a.name: old, b.name: a}).stmts
        assert isinstance(loop, Loop)
        return in_registers(loop, old, a, self.sizes)

    def added(self, s: Stmt, a: Var, b: Var, zeros: Contents | None) -> list[Stmt] | None:
        """A loop that reads one row of ``a`` and adds to ``b``, rewritten to add to that row of ``a``. ``zeros``: the
        region of ``a`` that the loop finds cleared."""
        if not isinstance(s, Loop) or not is_plain(s) or is_short(s, self.sizes.ints):
            return None
        body, step = Body(s), s.step.value  # type: ignore[union-attr]
        loads = [k for k, t in enumerate(body.stmts) if isinstance(t, Load) and t.array == a]
        read = {body.cell(body.stmts[k].index) for k in loads}  # type: ignore[union-attr]
        rows = body.additions(b.name) if b.name in body.written and a.name not in body.written else []
        match [*read], rows:
            case [Cell() as cell], [row]:
                (last, *_) = row[max(row)]
            case _:
                return None
        ahead = [(d - cell.number) * step for d in row]  # distance of each addition from the cell that is read
        if body.cell(last.index).row != cell.row or min(ahead) > 0:  # type: ignore[union-attr]
            return None
        if zeros is None:
            return adding(s, self.sizes.names) if max(loads) < body.written[b.name][0][0] else None
        low, high = self.sizes.ends(s)
        at = body.offset(body.stmts[loads[0]].index[-1])  # type: ignore[union-attr]
        if at is None or (zeros.low, zeros.high) != (low + at, high + at) or max(ahead) < 0:
            return None
        # the additions to other arrays may be those of another pair
        return adding(s, self.sizes.names, {b.name: Held(read=-min(ahead))}, every=False)


def _turning(s: Loop) -> Iterator[tuple[Var, Var]]:
    """Pairs of one-axis arrays that a loop carries and swaps in each iteration."""
    now = dict(zip(s.carried, s.nexts, strict=True))
    for a, r in now.items():
        if isinstance(r, Var) and isinstance(r.type, Array) and r.type.rank == 1 and r != a and now.get(r) == a:
            yield a, r


def _place(s: Loop, v: Var) -> tuple[Atom, Var]:
    """The names of a carried array before and after the loop."""
    k = s.carried.index(v)
    return s.inits[k], s.outs[k]


def _without(s: Loop, b: Var, stmts: tuple[Stmt, ...], a: Var) -> Loop:
    """The loop without the carried array ``b``: the body is replaced, and ``a`` is used in place of ``b``."""
    k = s.carried.index(b)
    kept = carrying_only(replace(s, body=replace(s.body, stmts=stmts)), (n for n in range(len(s.carried)) if n != k))
    return replace(kept, body=substitute(kept.body, {b.name: a}))


def _is_steady(s: Stmt, around: Loop) -> bool:
    """Whether the bounds of an inner loop are invariant in the enclosing loop."""
    return isinstance(s, Loop) and not any(isinstance(a, Var) and a.name in defined(around) for a in (s.start, s.stop))


def _same(stmts: Sequence[Stmt], a: Atom, b: Atom) -> bool:
    """Whether two arrays that these statements create have equal contents afterwards."""
    made = {v: k for k, t in enumerate(stmts) for v in outputs(t) if v in (a, b)}
    if len(made) < 2:
        return False
    (x, first), (y, second) = sorted(made.items(), key=lambda item: item[1])
    match stmts[first], stmts[second]:
        case _, Copy(array=source) if source == x:
            first = second
        case Copy(array=source), Copy(array=other) if source == other:
            if not is_only_read(stmts[first:second], source):
                return False
        case Alloc(fill=value), Alloc(fill=other) if value is not None and value == other:
            pass
        case _:
            return False
    return is_only_read(stmts[first + 1 :], x) and is_only_read(stmts[second + 1 :], y)


def _needed(b: Block, uses: Counter[str]) -> Block:
    """The block without allocations and copies that have no uses."""
    kept = (s for s in b.stmts if not (isinstance(s, Alloc | Copy) and not uses[s.out.name]))
    return replace(b, stmts=tuple(in_blocks(s, lambda inner: _needed(inner, uses)) for s in kept))
