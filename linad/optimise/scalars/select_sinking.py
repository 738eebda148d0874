"""Select sinking: compute a value that only one side of a `select` needs on that side only.

**Transformation.** Code sinking into the arms of a branch; the inverse of if-conversion.

**Before.** ``r = sqrt x; y = select c r 0.0``
**After.** ``y = if c { r = sqrt x; yield r } else { yield 0.0 }``

**Legality.** Only the `select` uses the operations that are moved, and they have no effects.

**Profitability.** None: the pass is needed for correctness. ``np.where(x > 0, np.sqrt(x), 0.0)`` has derivative 0 at x
= 0, but the reverse of the square root there is 0 * inf. It therefore applies to operations whose derivative may be
infinite or nan (`SINGULAR`), and cannot be switched off.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from linad_typecheck.ir.core import Atom, Block, Const, Function, If, Let, Stmt, Var, blocks, free_vars, operands
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.ops import OPS
from linad_typecheck.types import is_float

# Operations whose derivative is infinite or nan at some point, where the other side of a `select` may be intended.
SINGULAR = frozenset(op.name for op in OPS.values() if op.singular)


def sink_selects(f: Function) -> Function:
    """Turn each `select` that guards a singular operation into an `if`."""
    return replace(f, body=_block(f.body))


def _block(block: Block) -> Block:
    stmts = [in_blocks(s, _block) for s in block.stmts]
    while (done := _sink_one(stmts, block.results)) is not None:
        stmts = done
    return replace(block, stmts=tuple(stmts))


def _sink_one(stmts: list[Stmt], results: tuple[Atom, ...]) -> list[Stmt] | None:
    """The statements with the last `select` that guards a singular operation turned into an `if`, or None."""
    uses: Counter[str] = Counter(r.name for r in results if isinstance(r, Var))
    for s in stmts:
        uses.update(a.name for a in operands(s) if isinstance(a, Var))
        for b in blocks(s):
            uses.update(2 * list(free_vars(b)))  # used in a nested block, so not exclusive
    for at in range(len(stmts) - 1, -1, -1):
        s = stmts[at]
        if isinstance(s, Let) and s.op == "select" and is_float(s.out.type) and isinstance(s.ins[0], Var):
            sides = [_exclusive(a, stmts[:at], uses) for a in s.ins[1:]]
            if any(t.op in SINGULAR for side in sides for t in side):
                moved = {id(t) for side in sides for t in side}
                arms = [Block(tuple(side), (a,)) for side, a in zip(sides, s.ins[1:], strict=True)]
                kept = [t for t in stmts[:at] if id(t) not in moved]
                return [*kept, in_blocks(If(s.ins[0], *arms, (s.out,), s.span), _block), *stmts[at + 1 :]]
    return None


def _exclusive(wanted: Atom, before: list[Stmt], uses: Counter[str]) -> list[Let]:
    """The scalar operations that only ``wanted`` needs, in order."""
    if isinstance(wanted, Const):
        return []
    found: list[Let] = []
    inside: Counter[str] = Counter({wanted.name: 1})
    for s in reversed(before):
        if isinstance(s, Let) and uses[s.out.name] == inside[s.out.name] > 0:
            found.append(s)
            inside.update(a.name for a in s.ins if isinstance(a, Var))
    return found[::-1]


__all__ = ["SINGULAR", "sink_selects"]
