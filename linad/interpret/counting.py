"""Which kind of step a statement is counted as."""

from __future__ import annotations

from linad_typecheck.core import AddTo, Call, Check, Dim, If, Let, Load, Stmt, Store
from linad_typecheck.ops import OPS

_KINDS = {Load: "load", Store: "store", AddTo: "addto", Dim: "dim", If: "branch", Call: "call", Check: "check"}


def kind_of(s: Stmt) -> str | None:
    """The kind under which a statement is counted each time it runs; None where that depends on more.

    A load or a store that turns out to be of a log is counted over, as ``pop`` or ``log``, when it runs.
    """
    return OPS[s.op].kind if isinstance(s, Let) else _KINDS.get(type(s))
