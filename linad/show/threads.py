"""Loop by loop: what runs on threads where ``parallel=True`` is asked for, and what keeps the rest from it."""

from __future__ import annotations

from collections.abc import Iterator

from linad_typecheck.core import Alloc, Program, Var, base_name

from ..emit.independence import Verdict
from ..emit.passes import decisions


def threads_remarks(ready: Program, gradient: Program, fastmath: bool) -> Iterator[tuple[int, str]]:
    """The lines of loops, with what there is to say of them when the function is called and when its gradient is."""
    for what, program in (("called", ready), ("differentiated", gradient)):
        for d in decisions(program, fastmath):
            if d.span.line > 0:
                yield d.span.line, f"{what}: {verdict_text(d.verdict)}"


def verdict_text(v: Verdict) -> str:
    """How a loop runs, and what each thread has of its own for it."""
    if v.reason:
        return f"sequential, because {v.reason}"
    own = [f"an accumulator for {base_name(a.name)}, of its size" for a in v.added]
    for t in v.private:
        shape = " × ".join(base_name(str(a)) for a in t.shape) if isinstance(t, Alloc) else f"the size of {_name(t.array)}"
        own.append(f"{base_name(t.out.name)}, {shape or '1'} words")
    near = ", ".join(base_name(a.name) for a in v.near)
    turns = f", every second chunk at a time, for neighbours add to the same cells of {near}" if near else ""
    sums = sum(how != "last" for how in v.sums)
    if sums:
        own.append(f"{sums} word{'s' if sums > 1 else ''} for sums")
    each = f"; each thread has {', '.join(own)}" if own else ""
    return f"parallel {v.kind}{turns}{each}"


def _name(v: Var) -> str:
    return base_name(v.name)
