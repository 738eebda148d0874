"""Function splitting: divide a long kernel into several functions that are called one after the other.

The compile time of Numba's analyses, and of some of LLVM's, is superlinear in the size of a function: a kernel of
thousands of lines costs more than ten of hundreds. The top-level statements of a long kernel are therefore divided into
runs, and each becomes a function of the variables that it uses. As only top-level statements are divided, each part is
called once per run of the kernel.
"""

from __future__ import annotations

from dataclasses import replace

from linad_typecheck.ir.core import (
    Block, Call, Function, Param, Program, Reserve, Stmt, Var, blocks, free_vars, outputs, walk,
)
from linad_typecheck.linear.uses import modes_of, uses
from linad_typecheck.types import Array


def split_function(program: Program, f: Function, long: int, part: int) -> tuple[Function, dict[str, Function]]:
    """Split a long kernel into a kernel of calls and the functions that it calls; a short kernel is returned unchanged.

    Parameters
    ----------
    program
        The functions that the kernel itself calls.
    f
        The kernel, without the allocations that its driver can make.
    long
        The number of statements from which a kernel is split.
    part
        The approximate number of statements of a part.
    """
    if _size(f.body) < long or any(isinstance(s, Reserve) for s in walk(f.body)):
        return f, {}
    taken = set(program.functions)
    parts: dict[str, Function] = {}
    out: list[Stmt] = []
    needed = {r.name for r in f.body.results if isinstance(r, Var)}
    after: list[set[str]] = []  # the names live after each run
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
    """The statements of a block in runs of about ``part`` statements, counting nested ones."""
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
    """The arrays that a block does more with than read."""
    modes = modes_of(program.functions)
    found = {v.name for s in walk(block) for v, use in uses(s, modes) if isinstance(v.type, Array) and use != "borrow"}
    inner = [r for s in walk(block) for b in blocks(s) for r in b.results]
    return found | {r.name for r in inner if isinstance(r, Var)}
