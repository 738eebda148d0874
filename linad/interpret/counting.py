"""Which kind of step a statement is counted as."""

from __future__ import annotations

import re

from linad_typecheck.core import AddTo, Call, Check, Dim, If, Let, Load, Stmt, Store, base_name
from linad_typecheck.ops import OPS

_LOG = re.compile(r"log(?![a-z])")
_KINDS = {AddTo: "addto", Dim: "dim", If: "branch", Call: "call", Check: "check"}


def is_log(name: str) -> bool:
    """Whether an array is a log of the reverse sweep, by its name."""
    return _LOG.match(base_name(name)) is not None


def kind_of(s: Stmt) -> str | None:
    """The kind under which a statement is counted each time it runs; None where that depends on more."""
    match s:
        case Let(op=op):
            return OPS[op].kind
        case Load(array=a):
            return "pop" if is_log(a.name) else "load"
        case Store(array=a):
            return "log" if is_log(a.name) else "store"
        case _:
            return _KINDS.get(type(s))
