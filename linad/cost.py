"""Exact step counts of a function and of its gradient, and the bound that follows from the rules of reverse mode.

A step is one executed scalar primitive: an operation, a load, a store, an iteration of a loop, a word set to zero;
``+=`` on a cell is three. Counts come from the reference interpreter, so they do not depend on the machine. The table
and its proof are in ``docs/explanation/cost.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
from linad_typecheck.ir.core import Alloc, Block, Const, Function, Program
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.types import ZEROS, Array, Scalar, is_float

from . import derive, steps
from .decorator import LinearGrad, linear_grad
from .interpret import Outcome, run
from .pipeline import differentiate, inline_rules, only_called, prepare
from .repeated import Again


@dataclass(frozen=True)
class Cost:
    """Counted steps of one call.

    Attributes
    ----------
    primal : int
        Steps of the function.
    gradient : int
        Steps of the value and the gradient together, into given buffers.
    log_words : int
        Words that are logged for the reverse sweep.
    peak_words : int
        The peak number of words in arrays allocated by the gradient.
    by_kind : Mapping
        Per kind of primitive, how many the function and its gradient execute.
    bound : int
        The bound on ``gradient`` that the rules guarantee. It includes the steps that loops with snapshots recompute
        according to their schedules.
    """

    primal: int
    gradient: int
    log_words: int
    peak_words: int
    by_kind: Mapping[str, tuple[int, int]]
    bound: int

    @property
    def ratio(self) -> float:
        """Steps of the gradient per step of the function."""
        return self.gradient / max(self.primal, 1)

    def __str__(self) -> str:
        head = f"primal {self.primal:,}  gradient {self.gradient:,}  ratio {self.ratio:.2f}"
        lines = [head, f"log {self.log_words:,} words  peak {self.peak_words:,} words  bound {self.bound:,}", ""]
        lines.append(f"{'':10}{'primal':>12}{'gradient':>12}")
        lines += [f"{k:10}{a:>12,}{b:>12,}" for k, (a, b) in self.by_kind.items() if a or b]
        return "\n".join(lines)


def cost(f: Callable[..., Any], *args: Any) -> Cost:
    """Count the steps of a function and of its gradient for the given arguments.

    Parameters
    ----------
    f : function
        A function checked by `linear_grad`, or a plain one.
    *args
        The arguments of a call; they are not modified.

    Returns
    -------
    Cost
        Prints as a table.

    Raises
    ------
    LinadError
        If the function has an error or no float parameter.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def power(x: float, n: int) -> float:
    ...     p = 1.0
    ...     for _ in range(n):
    ...         p *= x
    ...     return p
    >>> found = linad.cost(power, 1.5, 100)
    >>> found.primal, found.log_words, found.gradient <= found.bound
    (200, 100, True)
    """
    checked_function = f if isinstance(f, LinearGrad) else linear_grad(f)  # type: ignore[call-overload]
    arguments = checked_function._in_order(args)
    s = checked_function.specialisation(arguments)
    values = derive.flat_values(s, arguments)
    program = s.lowered(s.version(values).sizes)
    leaves = derive.wanted(s.signature, checked_function.options.wrt).leaves
    names = tuple(program.main.params[k].var.name for k in leaves)
    return cost_of(program, values, names, checked_function.options.off)


def cost_of(
    program: Program, values: Sequence[object], wrt: Sequence[str] | None = None, off: Sequence[str] = ()
) -> Cost:
    """The cost of a lowered program with respect to parameters of its core, by default all floats; without the passes
    ``off``."""
    ready = prepare(program, off=off)
    names = tuple(wrt) if wrt is not None else tuple(p.var.name for p in ready.main.params if is_float(p.var.type))
    primal = run(inline_rules(ready, off=off), values)
    derivative = inline_rules(differentiate(ready, names, True, off=off).simplified, off=off)
    gradient = run(derivative, [*values, *seeds_and_buffers(ready, names, values, primal)])
    kinds = dict.fromkeys((*primal.counts, *gradient.counts))
    by_kind = {k: (primal.counts.get(k, 0), gradient.counts.get(k, 0)) for k in kinds}
    return Cost(primal.work, gradient.work, gradient.log_words, gradient.peak_words, by_kind, bound(ready, values))


def seeds_and_buffers(program: Program, wrt: Sequence[str], values: Sequence[object], primal: Outcome) -> list[object]:
    """Cotangents of one for all float results, and zero-filled gradient buffers."""
    made: list[object] = []
    for r, a in zip(primal.results, program.main.body.results, strict=True):
        if is_float(a.type):
            made.append(np.ones_like(r) if isinstance(a.type, Array) else 1.0)
    for p, v in zip(program.main.params, values, strict=True):
        if isinstance(p.var.type, Array) and is_float(p.var.type) and (p.var.name in wrt or p.mode in ("mut", "acc")):
            made.append(np.zeros_like(v))
    return made


def bound(program: Program, values: Sequence[object]) -> int:
    """The maximum cost of the value and gradient of a prepared program: the sum over its executed statements, the cost
    of its arguments and results, and the recomputed steps of loops with snapshots."""
    program = only_called(program)
    functions = {name: _counting(f) for name, f in program.functions.items()}
    counting = replace(program, functions=functions)
    again = Again(counting)
    outcome = run(counting, values, after=again.after)
    total = again.total + steps.BOUNDARY * sum(np.size(v) for v in (*values, *outcome.results))
    for block, around, place in steps.places(functions):
        each = steps.of_block(around, place) + sum(steps.of_statement(s, place) for s in block.stmts)
        total += outcome.blocks.get(id(block), 0) * each
        kept = steps.of_states(block, around, place)
        total += sum(n * (steps.words(kind, place) + kept) for kind, n in outcome.words.get(id(block), {}).items())
    return total


def _counting(f: Function) -> Function:
    """The function with uninitialised arrays zero-filled: their adjoints are, so their words count."""

    def inside(b: Block) -> Block:
        return Block(tuple(filled(in_blocks(s, inside)) for s in b.stmts), b.results)

    def filled(s: Any) -> Any:
        if isinstance(s, Alloc) and s.fill is None:
            zero = ZEROS[s.out.type.dtype]
            return replace(s, fill=Const(zero, Scalar(s.out.type.dtype)))
        return s

    return replace(f, body=inside(f.body))


class _Callable(ModuleType):
    """Makes this module callable: ``linad.cost`` is the module once it has been imported, and the function otherwise.
    """

    def __call__(self, f: Callable[..., Any], *args: Any) -> Cost:
        return cost(f, *args)


sys.modules[__name__].__class__ = _Callable
