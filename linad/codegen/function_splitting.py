"""A long kernel as several functions called one after the other.

Numba's analyses, and some of LLVM's, take time that grows faster than a function does: a kernel of thousands of lines
costs more than ten of hundreds. So the statements at the top of a long one are divided into runs, and each becomes a
function of what it uses. Only top-level statements are divided, so a call is made once per run of the kernel.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Block, Call, Function, Param, Program, Reserve, Stmt, Var, blocks, free_vars, outputs, walk,
)
from linad_typecheck.linear.uses import modes_of, uses
from linad_typecheck.types import Array

def in_parts(program: Program, f: Function, long: int, part: int) -> tuple[Function, dict[str, Function]]:
    """A kernel of calls, and the functions that it calls; the kernel as it is and none where it is not long.

    Parameters
    ----------
    program
        The functions that the kernel calls itself.
    f
        The kernel, whose arrays are made by its caller as far as that is possible.
    long
        The number of statements from which on a kernel is divided.
    part
        How many statements a part has, about.
    """
    if _size(f.body) < long or any(isinstance(s, Reserve) for s in walk(f.body)):
        return f, {}
    taken = set(program.functions)
    parts: dict[str, Function] = {}
    out: list[Stmt] = []
    needed = {r.name for r in f.body.results if isinstance(r, Var)}
    after: list[set[str]] = []  # what is needed behind each run
    runs = _runs(f.body, part)
    for run in reversed(runs):
        after.append(set(needed))
        needed |= free_vars(Block(run)).keys()
    for k, (run, wanted) in enumerate(zip(runs, reversed(after), strict=True), 1):
        name = f"{f.name}_part{k}"
        while name in taken:
            name += "_"
        body = Block(run)
        updated = _updated(body, program)
        params = tuple(Param(v, "mut" if v.name in updated else "read") for v in free_vars(body).values())
        outs = tuple(v for s in run for v in outputs(s) if v.name in wanted)
        parts[name] = Function(name, params, replace(body, results=outs), run[0].span)
        out.append(Call(outs, name, tuple(p.var for p in params), run[0].span))
    return replace(f, body=Block(tuple(out), f.body.results)), parts


def _size(block: Block) -> int:
    return sum(1 for _ in walk(block))


def _runs(block: Block, part: int) -> list[tuple[Stmt, ...]]:
    """The statements of a block in runs of about so many, those inside of them counted too."""
    runs: list[list[Stmt]] = [[]]
    size = 0
    for s in block.stmts:
        more = _size(Block((s,)))
        if runs[-1] and size + more > part:
            runs.append([])
            size = 0
        runs[-1].append(s)
        size += more
    return [tuple(run) for run in runs]


def _updated(block: Block, program: Program) -> set[str]:
    """The arrays that a block does more with than look into them."""
    modes = modes_of(program.functions)
    found = {v.name for s in walk(block) for v, use in uses(s, modes) if isinstance(v.type, Array) and use != "borrow"}
    inner = [r for s in walk(block) for b in blocks(s) for r in b.results]
    return found | {r.name for r in inner if isinstance(r, Var)}
