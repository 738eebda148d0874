"""Store forwarding: replace a load of a cell that was just stored to by the stored value.

**Transformation.** Store-to-load forwarding; a store of zero followed by an addition becomes a single store.

**Before.** ``&v![k] = 0.0; &v![k] += x; e = load! &v [k]``
**After.** ``&v![k] = x; e is x``

**Legality.** Within a block, if nothing in between touches the array. Zero and addition are merged only for ints and
adjoints, because the sign of a zero changes if the sum is -0.0. A check that may fail stays before what it guards.

**Profitability.** Always.

**Needs.** Nothing: results are identical except for the sign of a zero adjoint.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Atom, Block, Const, Dim, Function, Let, Load, Stmt, Store, Var, mentioned
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import Array, is_float


def merge_cells(f: Function) -> Function:
    """Forward stores to loads in each block, and merge ``v[i] = 0`` and ``v[i] += e`` into ``v[i] = e`` if nothing in
    between touches ``v``.

    Merging is limited to ints and adjoints: the sign of a zero changes if ``e`` is -0.0.
    """
    return replace(f, body=_Merge().block(f.body))


class _Merge:
    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}  # loads replaced by the stored value

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        about: dict[str, list[Stmt]] = {}  # by array: the statements that mention it, at any depth
        for s in block.stmts:
            s = rebuild(s, self.use, block=self.block)
            match s:
                case AddTo(array=a, index=i, value=v) if not is_float(a.type) or a.adjoint:
                    zero = _pending_zero(about.get(a.name, []), a, i)
                    at = 0 if zero is None else next(k for k in range(len(out) - 1, -1, -1) if out[k] is zero)
                    if zero is not None and not (zero.checked and _may_fail_between(out[at + 1 :])):
                        del out[at], about[a.name][-1]
                        s = Store(a, i, v, zero.checked, s.span)
                case Load(out=v, array=a, index=i):
                    value = _just_stored(about.get(a.name, []), a, i)
                    if value is not None:
                        self.same[v.name] = value
                        continue
            out.append(s)
            for name in _arrays(s):
                about.setdefault(name, []).append(s)
        return Block(tuple(out), tuple(map(self.use, block.results)))


def _arrays(s: Stmt) -> set[str]:
    """The arrays that a statement mentions."""
    return {v.name for v in mentioned(s).values() if isinstance(v.type, Array)}


def _just_stored(about: list[Stmt], array: Var, index: tuple) -> Atom | None:
    """The value last stored to this cell, if nothing has written to the array since. ``about``: the statements that
    mention the array."""
    for s in reversed(about):
        match s:
            case Store(array=a, index=i, value=v) if a == array:
                if i == index:
                    return v
                if not _differ(i, index):
                    return None
            case AddTo(array=a, index=i) if a == array and _differ(i, index):
                continue
            case Load() | Dim():
                continue
            case _:
                return None
    return None


def _differ(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> bool:
    """Whether two indices provably differ."""
    return any(
        isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in zip(first, second, strict=True)
    )


def _pending_zero(about: list[Stmt], array: Var, index: tuple) -> Store | None:
    """The store of a zero to this cell, if nothing has touched the array since. ``about``: the statements that mention
    the array."""
    match about[-1:]:
        case [Store(array=a, index=i, value=Const(value=zero)) as s] if (
            a == array and i == index and repr(zero) in ("0.0", "0")
        ):
            return s
    return None


def _may_fail_between(stmts: list[Stmt]) -> bool:
    return any(not isinstance(s, Let | Load) or getattr(s, "checked", False) for s in stmts)
