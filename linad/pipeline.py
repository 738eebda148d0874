"""From a checked function to the programs that are compiled: each stage by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from linad_typecheck.core import Call, Derivative, Program, walk
from linad_typecheck.core_sizes import lengths
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.linear.uses import modes_of

from .adjoint.calls import Calls
from .adjoint.forward import forward
from .adjoint.plan import Plan
from .adjoint.reverse import Reversed, reverse
from .adjoint.slices import with_slices
from .adjoint.slices_cost import takes_fewer
from .adjoint.undo import memory
from .expand import expand
from .inline import inline
from .optimise.pass_manager import After, Remark, run
from .optimise.phases import ALTERNATIVES, FIRST, LAST, PRIVATISATION, SIMPLIFICATION, simplify


def linear(program: Program) -> Program:
    """The linear form of a program; `NotLinear` where there is none."""
    program = linearise(program)
    check_linear(program)
    return program


def prepare(
    program: Program, after: After | None = None, off: Iterable[str] = (), remarks: list[Remark] | None = None
) -> Program:
    """The lowered program inlined and simplified: what is compiled to call it, and differentiated. The passes named in
    ``off`` are left out; ``after`` is given the outcome of each of the others. What they have to tell is added to
    ``remarks``."""

    def derivative(program: Program, d: Derivative) -> Program:
        """The derivative of the entry that a declaration asks for."""
        ready = prepare(program, off=off)
        wrt = tuple(ready.main.params[k].var.name for k in d.wrt)
        if d.kind == "forward":
            return tangent(ready, wrt, off=off)
        return differentiate(ready, wrt, d.value, off=off).simplified

    program = inline(expand(program, derivative))
    for phase in (FIRST, SIMPLIFICATION, PRIVATISATION, LAST):
        before = program
        program, told = run(program, phase, off=off, after=after)
        if phase is PRIVATISATION and program != before:
            program = simplify(program, after, off)
        if remarks is not None:
            remarks += told
    linear(program)
    return program


@dataclass(frozen=True)
class Gradient:
    """The stages of a derivative program; ``simplified`` is the one that is compiled. ``called`` are the plans of the
    recursive functions that it calls, by the names of their forward sweeps."""

    linear: Program
    stored: Program
    simplified: Program
    plan: Plan
    called: Mapping[str, Plan]


def differentiate(
    program: Program,
    wrt: tuple[str, ...],
    value: bool = True,
    after: After | None = None,
    log_everything: bool = False,
    off: Iterable[str] = (),
) -> Gradient:
    """The reverse derivative of a prepared program by the parameters named in ``wrt`` (see `adjoint.reverse`).

    ``after`` and ``off`` are as in `prepare`. With ``log_everything`` no plan spares anything: what every needed value
    costs, and what the plan is tested against.
    """
    name = f"{program.entry}_vjp"
    best = _reversed(program, wrt, name, value, log_everything)
    for phase, gain in ALTERNATIVES:
        if log_everything or not memory(best[1].plan):
            break
        changed, _ = run(program, phase, off=off)
        other = best if changed.main == program.main else _reversed(changed, wrt, name, value, log_everything)
        if memory(other[1].plan) + gain <= memory(best[1].plan):
            program, best = changed, other
    tried: set[str] = set()  # once each: a program may have many states
    worth: dict[str, int] = {}
    while not log_everything and (one := next(with_slices(program.main, best[1].plan, tried, worth), None)):
        state, made, f, written = one
        tried.add(state)
        kept = simplify(program.with_main(f), off=off) if written else program.with_main(f)
        other = _reversed(kept, wrt, name, value, log_everything)
        if takes_fewer(other[1].plan, best[1].plan, lengths(program.main)):
            program, best = kept, other
            worth |= made
    form, main, calls = best
    functions = {**program.functions, name: main.function, **calls.functions()}
    stored = only_called(Program(name, functions))
    linear(stored)
    simplified = only_called(simplify(stored, after, off))
    linear(simplified)
    return Gradient(form, stored, simplified, main.plan, {p.forward: p.plan for p in calls.pairs.values()})


def _reversed(
    program: Program, wrt: tuple[str, ...], name: str, value: bool, log_everything: bool
) -> tuple[Program, Reversed, Calls]:
    """The linear form of a program, its reverse, and the adjoints of what it calls."""
    form = linear(program)
    calls = Calls(form.functions, {*program.functions, name}, log_everything)
    return form, reverse(form.main, modes_of(form.functions), wrt, name, value, log_everything, calls), calls


def tangent(program: Program, wrt: tuple[str, ...], after: After | None = None, off: Iterable[str] = ()) -> Program:
    """The forward derivative of a prepared program by the parameters named in ``wrt`` (see `adjoint.forward`);
    ``after`` and ``off`` are as in `prepare`."""
    modes = modes_of(program.functions)
    name = f"{program.entry}_jvp"
    main = forward(program.main, modes, wrt, name)
    functions = {**program.functions, name: main.function}
    requests = dict(main.requests)
    while requests:
        wanted, (callee, active) = requests.popitem()
        if wanted not in functions:
            f = program.functions[callee]
            made = forward(f, modes, [f.params[k].var.name for k in active], wanted)
            functions[wanted] = made.function
            requests |= made.requests
    simplified = only_called(simplify(Program(name, functions), after, off))
    linear(simplified)
    return simplified


def only_called(program: Program) -> Program:
    """The program without functions that its entry does not reach."""
    found, todo = {program.entry}, [program.entry]
    while todo:
        for s in walk(program.functions[todo.pop()].body):
            if isinstance(s, Call) and s.callee not in found:
                found.add(s.callee)
                todo.append(s.callee)
    return replace(program, functions={k: f for k, f in program.functions.items() if k in found})

