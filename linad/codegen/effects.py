"""Logs that a function, or its callees, may reallocate."""

from __future__ import annotations

from collections.abc import Mapping

from linad_typecheck.ir.core import Call, Function, Program, Reserve, Var, walk

from linad.analysis.logs import resized


def growing(f: Function, grown: Mapping[str, tuple[bool, ...]]) -> set[str]:
    """The arrays of a function that it, or a callee, may reallocate to grow them. ``grown``: the result of
    `grown_params`."""
    found = resized(f)
    for s in walk(f.body):
        if isinstance(s, Call):
            found |= {a.name for a, g in zip(s.args, grown[s.callee], strict=True) if g and isinstance(a, Var)}
    return found


def grown_params(program: Program) -> dict[str, tuple[bool, ...]]:
    """For each function, which parameters are logs that it may reallocate and return.

    A log grows by being copied, so a callee that reserves space in a parameter returns the new log. The entry never
    does: its caller owns the arrays.
    """
    grown = {name: [False] * len(f.params) for name, f in program.functions.items()}
    places = {name: {p.var.name: k for k, p in enumerate(f.params)} for name, f in program.functions.items()}
    mentioned = {
        name: [s for s in walk(f.body) if isinstance(s, Reserve | Call)] for name, f in program.functions.items()
    }
    changed = True
    while changed:
        changed = False
        for name, stmts in mentioned.items():
            for s in stmts:
                match s:
                    case Reserve(array=a):
                        names = [a.name]
                    case Call(callee=c, args=args):
                        names = [a.name for a, g in zip(args, grown[c], strict=True) if g and isinstance(a, Var)]
                for n in names:
                    at = places[name].get(n)
                    if at is not None and not grown[name][at]:
                        grown[name][at] = changed = True
    return {name: tuple(flags) for name, flags in grown.items()}
