"""What a large function costs before its first gradient: a generated one of about 300 lines, every stage by itself.

The function has forty arrays, helpers that are called several times each, loops, stencils, branches and array expressions.
Seconds are of the processor, of one process in which everything is imported; nothing comes from a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

from linad_typecheck.garbage import uncollected

LINES = 300
ARRAYS = 40
TARGET = 8.0  # seconds in all
MACHINE = ("types and instructions", "LLVM's passes", "machine code")  # the stages that end in machine code
STAGES = 6 + len(MACHINE)

HEADER = '''import math
import numpy as np
from jaxtyping import Float64
from linad import linear_grad


def smooth(a, out, w):
    """A stencil."""
    n = len(a)
    out[0] = a[0]
    for i in range(1, n - 1):
        out[i] = a[i] + w * (a[i - 1] - 2.0 * a[i] + a[i + 1])
    out[n - 1] = a[n - 1]


def limited(d, s):
    if d > s:
        return s + math.log1p(d - s)
    return d * d / (s + abs(d))


def relaxed(a, b, w):
    """A loop with a branch and a call in it."""
    total = 0.0
    for i in range(len(a)):
        d = limited(a[i] - b[i], w)
        b[i] += 0.5 * d
        total += d * d
    return total


def mixture(a, b, w):
    """An array of an expression."""
    return w * np.tanh(a) + (1.0 - w) * b * np.exp(-b * b)


def running(a, w):
    """A recurrence."""
    out = np.zeros(len(a))
    out[0] = a[0]
    for i in range(1, len(a)):
        out[i] = w * out[i - 1] + (1.0 - w) * a[i]
    return out

'''

# What each further array is made from, of the arrays p and q before it: one form after the other.
FORMS = (
    "    {a} = mixture({p}, {q}, 0.{d})\n    s += np.sum({a} * {p})\n",
    "    {a} = np.zeros(n)\n    smooth({p}, {a}, 0.{d})\n    s += relaxed({p}, {a}, 0.{d})\n",
    "    {a} = np.sqrt(1.0 + {p} ** 2) - 0.{d} * {q}\n    {a} /= 1.0 + np.abs({q})\n    s += 0.1 * {a}.mean()\n",
    "    {a} = running({p} - {q}, 0.{d})\n    for i in range(n):\n        if {a}[i] > 0.{d}:\n            {a}[i] = 1.0 + math.tanh({a}[i])\n"
    "        else:\n            {a}[i] *= 1.5\n        s += {a}[i] * {q}[i]\n",
    "    {a} = np.empty(n)\n    for i in range(n):\n        {a}[i] = {p}[i] * math.sin({q}[i]) + w\n    for t in range(3):\n"
    "        for i in range(1, n):\n            {a}[i] -= 0.1 * {a}[i - 1] * {a}[i]\n    s += math.log1p(np.dot({a}, {q}) ** 2)\n",
    "    {a} = {p}.copy()\n    {a}[1:-1] += 0.{d} * ({q}[2:] - {q}[:-2])\n    total = 0.0\n    for i in range(n):\n"
    "        total += math.exp({a}[i] - np.max({a}[:3]))\n    s += math.log(total) * w\n",
)  # fmt: skip


def program(lines: int = LINES, arrays: int = ARRAYS) -> str:
    """A module with one function that is differentiated, of about so many lines with its helpers."""
    body = "    n = len(x)\n    s = 0.0\n    v0 = np.sin(x) * w\n"
    for k in range(1, arrays):
        p, q = f"v{k - 1}", f"v{max(0, k - 3)}"
        body += FORMS[k % len(FORMS)].format(a=f"v{k}", p=p, q=q, d=(k * 37) % 9 + 1)
    text = HEADER + f'\n@linear_grad\ndef large(x: Float64[np.ndarray, "n"], w: float) -> float:\n{body}'
    k = 0
    while text.count("\n") < lines - 1:
        k += 1
        a, b = f"v{(7 * k) % arrays}", f"v{(11 * k) % arrays}"
        text += f"    s += 0.01 * np.sum(({a} - {b}) ** 2)\n"
    return text + "    return s\n"


@dataclass(frozen=True)
class Stage:
    """The processor's seconds of a stage, and how many statements or lines come out of it."""

    name: str
    seconds: float
    size: str


T = TypeVar("T")


@uncollected()  # as in a first call
def _timed(f: Callable[[], T]) -> tuple[T, float]:
    began = process_time()
    made = f()
    return made, process_time() - began


