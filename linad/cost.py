"""Exact step counts of a function and of its gradient, and the bound that the rules of reverse mode give.

A step is one executed scalar primitive: an operation, a load, a store, a turn of a loop, a word set to zero; ``+=`` on
a cell is three. Counts come from the reference interpreter, so they do not depend on the machine. The table and its proof
are in ``docs/cost.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
from linad_typecheck.core import Alloc, Block, Call, Const, Function, If, Loop, Program, blocks, free_vars, walk
from linad_typecheck.core_rewrite import rebuild
from linad_typecheck.types import Array, Scalar, is_float

from .interpret import Outcome, run
from .pipeline import differentiate, only_called, prepare

# Steps that one executed primitive of the primal costs in forward and reverse sweep together, at most. A statement runs
# at most twice forward (2), and a word of log costs its store, its load and the log's growth (6): 8 for every value.
_VALUE = 8
STEPS: Mapping[str, int] = {
    "add": _VALUE + 3,
    "mul": _VALUE + 4,
    "div": _VALUE + 6,
    "unary": _VALUE + 13,
    "pow": _VALUE + 14,
    "choose": _VALUE + 6,
    "cast": _VALUE + 2,
    "compare": _VALUE,
    "logic": _VALUE,
    "int": _VALUE,
    "load": _VALUE + 3,
    "pop": _VALUE + 3,
    "store": _VALUE + 5,
    "log": _VALUE + 5,
    "addto": _VALUE + 8,
    "alloc": 4,
    "copy": 6,
    "fill": 8,
    "check": 1,
    "branch": 8,
    "loop": 16,
}
_JOINED = 8  # per value that a branch, or a turn of a loop, joins
_INNER = 24  # per loop that stands in a block, each time the block runs: counts, addresses, cursors
_PUSHED = 3  # of a value in a program with recursion: its place on the stack, there and back, and its conversion to an int
_SEGMENT = 20  # per block, call and turn in such a program: where each of three stacks stands is read and written, twice
_BOUNDARY = 6  # per word of arguments and results


@dataclass(frozen=True)
class Cost:
    """Counted steps of one call.

    Attributes
    ----------
    primal : int
        Steps of the function.
    gradient : int
        Steps of the value and the gradient together, into buffers that are given.
    log_words : int
        Words that logs hold for the way back.
    peak_words : int
        The most words that arrays made in the gradient hold at one time.
    by_kind : Mapping
        Per kind of primitive, how many the function and its gradient execute.
    bound : int or None
        What the rules promise for ``gradient``; None where loops are checkpointed, whose steps are run again as often as
        their schedule says.
    """

    primal: int
    gradient: int
    log_words: int
    peak_words: int
    by_kind: Mapping[str, tuple[int, int]]
    bound: int | None

    @property
    def ratio(self) -> float:
        """Steps of the gradient for each step of the function."""
        return self.gradient / max(self.primal, 1)

    def __str__(self) -> str:
        head = f"primal {self.primal:,}  gradient {self.gradient:,}  ratio {self.ratio:.2f}"
        bound = "none (steps are run again)" if self.bound is None else f"{self.bound:,}"
        lines = [head, f"log {self.log_words:,} words  peak {self.peak_words:,} words  bound {bound}", ""]
        lines.append(f"{'':10}{'primal':>12}{'gradient':>12}")
        lines += [f"{k:10}{a:>12,}{b:>12,}" for k, (a, b) in self.by_kind.items() if a or b]
        return "\n".join(lines)


def cost(f: Callable[..., Any], *args: Any) -> Cost:
    """Count the steps of a function and of its gradient on these arguments.

    Parameters
    ----------
    f : function
        Checked by `linear_grad`, or plain.
    *args
        The arguments of a call; nothing is changed.

    Returns
    -------
    Cost

    Raises
    ------
    LinadError
        Where the function has an error or no float parameter.
    """
    from . import derive
    from .decorator import LinearGrad, linear_grad
    from .specialise import checked_or_error

    checked_function = f if isinstance(f, LinearGrad) else linear_grad(f)  # type: ignore[call-overload]
    arguments = checked_function._arguments(args, {})
    s = checked_function.specialisation(arguments)
    checked = s.checked or checked_or_error(s.record, s.binding)
    assert checked.program is not None
    leaves = derive.wanted(s.signature, checked_function.options.wrt).leaves
    names = tuple(checked.program.main.params[k].var.name for k in leaves)
    return cost_of(checked.program, derive.flat_values(s, arguments), names)


def cost_of(program: Program, values: Sequence[object], wrt: Sequence[str] | None = None) -> Cost:
    """The cost of a lowered program by parameters of its core (by default all floats)."""
    ready = prepare(program)
    names = tuple(wrt) if wrt is not None else tuple(p.var.name for p in ready.main.params if is_float(p.var.type))
    primal = run(ready, values)
    derivative = differentiate(ready, names, True).simplified
    gradient = run(derivative, [*values, *seeds_and_buffers(ready, names, values, primal)])
    kinds = dict.fromkeys((*primal.counts, *gradient.counts))
    by_kind = {k: (primal.counts.get(k, 0), gradient.counts.get(k, 0)) for k in kinds}
    return Cost(primal.work, gradient.work, gradient.log_words, gradient.peak_words, by_kind, bound(ready, values))


def seeds_and_buffers(program: Program, wrt: Sequence[str], values: Sequence[object], primal: Outcome) -> list[object]:
    """Cotangents of one for all float results, and zero gradient buffers."""
    made: list[object] = []
    for r, a in zip(primal.results, program.main.body.results, strict=True):
        if is_float(a.type):
            made.append(np.ones_like(r) if isinstance(a.type, Array) else 1.0)
    for p, v in zip(program.main.params, values, strict=True):
        if isinstance(p.var.type, Array) and is_float(p.var.type) and (p.var.name in wrt or p.mode in ("mut", "acc")):
            made.append(np.zeros_like(v))
    return made


def bound(program: Program, values: Sequence[object]) -> int | None:
    """What value and gradient of a prepared program cost at most: its primitives by `STEPS`, and its boundary."""
    program = only_called(program)
    statements = [s for f in program.functions.values() for s in walk(f.body)]
    if any(isinstance(s, Loop) and s.mark is not None for s in statements):
        return None
    functions = {name: _counting(f) for name, f in program.functions.items()}
    outcome = run(replace(program, functions=functions), values)
    counts = outcome.counts
    calls = [s for s in statements if isinstance(s, Call)]
    pushed = _PUSHED if calls else 0
    joined, inner = (max(n) for n in zip(*map(_widest, functions.values()), strict=True))
    per_block = joined * (_JOINED + pushed) + inner * _INNER + (_SEGMENT if calls else 0)
    total = sum((c + (pushed if c >= _VALUE else 0)) * counts.get(k, 0) for k, c in STEPS.items())
    total += per_block * (counts.get("branch", 0) + counts.get("loop", 0) + counts.get("call", 0) + 1)
    total += max((len(s.args) + len(s.outs) for s in calls), default=0) * (_VALUE + pushed) * counts.get("call", 0)
    words = sum(np.size(v) for v in (*values, *outcome.results))
    return total + _BOUNDARY * words


def _counting(f: Function) -> Function:
    """The function with undefined arrays set to zero: their adjoints are, so their words count."""

    def inside(b: Block) -> Block:
        return Block(tuple(filled(rebuild(s, lambda a: a, block=inside)) for s in b.stmts), b.results)

    def filled(s: Any) -> Any:
        if isinstance(s, Alloc) and s.fill is None:
            zero = {"f": 0.0, "i": 0, "b": False}[s.out.type.dtype[0]]
            return replace(s, fill=Const(zero, Scalar(s.out.type.dtype)))
        return s

    return replace(f, body=inside(f.body))


def _widest(f: Function) -> tuple[int, int]:
    """The most values that a branch or loop joins or borrows, and the most loops that stand in one block."""
    joined = max((len(s.outs) + len(_borrowed(s)) for s in walk(f.body) if isinstance(s, If | Loop)), default=0)
    all_blocks = [f.body, *(b for s in walk(f.body) for b in blocks(s))]
    inner = max(sum(isinstance(s, Loop) for s in b.stmts) for b in all_blocks)
    return joined, inner


def _borrowed(s: If | Loop) -> set[str]:
    """Float scalars of outer blocks that are mentioned in a branch or a loop."""
    found = {n: v for b in blocks(s) for n, v in free_vars(b).items()}
    return {n for n, v in found.items() if is_float(v.type) and not isinstance(v.type, Array)}


class _Callable(ModuleType):
    """``linad.cost`` is this module once it has been imported, and the function else: both can be called."""

    def __call__(self, f: Callable[..., Any], *args: Any) -> Cost:
        return cost(f, *args)


sys.modules[__name__].__class__ = _Callable
