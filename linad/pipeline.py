"""From a checked function to the programs that are compiled, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from linad_typecheck.ir.core import Const, Derivative, Program, reached
from linad_typecheck.ir.sizes import lengths
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.linear.uses import modes_of
from linad_typecheck.types import I64

from .adjoint.sweep.calls import Calls
from .adjoint.sweep.directions import in_directions
from .adjoint.sweep.custom import Transposes, primal_name, refuse_sparse, tangent_of
from .adjoint.sweep.entries import COUNTED, PLACED, by_ints, entries
from .adjoint.errors import NoDerivative
from .adjoint.sweep.tangent import forward
from .adjoint.sweep.pattern import pattern, pattern_of_rule
from .adjoint.plan.model import Plan
from .adjoint.sweep.reverse import Reversed, reverse
from .adjoint.sweep.split import split
from .adjoint.plan.state_snapshots import with_slices
from .adjoint.plan.state_snapshots_cost import takes_fewer
from .adjoint.plan.undo import memory
from .expand import adopted, expand
from .inline import inline
from .optimise.pass_manager import After, Remark, run
from .optimise.phases import ALTERNATIVES, CHOOSING, FIRST, LAST, PRIVATISATION, SIMPLIFICATION, simplify


_latest: tuple[tuple[Program, Program], ...] = ()  # linear forms: a stage begins with what another has ended with


def linear(program: Program) -> Program:
    """The linear form of a program; raises `NotLinear` if there is none."""
    global _latest
    known = next((form for of, form in _latest if of is program), None)
    if known is not None:
        return known
    form = linearise(program)
    check_linear(form)
    _latest = (*_latest[-3:], (program, form))
    return form


def prepare(
    program: Program,
    after: After | None = None,
    off: Iterable[str] = (),
    remarks: list[Remark] | None = None,
    rules: bool = True,
) -> Program:
    """Inline and simplify a lowered program, so that it can be compiled and differentiated.

    Passes named in ``off`` are skipped; ``after`` receives the result of each pass. Remarks of the passes are appended
    to ``remarks``. Without ``rules``, functions with a custom rule are inlined like others, because all derivatives
    have been taken.
    """

    def derivative(program: Program, d: Derivative, last: bool) -> Program:
        """The derivative of the entry that a declaration requests."""
        ready = prepare(program, off=off)
        f = ready.main
        wrt = tuple(f.params[k].var.name for k in d.wrt)
        if d.kind == "forward":
            made = tangent(ready, wrt, off=off)
        else:
            made = differentiate(ready, wrt, d.value, off=off).simplified
        if d.directions:
            made = directions(made, len(f.params), len(f.body.results) if d.value else 0, off, last and not rules)
        return made

    program = expand(program, derivative)
    program = inline(program) if rules else _rules_inlined(program)
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
    """The stages of a derivative program; ``simplified`` is the one that is compiled. ``called``: the plans of the
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
    making: tuple[str, ...] = (),
) -> Gradient:
    """The reverse derivative of a prepared program by the parameters ``wrt`` (see `adjoint.reverse`).

    ``after`` and ``off`` are as in `prepare`. ``log_everything``: log every needed value without a plan, to measure and
    test the plan. ``making``: the functions of custom rules that are being transposed.
    """
    name = f"{program.entry}_vjp"
    transposes = _transposes(program, off, making)
    if not log_everything:
        program, _ = run(program, CHOOSING, off=off)

    def _reversed(program: Program) -> tuple[Program, Reversed, Calls]:
        """The linear form of a program, its reverse, and the adjoints of the functions that it calls."""
        form = linear(program)
        calls = Calls(form.functions, {*program.functions, name}, log_everything, transposes)
        return form, reverse(form.main, modes_of(form.functions), wrt, name, value, log_everything, calls), calls

    best = _reversed(program)
    for phase, gain in ALTERNATIVES:
        if log_everything or not memory(best[1].plan):
            break
        changed, _ = run(program, phase, off=off)
        other = best if changed.main == program.main else _reversed(changed)
        if memory(other[1].plan) + gain <= memory(best[1].plan):
            program, best = changed, other
    tried: set[str] = set()  # try each state only once: a program may have many
    worth: dict[str, int] = {}
    while not log_everything and (one := next(with_slices(program.main, best[1].plan, tried, worth), None)):
        state, made, f, written = one
        tried.add(state)
        kept = simplify(program.with_main(f), off=off) if written else program.with_main(f)
        other = _reversed(kept)
        if takes_fewer(other[1].plan, best[1].plan, lengths(program.main)):
            program, best = kept, other
            worth |= made
    form, main, calls = best
    functions = {**program.functions, name: main.function, **calls.functions(), **transposes.made}
    stored = inline(Program(name, functions), nonlinear=True)
    linear(stored)
    simplified = only_called(simplify(stored, after, off))
    linear(simplified)
    return Gradient(form, stored, simplified, main.plan, {p.forward: p.plan for p in calls.recursive()})


def _transposes(program: Program, off: Iterable[str], making: tuple[str, ...]) -> Transposes:
    """The transposes of the functions of custom rules that the derivative of a program needs."""

    def make(program: Program, wrt: tuple[str, ...]) -> Program:
        """The adjoint of a function that is linear in the parameters ``wrt``."""
        if program.entry in making:
            what = f"`{primal_name(program.entry)}`, whose rule needs that derivative itself"
            raise NoDerivative(what, program.main.span)
        return differentiate(prepare(program, off=off), wrt, False, off=off, making=(*making, program.entry)).simplified

    return Transposes(program.functions, make, adopted)


