"""From a checked function to the programs that are compiled: each stage by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from linad_typecheck.core import Program
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.erase import erase
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.linear.uses import modes_of

from .adjoint.reverse import reverse
from .adjoint.storage import Plan
from .inline import inline
from .simplify import simplify

After = Callable[[str, Program], None]


def linear(program: Program) -> Program:
    """The linear form of a program; `NotLinear` where there is none."""
    program = linearise(program)
    check_linear(program)
    return program


def prepare(program: Program, after: After | None = None) -> Program:
    """The lowered program inlined and simplified: what is compiled to call it, and differentiated."""
    program = simplify(inline(program), after)
    linear(program)
    return program


@dataclass(frozen=True)
class Gradient:
    """The stages of a derivative program; ``simplified`` is the one that is compiled."""

    linear: Program
    stored: Program
    simplified: Program
    plan: Plan


def differentiate(program: Program, wrt: tuple[str, ...], value: bool = True, after: After | None = None) -> Gradient:
    """The reverse derivative of a prepared program by the parameters named in ``wrt`` (see `adjoint.reverse`)."""
    form = linear(program)
    name = f"{program.entry}_vjp"
    function, plan = reverse(form.main, modes_of(form.functions), wrt, name, value)
    others = {k: f for k, f in program.functions.items() if k != program.entry}
    stored = Program(name, {**others, name: function})
    check_linear(linearise(stored))
    simplified = simplify(stored, after)
    called = {name, *_called(simplified)}
    simplified = replace(simplified, functions={k: f for k, f in simplified.functions.items() if k in called})
    check_linear(linearise(simplified))
    return Gradient(form, stored, simplified, plan)


def _called(program: Program) -> set[str]:
    from linad_typecheck.core import Call, walk

    found: set[str] = set()
    todo = [program.entry]
    while todo:
        for s in walk(program.functions[todo.pop()].body):
            if isinstance(s, Call) and s.callee not in found:
                found.add(s.callee)
                todo.append(s.callee)
    return found


__all__ = ["Gradient", "differentiate", "erase", "linear", "prepare"]
