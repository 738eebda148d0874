"""The mode of each parameter of a lowered function: read < acc < mut < own, by what its body does with it."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import Block, Dim, Let, Mode, Var, blocks
from ..types import Array
from .uses import Modes, Use, uses


def infer_modes(params: Sequence[Var], body: Block, modes: Modes) -> tuple[Mode, ...]:
    """The weakest mode of each parameter that its body allows; scalars are ``own``.

    ``acc`` is for parameters that are only added to, shapes apart: as soon as a cell is loaded as well, the additions
    are updates that a load may see.
    """
    found: dict[str, set[Use]] = {p.name: set() for p in params if isinstance(p.type, Array)}
    _collect(body, found, modes)
    return tuple(_mode(found[p.name]) if isinstance(p.type, Array) else "own" for p in params)


def _collect(block: Block, found: dict[str, set[Use]], modes: Modes) -> None:
    for s in block.stmts:
        if not isinstance(s, (Dim, Let)):  # the one asks for a shape only, the other is of scalars
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
