"""Store forwarding: a load of the cell that was just stored to is the value.

**Transformation.** Store-to-load forwarding, and a store of zero that is followed by an addition becomes one store.

**Before.** ``&v![k] = 0.0; &v![k] += x; e = load! &v [k]``
**After.** ``&v![k] = x; e is x``

**Legality.** Within a block, with nothing in between that touches the array. Zero and addition are joined for ints
and for adjoints only: where the sum is -0.0 it changes the sign of a zero. A check that may fail stays before what
it guarded.

**Profitability.** Always.

**Needs.** Nothing: the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import AddTo, Atom, Block, Const, Dim, Function, Let, Load, Stmt, Store, Var, mentioned
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.types import Array, is_float


def merge_cells(f: Function) -> Function:
    """Loads of a cell that the same block has just stored to become the value; ``v[i] = 0`` followed by ``v[i] += e``
    with nothing in between that touches ``v`` becomes ``v[i] = e``.

    The latter for ints and for adjoints only: where ``e`` is -0.0 it changes the sign of a zero.
    """
    return replace(f, body=_Merge().block(f.body))


class _Merge:
    def __init__(self) -> None:
        self.same: dict[str, Atom] = {}  # loads that are the value stored before

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        about: dict[str, list[Stmt]] = {}  # by array: those that mention it, at any depth
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
    """The value that this very cell was given, if nothing has written to the array since. ``about`` mention it."""
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
    """Whether two indices are known to refer to different cells."""
    return any(
        isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in zip(first, second, strict=True)
    )


def _pending_zero(about: list[Stmt], array: Var, index: tuple) -> Store | None:
    """The store of a zero to this very cell, if nothing has touched the array since. ``about`` mention it."""
    match about[-1:]:
        case [Store(array=a, index=i, value=Const(value=zero)) as s] if (
            a == array and i == index and repr(zero) in ("0.0", "0")
        ):
            return s
    return None


def _may_fail_between(stmts: list[Stmt]) -> bool:
    return any(not isinstance(s, Let | Load) or getattr(s, "checked", False) for s in stmts)