def tangent(
    program: Program, wrt: tuple[str, ...], after: After | None = None, off: Iterable[str] = (), value: bool = True
) -> Program:
    """The forward derivative of a prepared program by the parameters ``wrt`` (see `adjoint.forward`).

    ``after`` and ``off`` are as in `prepare`. Without ``value``, the tangents are the only results.
    """
    modes = modes_of(program.functions)
    name = f"{program.entry}_jvp"
    main = forward(program.main, modes, wrt, name)
    functions = {**program.functions, name: main.function}
    requests = dict(main.requests)
    transposes = _transposes(program, off, ())
    while requests:
        wanted, (callee, active) = requests.popitem()
        if wanted not in functions:
            f = program.functions[callee]
            if f.rule is not None:
                functions[wanted] = tangent_of(f, active, wanted, program.functions, transposes)
                continue
            made = forward(f, modes, [f.params[k].var.name for k in active], wanted)
            functions[wanted] = made.function
            requests |= made.requests
    if not value:
        body = functions[name].body
        only = replace(body, results=body.results[len(program.main.body.results) :])
        functions[name] = replace(functions[name], body=only)
    called = inline(Program(name, {**functions, **transposes.made}))
    simplified = only_called(simplify(called, after, off))
    linear(simplified)
    return simplified


def directions(program: Program, given: int, results: int, off: Iterable[str] = (), last: bool = False) -> Program:
    """A derivative program in several directions at once (see `adjoint.directions`). ``off`` is as in `prepare`.
    ``last``: no further derivative is taken, so functions with a custom rule are inlined first."""
    made = in_directions(inline_rules(program, off, nonlinear=True) if last else program, given, results)
    simplified = only_called(simplify(only_called(made), off=off))
    linear(simplified)
    return simplified


def by_entries(
    program: Program, given: int, results: int, wrt: Sequence[int], kind: str, off: Iterable[str] = ()
) -> Program:
    """The program that computes the entries of a Jacobian, from its reverse derivative with the value (see
    `adjoint.entries`).

    For the kind that counts entries, the second result says whether their number, rows and columns are independent of
    all floats.
    """

    def made(kind: str) -> Program:
        found = only_called(entries(program, given, results, wrt, kind))
        # once sizes are known, the arrays that they came from are dead
        found = simplify(simplify(found, off=off), off=off)
        linear(found)
        return found

    found = made(kind)
    if kind != COUNTED:
        return found
    fixed = Const(int(by_ints(found, given) and by_ints(made(PLACED), given)), I64)
    f = found.main
    total, *sizes = f.body.results
    body = replace(f.body, results=(total, fixed, *sizes))
    return replace(found, functions={**found.functions, f.name: replace(f, body=body)})


def split_linear(program: Program, given: int, results: int, off: Iterable[str] = ()) -> tuple[Program, Program]:
    """Split a derivative program into the program that logs what its linear part needs, and the linear part (see
    `adjoint.split`)."""
    made = []
    for half in split(program, given, results):
        made.append(only_called(simplify(half, off=off)))
        linear(made[-1])
    return made[0], made[1]


def dependence(program: Program, wrt: tuple[str, ...], off: Iterable[str] = ()) -> Program:
    """The sparsity pattern of a prepared program with respect to the parameters ``wrt`` (see `adjoint.pattern`)."""
    modes = modes_of(program.functions)
    name = f"{program.entry}_pattern"
    main = pattern(program.main, modes, wrt, name, primal=False)
    functions = {**program.functions, name: main.function}
    requests = dict(main.requests)
    while requests:
        wanted, (callee, active) = requests.popitem()
        if wanted not in functions:
            f = program.functions[callee]
            if f.rule is not None:
                refuse_sparse(program.functions[k] for k in f.rule.functions)
                functions[wanted] = pattern_of_rule(f, active, wanted)
                continue
            made = pattern(f, modes, [f.params[k].var.name for k in active], wanted, primal=True)
            functions[wanted] = made.function
            requests |= made.requests
    found = only_called(simplify(inline(Program(name, functions)), off=off))
    linear(found)
    return found


def only_called(program: Program) -> Program:
    """The program without functions that its entry does not reach."""
    found = reached(program.functions, program.entry)
    return replace(program, functions={k: f for k, f in program.functions.items() if k in found})


def inline_rules(program: Program, off: Iterable[str] = (), nonlinear: bool = False) -> Program:
    """A derivative program as it is compiled: functions with a custom rule are inlined. With ``nonlinear``, backward
    functions that are not linear are kept."""
    if all(f.rule is None and (nonlinear or f.nonlinear is None) for f in program.functions.values()):
        return program
    found = only_called(simplify(_rules_inlined(program, nonlinear), off=off))
    linear(found)
    return found


def _rules_inlined(program: Program, nonlinear: bool = False) -> Program:
    """The program with its functions with a custom rule inlined, except for long ones that are called several times."""
    rules = {k for k, f in program.functions.items() if f.rule is not None}
    plain = {k: replace(f, rule=None) for k, f in program.functions.items()}
    return inline(replace(program, functions=plain), rules, nonlinear)
