"""Sizes that are equal at every call of a function, stated where its derivatives are generated.

A derivative that is taken inside a function is generated from the callee alone. What the caller knows about its
arguments, from checks of annotations for example, would be lost: the callee states it again, by checks that cannot
fail. They are simplified away when the derivative is inlined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from linad_typecheck.ir.core import (
    Atom, Block, Call, Check, Dim, Function, Let, Names, Program, Stmt, Var, all_names, blocks, named,
)
from linad_typecheck.ir.sizes import Equal, Sizes, known_sizes
from linad_typecheck.types import BOOL, I64, Array

Axis = tuple[int, int]  # the position of a parameter, and an axis of it
Pairs = frozenset[tuple[Axis, Axis]]


def with_sizes_of_calls(program: Program) -> dict[str, Function]:
    """The functions of a program, each with checks of the sizes of its parameters that are equal at every call."""
    functions = dict(program.functions)
    called = {name: name for name in functions} | {name: d.callee for name, d in program.derivatives.items()}
    waits = Counter(called[n] for name, f in functions.items() if called[name] == name for n in named(f))
    found: dict[str, list[Pairs]] = {}
    unknown = {n for f in functions.values() if f.rule is not None for n in f.rule.functions}  # called by other code
    ready = [name for name in functions if not waits[name] and called[name] == name]
    while ready:  # callers first; recursive functions are never ready
        name = ready.pop()
        if name in found and name not in unknown:
            functions[name] = _checked(functions[name], frozenset.intersection(*found[name]))
        for call, pairs in _calls(functions[name]):
            found.setdefault(called[call.callee], []).append(pairs)
        for n in named(functions[name]):
            waits[called[n]] -= 1
            if not waits[called[n]]:
                ready.append(called[n])
    return functions


def _calls(f: Function) -> Iterator[tuple[Call, Pairs]]:
    """The calls in a function, each with the axes of its arguments whose sizes are known to be equal."""
    sizes = known_sizes(f)
    dims: dict[tuple[str, int], Var] = {}

    def inside(block: Block, equal: Equal) -> Iterator[tuple[Call, Pairs]]:
        for s in block.stmts:
            equal.seen(s)
            match s:
                case Dim(out=v, array=a, axis=axis):
                    equal.join(v, sizes[a.name][axis] if a.name in sizes else dims.setdefault((a.name, axis), v))
                case Call(args=args):
                    of = {axis: equal.root(n) for axis, n in _sizes(args, sizes, dims)}
                    yield s, frozenset(pair for pair in combinations(sorted(of), 2) if of[pair[0]] == of[pair[1]])
            for b in blocks(s):
                yield from inside(b, equal.inside())

    return inside(f.body, Equal())


def _sizes(args: Sequence[Atom], sizes: Sizes, dims: Mapping[tuple[str, int], Var]) -> Iterator[tuple[Axis, Atom]]:
    for k, a in enumerate(args):
        if isinstance(a, Var) and isinstance(a.type, Array):
            for axis in range(a.type.rank):
                known = sizes[a.name][axis] if a.name in sizes else dims.get((a.name, axis))
                if known is not None:
                    yield (k, axis), known


def _checked(f: Function, pairs: Pairs) -> Function:
    """The function with checks that the sizes in each pair are equal."""
    names = Names(all_names(f))
    dims: dict[Axis, Dim] = {}
    checks: list[Stmt] = []
    for one, other in sorted(pairs):
        if other[0] < len(f.params) and not any(other == b for a, b in pairs if a < one):
            for k, axis in (one, other):
                dims.setdefault((k, axis), Dim(names.var("n", I64), f.params[k].var, axis, f.span))
            ok, n = names.var("ok", BOOL), (dims[other].out, dims[one].out)
            checks += [Let(ok, "eq", n, f.span), Check(ok, "ValueError", "sizes {0} and {1} differ", n, f.span)]
    return replace(f, body=replace(f.body, stmts=(*dims.values(), *checks, *f.body.stmts))) if checks else f
