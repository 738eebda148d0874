"""The mode of each parameter of a lowered function: read < acc < mut < own, inferred from its body."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Block, Call, Dim, If, Let, Loop, Mode, Var, blocks, walk
from ..types import Array
from ..linear.uses import Modes, Use, uses


def infer_modes(params: Sequence[Var], body: Block, modes: Modes) -> tuple[Mode, ...]:
    """The weakest mode of each parameter that the body allows. Scalars are ``own``.

    ``acc`` is the mode of a parameter that is only added to, apart from reading its shape. If one of its cells is also
    loaded, the additions are updates that the load may observe.
    """
    found: dict[str, set[Use]] = {p.name: set() for p in params if isinstance(p.type, Array)}
    _collect(body, found, modes)
    return tuple(_mode(found[p.name]) if isinstance(p.type, Array) else "own" for p in params)


def _collect(block: Block, found: dict[str, set[Use]], modes: Modes) -> None:
    for s in block.stmts:
        if not isinstance(s, (Dim, Let)):  # `Dim` reads only the shape, and `Let` is on scalars
            for v, use in uses(s, modes):
                if v.name in found:
                    found[v.name].add(use)
        for b in blocks(s):
            _collect(b, found, modes)
    for r in block.results:
        if isinstance(r, Var) and r.name in found:
            found[r.name].add("consume")


def _mode(does: set[Use]) -> Mode:
    if "consume" in does:
        return "own"
    if "update" in does or does >= {"accumulate", "borrow"}:
        return "mut"
    return "acc" if "accumulate" in does else "read"


def later_names(params: Sequence[Var], body: Block, returns: Callable[[str, int, int], bool]) -> list[set[str]]:
    """For each parameter its name and the variables to which loops, branches and calls may move its array.

    ``returns(callee, k, j)`` tells whether the result ``k`` of a function may be its argument ``j``.
    """
    becomes: dict[str, set[str]] = {}
    for s in walk(body):
        match s:
            case Loop(carried=carried, inits=inits, outs=outs):
                last = s.body.results[len(s.body.results) - len(carried) :]
                pairs = [*zip(inits, carried), *zip(last, carried), *zip(carried, outs)]
            case If(outs=outs):
                pairs = [*zip(s.then.results, outs), *zip(s.orelse.results, outs)]
            case Call(outs=outs, args=args):
                pairs = [
                    (a, o) for j, a in enumerate(args) for k, o in enumerate(outs) if returns(s.callee, k, j)
                ]
            case _:
                continue
        for a, b in pairs:
            if isinstance(a, Var) and isinstance(a.type, Array) and isinstance(b.type, Array):
                becomes.setdefault(a.name, set()).add(b.name)
    return [_reachable(p.name, becomes) for p in params]


def _reachable(name: str, becomes: dict[str, set[str]]) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        new = becomes.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found
