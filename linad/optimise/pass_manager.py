"""Optimisation passes as data, and the pass manager that runs them.

A *pass* is a pure function from a core function, or a whole program, to an equivalent one. A *phase* is a sequence of
passes. Each pass declares the facts it relies on. The manager runs a pass if these facts hold and the pass is not
disabled, collects its remarks, and can verify the program after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from linad_typecheck.ir.core import Function, Program, Var, base_name
from linad_typecheck.ir.rewrite import as_before
from linad_typecheck.span import Span

from .environment import BrokenByPass, verifying

if TYPE_CHECKING:
    from linad_typecheck.linear.check_linear import NotLinear

# Facts that a pass may rely on: float sums may be reassociated; arrays with different names do not overlap; a failing
# check requests the build with all index checks instead of raising; loops run on threads; a derivative that contains a
# nan is computed again by code without the passes that rely on this.
Fact = Literal["fastmath", "noalias", "retry", "threads", "again"]
Facts = frozenset[str]
After = Callable[[str, Program], None]


@dataclass(frozen=True, slots=True)
class Remark:
    """A message of a pass about a source line. It replaces a remark with the text ``instead`` on that line."""

    line: int
    kind: str
    text: str
    instead: str = ""


Remarks = tuple[Remark, ...]
Settled = dict[tuple[Callable, str], tuple[Function, Remarks]]  # by pass and name of the function


@dataclass(frozen=True, slots=True)
class Pass:
    """A named transformation.

    ``run`` takes and returns a `Function`, or a `Program` if this is its ``level``; a pass with remarks returns a pair
    with its `Remarks`. The pass runs if all facts of ``needs`` hold; whether those of ``told`` hold is passed by
    keyword. ``required`` says why the pass cannot be disabled.
    """

    name: str
    run: Callable[..., object]
    needs: tuple[Fact, ...] = ()
    told: tuple[Fact, ...] = ()
    level: Literal["function", "program"] = "function"
    required: str = ""

    def __call__(self, program: Program, facts: Facts, settled: Settled | None = None) -> tuple[Program, Remarks]:
        """The program after the pass, and its remarks. ``settled``: the functions that passes have left as they were,
        on which they need not run again."""
        told = {fact: fact in facts for fact in self.told}
        if self.level == "program":
            return _pair(self.run(program, **told))
        settled = {} if settled is None else settled
        functions, remarks = {}, []
        for name, f in program.functions.items():
            seen = settled.get((self.run, name))
            if seen is None or seen[0] is not f:
                seen = _pair(self.run(f, **told))
                if as_before(seen[0], f):
                    seen = settled[self.run, name] = f, seen[1]
            functions[name] = seen[0]
            remarks += seen[1]
        if all(made is f for made, f in zip(functions.values(), program.functions.values())):
            return program, tuple(remarks)
        return replace(program, functions=functions), tuple(remarks)


@dataclass(frozen=True, slots=True)
class Phase:
    """A sequence of passes, repeated for at most ``rounds`` rounds or until a round changes nothing. A pass that leaves
    a function as it is runs on it again only after another pass has changed it."""

    passes: tuple[Pass, ...]
    rounds: int = 1


def run(
    program: Program, phase: Phase, facts: Iterable[Fact] = (), off: Iterable[str] = (), after: After | None = None
) -> tuple[Program, Remarks]:
    """Run a phase: the resulting program and the remarks of its passes.

    Parameters
    ----------
    program
        A core program, not in linear form.
    phase
        The passes to run.
    facts
        The facts that passes may rely on.
    off
        The names of disabled passes.
    after
        Called with the name and the result of each pass that runs.

    Raises
    ------
    BrokenByPass
        If the environment variable ``LINAD_VERIFY`` is set and a pass produces an invalid program.
    """
    have, left_out, checked = frozenset(facts), frozenset(off), verifying()
    chosen = [p for p in phase.passes if have.issuperset(p.needs) and p.name not in left_out]
    remarks: dict[tuple[int, str, str], Remark] = {}
    settled: Settled = {}
    for _ in range(phase.rounds):
        before = program
        for p in chosen:
            program, told = p(program, have, settled)
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
    """Verify that a program is well formed and, with ``linear``, that it has a linear form.

    Raises
    ------
    BrokenByPass
        If it is not well formed, or has no linear form.
    """
    from linad_typecheck.ir.verify import verify

    if wrong := verify(program):
        raise BrokenByPass(name, f"is not well formed: {wrong[0]}")
    if (error := not_linear(program) if linear else None) is not None:
        raise BrokenByPass(name, f"has no linear form: {error}") from error


def not_linear(program: Program) -> NotLinear | None:
    """The reason why a program has no linear form, or None."""
    from linad_typecheck.linear.check_linear import NotLinear, check_linear
    from linad_typecheck.linear.linearise import linearise

    try:
        check_linear(linearise(program))
    except NotLinear as error:
        return error
    return None


def known_as(v: Var) -> str:
    """The name of an array as shown to users."""
    name = base_name(v.name)
    return f"the adjoint of {name.removesuffix('_bar')}" if v.adjoint else name


def remark(span: Span, kind: str, text: str, instead: str = "") -> Remark:
    """A remark on the line of a statement."""
    return Remark(span.line, kind, text, instead)


def _pair(made: object) -> tuple:
    return made if isinstance(made, tuple) else (made, ())