def measure(text: str | None = None, machine: bool = True) -> Iterator[Stage]:
    """The stages in their order; ``machine`` says whether those of `MACHINE` are run."""
    from linad_typecheck.ir.core import Program, walk
    from linad_typecheck.findings import check_function, check_source
    from linad_typecheck.linear.uses import modes_of
    from linad_typecheck.source import SourceFile
    from linad_typecheck.names.uses import decorated
    from linad_typecheck.names.modules import StaticModule

    from linad import pipeline
    from linad.adjoint.sweep.calls import Calls
    from linad.adjoint.sweep.reverse import reverse
    from linad.codegen import EmitOptions, emit
    from linad.optimise.phases import simplify

    vector_math = "libm"
    if machine:
        from linad.codegen.machine import choice  # which imports Numba

        vector_math = choice()

    text = text or program()
    check_source("from linad import linear_grad\n@linear_grad\ndef f(a: float) -> float:\n    return a * a\n")  # imports

    def size(p: Program) -> str:
        return f"{sum(1 for f in p.functions.values() for _ in walk(f.body)):,} statements"

    (function,) = decorated(StaticModule(SourceFile("large.py", text)))
    checked, seconds = _timed(lambda: check_function(function))
    assert checked.program is not None, [d.message for d in checked.diagnostics]
    yield Stage("check and lower", seconds, size(checked.program))
    ready, seconds = _timed(lambda: pipeline.prepare(checked.program))
    yield Stage("inline and simplify", seconds, size(ready))
    form, seconds = _timed(lambda: pipeline.linear(ready))
    wrt = tuple(p.var.name for p in form.main.params if p.var.type.dtype == "f64")
    name = f"{form.entry}_vjp"

    def reversed_() -> Program:
        calls = Calls(form.functions, {*form.functions, name}, False)
        main = reverse(form.main, modes_of(form.functions), wrt, name, True, False, calls)
        return pipeline.only_called(Program(name, {**form.functions, name: main.function, **calls.functions()}))

    adjoint, more = _timed(reversed_)
    yield Stage("linearise and reverse", seconds + more, size(adjoint))
    _, checking = _timed(lambda: pipeline.linear(adjoint))
    simple, seconds = _timed(lambda: pipeline.only_called(simplify(adjoint)))
    _, more = _timed(lambda: pipeline.linear(simple))
    yield Stage("simplify", seconds, size(simple))
    yield Stage("check that both are linear", checking + more, "")
    generated, seconds = _timed(lambda: emit(simple, EmitOptions(vector_math=vector_math, workspace=True)))
    yield Stage("emit", seconds, f"{generated.source.count(chr(10)):,} lines")
    if machine:
        yield from _compiled(generated.source)


def _compiled(source: str) -> Iterator[Stage]:
    """What is between a generated module and its machine code."""
    from linad.codegen.compile import load
    from linad.codegen.llvm.library import Whole

    inside = {"_optimize_final_module": 0.0, "_finalize_final_module": 0.0}
    plain = {name: getattr(Whole, name) for name in inside}

    def watched(name: str) -> Callable[[Whole], None]:
        def run(library: Whole) -> None:
            inside[name] += _timed(lambda: plain[name](library))[1]

        return run

    for name in inside:
        setattr(Whole, name, watched(name))
    try:
        _, seconds = _timed(lambda: load("large_vjp", source))
    finally:
        for name, method in plain.items():
            setattr(Whole, name, method)
    passes, code = inside.values()
    for name, part in zip(MACHINE, (seconds - passes - code, passes, code), strict=True):
        yield Stage(name, part, "")


def table(stages: list[Stage]) -> str:
    """The stages as Markdown."""
    total = sum(s.seconds for s in stages)
    lines = ["## The first gradient of a large function", "", "| stage | seconds | what comes out |", "|---|---:|---|"]
    lines += [f"| {s.name} | {s.seconds:.2f} | {s.size} |" for s in stages]
    verdict = f"{'within' if total <= TARGET else 'over'} the {TARGET:.0f} s that are aimed at"
    return "\n".join([*lines, f"| **in all** | **{total:.2f}** | {verdict} |", ""])


if __name__ == "__main__":
    found = []
    for stage in measure():
        found.append(stage)
        print(f"{stage.name:30s} {stage.seconds:8.2f} s  {stage.size}", flush=True)
    print(f"{'in all':30s} {sum(s.seconds for s in found):8.2f} s")
