"""Usefulness: the values on which a result depends. Activity is propagated forward, usefulness backward.

A value that no result depends on differentiably, such as the best cell so far of a search loop, has a zero adjoint, so
its reverse need not run.
"""

from __future__ import annotations

from collections.abc import Callable

from linad_typecheck.ir.core import Atom, Call, Function, Var, walk
from linad_typecheck.linear.uses import Modes
from linad_typecheck.types import Array, is_float

from linad.analysis.flows import flows

Key = Callable[[Var], str]


def useful(f: Function, modes: Modes, key: Key, results: tuple[Atom, ...] = ()) -> set[str]:
    """The values and alias groups, by `Facts.key`, on which a result or an updated parameter may depend."""
    found: set[str] = set()

    def is_useful(*atoms: Atom) -> bool:
        return any(isinstance(a, Var) and is_float(a.type) and key(a) in found for a in atoms)

    def mark(*atoms: Atom) -> None:
        found.update(key(a) for a in atoms if isinstance(a, Var) and is_float(a.type))

    mark(*f.body.results, *results, *(p.var for p in f.params if isinstance(p.var.type, Array) and p.mode != "read"))
    stmts = list(walk(f.body))[::-1]
    while True:
        before = len(found)
        for s in stmts:
            if isinstance(s, Call):  # as a whole: the reverse of a call takes the adjoints of all its results
                written = (a for a, m in zip(s.args, modes(s.callee), strict=True) if m != "read")
                if is_useful(*(a for a in written if isinstance(a.type, Array)), *s.outs):
                    mark(*s.args, *s.outs)
            for target, sources in flows(s):
                if is_useful(target):
                    mark(*sources)
        if len(found) == before:
            return found
