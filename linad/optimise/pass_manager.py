"""Passes as data, and the one manager that runs them.

A *pass* is a pure function from a function of the core, or from a whole program, to another one with the same meaning.
A *phase* is a sequence of passes. What a pass relies on is written down beside it; the manager runs it where that holds
and where it is not switched off, collects its remarks, and has the program checked after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from linad_typecheck.ir.core import Program, Var, base_name
from linad_typecheck.span import Span

from .environment import BrokenByPass, verifying

if TYPE_CHECKING:
    from linad_typecheck.linear.check_linear import NotLinear

# What a pass may rely on: that sums of floats may be taken in another order; that arrays of different names share no
# memory; that a failing test asks for the build with every index check instead of raising; that loops are to be run on
# threads.
Fact = Literal["fastmath", "noalias", "retry", "threads"]
Facts = frozenset[str]
After = Callable[[str, Program], None]


@dataclass(frozen=True, slots=True)
class Remark:
    """What a pass has to tell of a line. It takes the place of a remark with the text ``instead`` on that line."""

    line: int
    kind: str
    text: str
    instead: str = ""


Remarks = tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """A transformation with its name.

    ``run`` takes and returns a `Function`, or a `Program` where that is its ``level``; a pass with remarks returns a
    pair of that and its `Remarks`. It is run where all facts of ``needs`` hold; whether those of ``told`` hold is
    passed to it by keyword. ``required`` says why the pass cannot be switched off.
    """

    name: str
    run: Callable[..., object]
    needs: tuple[Fact, ...] = ()
    told: tuple[Fact, ...] = ()
    level: Literal["function", "program"] = "function"
    required: str = ""

    def __call__(self, program: Program, facts: Facts) -> tuple[Program, Remarks]:
        told = {fact: fact in facts for fact in self.told}
        if self.level == "program":
            return _pair(self.run(program, **told))
        made = {name: _pair(self.run(f, **told)) for name, f in program.functions.items()}
        functions = {name: f for name, (f, _) in made.items()}
        return replace(program, functions=functions), tuple(r for _, remarks in made.values() for r in remarks)


@dataclass(frozen=True, slots=True)
class Phase:
    """Passes in the order in which they are run, in at most so many ``rounds``: until a round changes nothing."""

    passes: tuple[Pass, ...]
    rounds: int = 1


def run(
    program: Program, phase: Phase, facts: Iterable[Fact] = (), off: Iterable[str] = (), after: After | None = None
) -> tuple[Program, Remarks]:
    """The program after the passes of a phase, and what they have to tell.

    Parameters
    ----------
    program
        Of the core without linear form.
    phase
        What to run.
    facts
        What passes may rely on.
    off
        The names of passes that are left out.
    after
        Is given the name and the outcome of each pass that was run.

    Raises
    ------
    BrokenByPass
        Where the environment variable ``LINAD_VERIFY`` is set and a pass breaks the form of a program.
    """
    have, left_out, checked = frozenset(facts), frozenset(off), verifying()
    chosen = [p for p in phase.passes if have.issuperset(p.needs) and p.name not in left_out]
    remarks: dict[tuple[int, str, str], Remark] = {}
    for _ in range(phase.rounds):
        before = program
        for p in chosen:
            program, told = p(program, have)
            for r in told:
                remarks.pop((r.line, r.kind, r.instead), None)
                remarks[r.line, r.kind, r.text] = replace(r, instead="")
            if checked:
                check(p.name, program)
            if after is not None:
                after(p.name, program)
        if phase.rounds > 1 and program == before:
            break
    return program, tuple(remarks.values())


def check(name: str, program: Program, linear: bool = True) -> None:
    """Hold the outcome of a pass against what every pass must leave: a well-formed program and, with ``linear``, one
    that has a linear form.

    Raises
    ------
    BrokenByPass
        Where it is not well formed, or has no linear form.
    """
    from linad_typecheck.ir.verify import verify

    if wrong := verify(program):
        raise BrokenByPass(name, f"is not well formed: {wrong[0]}")
    if (error := not_linear(program) if linear else None) is not None:
        raise BrokenByPass(name, f"has no linear form: {error}") from error


def not_linear(program: Program) -> NotLinear | None:
    """What keeps a program from having a linear form."""
    from linad_typecheck.linear.check_linear import NotLinear, check_linear
    from linad_typecheck.linear.linearise import linearise

    try:
        check_linear(linearise(program))
    except NotLinear as error:
        return error
    return None


def known_as(v: Var) -> str:
    """An array as its user knows it."""
    name = base_name(v.name)
    return f"the adjoint of {name.removesuffix('_bar')}" if v.adjoint else name


def remark(span: Span, kind: str, text: str, instead: str = "") -> Remark:
    """A remark on the line of a statement."""
    return Remark(span.line, kind, text, instead)


def _pair(made: object) -> tuple:
    return made if isinstance(made, tuple) else (made, ())
