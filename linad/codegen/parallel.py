"""Parallelisation: run independent iterations of loops on threads, and explain why other loops are sequential.

**Transformation.** Loop parallelisation (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001,
chapter 6), with private arrays and partial sums for chunks of iterations (`chunks.py`).

**Before.** ``for i in range(n) { &y![i] = f(x[i]) }``
**After.** ``map c in range(chunks) { call chunk(c, x, y) }``

**Legality.** No iteration accesses a cell that another one writes, other than by adding to it, and carried values are
sums (`linad/analysis/parallelism.py`).

**Profitability.** Loops not inside another parallel loop, with enough work per chunk, which is tested at run time
(`cost_model.py`); other loops run sequentially.

**Needs.** Arrays with different names do not overlap (noalias), a failing check can request the other build (retry),
and threads are enabled; for float sums, reassociation (fastmath).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from linad_typecheck.ir.core import (
    Alloc, Block, Call, Function, Loop, Names, Param, Program, Stmt, Var, all_names, base_name, walk,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.span import Span
from linad_typecheck.types import I64

from linad.analysis.parallelism import Verdict, verdict
from linad.optimise.pass_manager import Remarks, remark

from .chunks import spread

RECURSIVE = Verdict("a function that calls itself is called in this program")


@dataclass(frozen=True)
class Decision:
    """The decision for one loop."""

    span: Span
    verdict: Verdict


@dataclass
class _Spreader:
    fastmath: bool
    names: Names
    threads: Var
    name: str
    recursive: bool
    functions: dict[str, Function] = field(default_factory=dict)
    decisions: list[Decision] = field(default_factory=list)

    def block(self, b: Block) -> Block:
        made = (self.loop(s) if isinstance(s, Loop) else [in_blocks(s, self.block)] for s in b.stmts)
        return replace(b, stmts=tuple(t for stmts in made for t in stmts))

    def loop(self, s: Loop) -> list[Stmt]:
        found = RECURSIVE if self.recursive else verdict(s, self.fastmath)
        self.decisions.append(Decision(s.span, found))
        if found.kind == "sequential":
            return [replace(s, body=self.block(s.body))]
        made, function = spread(s, found, self.threads, self.names, f"{self.name}_chunk{len(self.functions) or ''}")
        self.functions[function.name] = function
        return made


def parallelise(program: Program, fastmath: bool) -> tuple[Program, tuple[Decision, ...]]:
    """The program with loops over chunks where iterations may run in parallel, and the decision for each loop.

    If there are any, the last parameter of the entry is the number of threads, at least 1.
    """
    main = program.main
    names = Names(all_names(main))
    threads = names.var("threads", I64)
    recursive = any(isinstance(s, Call) for f in program.functions.values() for s in walk(f.body))
    name = next(
        n for k in range(len(program.functions) + 1) if not _clash(n := f"{main.name}{'_' * k}", program.functions)
    )
    spreader = _Spreader(fastmath, names, threads, name, recursive)
    body = spreader.block(main.body)
    decisions = tuple(spreader.decisions)
    if not spreader.functions:
        return program, decisions
    main = replace(main, params=(*main.params, Param(threads, "own")), body=body)
    return replace(program, functions={**program.functions, main.name: main, **spreader.functions}), decisions


def spread_loops(program: Program, fastmath: bool) -> tuple[Program, Remarks]:
    """The program from `parallelise`, and a remark on each loop."""
    made, decisions = parallelise(program, fastmath)
    return made, tuple(remark(d.span, "threads", verdict_text(d.verdict)) for d in decisions)


def verdict_text(v: Verdict) -> str:
    """How a loop runs, and what is private to each thread."""
    if v.reason:
        return f"sequential, because {v.reason}"
    own = [f"an accumulator for {base_name(a.name)}, of its size" for a in v.added]
    for t in v.private:
        made = " × ".join(base_name(str(a)) for a in t.shape) or "1" if isinstance(t, Alloc) else ""
        own.append(f"{base_name(t.out.name)}, {made or f'the size of {base_name(t.array.name)}'} words")
    near = ", ".join(base_name(a.name) for a in v.near)
    turns = f", every second chunk at a time, for neighbours add to the same cells of {near}" if near else ""
    sums = sum(how != "last" for how in v.sums)
    if sums:
        own.append(f"{sums} word{'s' if sums > 1 else ''} for sums")
    each = f"; each thread has {', '.join(own)}" if own else ""
    return f"parallel {v.kind}{turns}{each}"


def _clash(name: str, functions: Mapping[str, Function]) -> bool:
    return any(n.startswith(f"{name}_chunk") for n in functions)


def chunk_functions(program: Program) -> set[str]:
    """The functions that loops over chunks call."""
    stmts = (s for f in program.functions.values() for s in walk(f.body))
    loops = [s for s in stmts if isinstance(s, Loop) and s.kind == "chunks"]
    return {t.callee for s in loops for t in s.body.stmts if isinstance(t, Call)}


@dataclass(frozen=True, slots=True)
class OnThreads:
    """The key of a chunk function's runner, which has a Python name of its own."""

    chunk: str


def spread_text(name: str, chunk: str, arguments: str) -> list[str]:
    """The source of the function that runs all chunks, given the Python names of itself, the chunk function and its
    parameters.

    It returns the number of chunks that ran to completion: exceptions that Numba raises on a thread are lost, and must
    at least be detected.
    """
    c, _, others = arguments.partition(", ")
    return [
        f"@spreading({chunk})",
        f"def {name}(chunks, {others}):",
        "    done = 0",
        f"    for {c} in prange(chunks):",
        f"        done += 1 - {chunk}(int64({c}), {others})[0]",
        "    return done",
    ]
