"""Derivatives taken inside checked functions: generate those that have been declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import count

from linad_typecheck.ir.core import (
    Alloc,
    Atom,
    Block,
    Call,
    Derivative,
    Function,
    If,
    Loop,
    Program,
    Rule,
    Stmt,
    Var,
    reached,
    walk,
    writes,
)
from linad_typecheck.ir.rewrite import in_blocks, rebuild

from .adjoint.sweep.custom import primal_name
from .adjoint.errors import NoDerivative
from .call_sizes import with_sizes_of_calls

# generates the derivative of a program's entry; the flag says that no further derivative is taken of it
Make = Callable[[Program, Derivative, bool], Program]


def expand(program: Program, make: Make) -> Program:
    """The program with every declared derivative generated, innermost first."""
    if not program.derivatives:
        return program
    functions = _with_adjoints(replace(program, functions=with_sizes_of_calls(program)))
    pending = dict(program.derivatives)

    def finish(name: str) -> None:
        """Generate the derivatives that a function calls, then the declared derivative of the function itself."""
        d = pending.pop(name)
        if name in reached(functions, d.callee):
            what = f"`{primal_name(d.callee)}`, whose rule needs that derivative itself"
            raise NoDerivative(what, functions[d.callee].span)
        while wanted := reached(functions, d.callee) & pending.keys():
            finish(min(wanted))
        last = not any(name in reached(functions, other.callee) for other in pending.values())
        made = make(Program(d.callee, {k: functions[k] for k in reached(functions, d.callee)}), d, last)
        functions.update(adopted(made, name, functions, pending.keys()))

    while pending:
        finish(next(iter(pending)))
    return replace(program, functions=functions, derivatives={})


def adopted(
    made: Program, name: str, functions: Mapping[str, Function], taken: Set[str] = frozenset()
) -> dict[str, Function]:
    """The functions of a program as additions to ``functions``, with its entry under the given name."""
    others = {k: f for k, f in made.functions.items() if k != made.entry}
    # recursive functions that were simplified for another context
    if any(functions.get(k, f) != f for k, f in others.items()):
        new = {k: _fresh(k, functions.keys() | taken | others.keys()) for k in others}
        made = replace(made, functions={k: _calling(f, new) for k, f in made.functions.items()})
        others = {new[k]: replace(made.functions[k], name=new[k]) for k in others}
    return {**others, name: replace(made.main, name=name)}


def _with_adjoints(program: Program) -> dict[str, Function]:
    """The functions with arrays marked as adjoints if derivatives add gradients to them and they are otherwise only
    read, or returned to callers that only read them."""
    gradients: dict[str, set[str]] = {name: set() for name in program.functions}
    changed: dict[str, set[str]] = {name: set() for name in program.functions}  # or aliased
    lent: list[tuple[str, str, str, str]] = []  # a variable of a function, and its name in a function that it calls
    given: list[tuple[str, str, str, str]] = []
    for name, f in program.functions.items():
        made = {s.out.name for s in walk(f.body) if isinstance(s, Alloc)}
        for s in walk(f.body):
            match s:
                case Call():
                    d = program.derivatives.get(s.callee)
                    callee = program.functions[s.callee if d is None else d.callee]
                    lent += _pairs(name, s.args, callee.name, (p.var for p in callee.params))
                    if d is None or d.value:
                        given += _pairs(name, s.outs, callee.name, callee.body.results)
                    for k, (a, p) in enumerate(zip(s.args, program.functions[s.callee].params, strict=True)):
                        if p.mode != "read" and isinstance(a, Var):
                            new = k >= len(callee.params) and p.mode == "acc" and a.name in made
                            (gradients if new else changed)[name].add(a.name)
                case If():
                    changed[name] |= _names((*s.then.results, *s.orelse.results, *s.outs))
                case Loop():
                    changed[name] |= _names((*s.inits, *s.body.results, *s.carried, *s.outs))
                case _:
                    changed[name] |= _names(writes(s))
    before = -1
    while before < (before := sum(map(len, (*changed.values(), *gradients.values())))):
        for one, a, other, b in (*lent, *given):
            if b in changed[other]:
                changed[one].add(a)
        for one, a, other, b in given:
            if a in changed[one]:
                changed[other].add(b)
            if b in gradients[other]:
                gradients[one].add(a)
    return {name: _marked(f, gradients[name] - changed[name]) for name, f in program.functions.items()}


def _pairs(one: str, ours: Iterable[Atom], other: str, theirs: Iterable[Atom]) -> Iterator[tuple[str, str, str, str]]:
    for a, b in zip(ours, theirs, strict=False):
        if isinstance(a, Var) and isinstance(b, Var):
            yield one, a.name, other, b.name


def _marked(f: Function, found: set[str]) -> Function:
    """The function with the given variables marked as adjoints."""

    def marked(a: Atom) -> Atom:
        return replace(a, adjoint=True) if isinstance(a, Var) and a.name in found else a

    def inside(b: Block) -> Block:
        return Block(tuple(rebuild(s, marked, marked, inside) for s in b.stmts), tuple(map(marked, b.results)))

    return replace(f, body=inside(f.body)) if found else f


def _names(atoms: Iterable[Atom]) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var)}


def _fresh(name: str, taken: Set[str]) -> str:
    return next(n for k in count(2) if (n := f"{name}#{k}") not in taken)


def _calling(f: Function, new: Mapping[str, str]) -> Function:
    """A function with its calls redirected to new names."""

    def inside(b: Block) -> Block:
        return Block(tuple(renamed(in_blocks(s, inside)) for s in b.stmts), b.results)

    def renamed(s: Stmt) -> Stmt:
        return replace(s, callee=new.get(s.callee, s.callee)) if isinstance(s, Call) else s

    def of_rule(rule: Rule | None) -> Rule | None:
        if rule is None:
            return None
        forward, backward = new.get(rule.forward, rule.forward), new.get(rule.backward, rule.backward)
        return replace(rule, forward=forward, backward=backward, tangent=of_rule(rule.tangent))

    return replace(f, body=inside(f.body), rule=of_rule(f.rule))
