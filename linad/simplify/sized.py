"""Sizes of parameters that are copied get names, so that those of the copies are known (`core_sizes.py`)."""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.core import Copy, Dim, Function, Names, Stmt, all_names, walk
from linad_typecheck.types import I64


def name_sizes(f: Function) -> Function:
    """The function that begins by asking its copied parameters for their sizes."""
    copied = {s.array.name for s in walk(f.body) if isinstance(s, Copy)}
    names = Names(all_names(f))
    asked: list[Stmt] = [
        Dim(names.var(f"{p.var.name}_n", I64), p.var, axis, f.span)
        for p in f.params
        if p.var.name in copied
        for axis in range(p.var.type.rank)
    ]
    return replace(f, body=replace(f.body, stmts=(*asked, *f.body.stmts))) if asked else f
