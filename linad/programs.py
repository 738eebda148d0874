"""Requests answered as core programs, from the lowered program of a function."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np
from linad_typecheck.ir.core import (
    AddTo, Alloc, Block, Const, Dim, Fill, Function, Load, Names, Program, Stmt, Store, all_names,
    mentioned,
)
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.span import Span
from linad_typecheck.types import BYTES, I64, Scalar

from . import pipeline
from .adjoint.errors import NoDerivative
from .adjoint.sweep.custom import refuse_sparse
from .baseline.pure import purify
from .boundary.errors import refusal
from .boundary.kernel import DONE, Loaded, raise_at
from .boundary.short import Short
from .codegen import EmitOptions
from .codegen.driver_allocation import lift
from .codegen.out_of_memory import out_of_memory_text
from .codegen.passes import prepare
from .derivatives.rule import exact_zeros
from .interpret import CoreError, run
from .optimise.scalars.size_naming import with_sizes as with_sizes
from .optimise.scalars.zero_tests import with_zero_tests
from .options import Options
from .requests import EXACT, FORWARD, FRESH, KINDS, MOVED, PATTERN, PULLED, PUSHED, RECORD, REPLAY, Level, Request


KEPT = 16
# What later requests for the same lowered program may start from, least recently used first: the lowered program, which
# holds its id, and the program after some levels.
_kept: dict[tuple[object, ...], tuple[Program, Program]] = {}


def answer(lowered: Program, request: Request, options: Options, sizes: Short = (), exact: bool = False) -> Program:
    """The simplified program that answers a request, for arguments of these sizes.

    Raises
    ------
    LinadError
        If a statement has no derivative.
    """
    if request[:1] == (FRESH,):
        return stored(answer(lowered, request[1:], options, sizes))
    if request[:1] == (EXACT,):
        with exact_zeros():
            return with_zero_tests(answer(lowered, request[1:], options, sizes, exact=True))
    off = options.off
    rules = bool(request) and any(f.rule is not None for f in lowered.functions.values())
    try:
        program = _after(lowered, request[:-1], off, sizes, exact, rules)
        if request:
            program = _derivative(program, request[-1], off, last=True)
    except NoDerivative as e:
        what = re.sub(r"#\d+", "", e.what)
        raise refusal(e.slug, f"there is no derivative of {what}", e.span, e.help) from None
    program = pipeline.inline_rules(program, off=off)
    if request and request[-1][1] in (RECORD, REPLAY):
        f = lowered.main
        parts = pipeline.split_linear(program, len(f.params), len(f.body.results), off)
        program = parts[request[-1][1] == REPLAY]
    if options.update == "pure":
        program = purify(program)
    return program if options.boundscheck else unchecked(program)


def _after(
    lowered: Program, levels: Request, off: tuple[str, ...], sizes: Short, exact: bool, rules: bool
) -> Program:
    """The prepared program, differentiated by these levels."""
    key = (id(lowered), levels, off, sizes, exact and bool(levels or lowered.derivatives), rules)
    found = _kept.pop(key, None)
    if found is None:
        if levels:
            program = _derivative(_after(lowered, levels[:-1], off, sizes, exact, rules), levels[-1], off)
        else:
            sized = with_sizes(lowered, sizes) if sizes else lowered
            program = pipeline.prepare(sized, off=off, rules=rules)
        found = lowered, program
    _kept[key] = found
    while len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return found[1]


def _derivative(program: Program, level: Level, off: tuple[str, ...], last: bool = False) -> Program:
    """The derivative of a program by one level of a request, with ``last`` by its last one."""
    wrt, value = level
    f = program.main
    names = tuple(f.params[k].var.name for k in wrt)
    if value in (FORWARD, MOVED, RECORD, REPLAY, PUSHED):
        program = pipeline.tangent(program, names, off=off, value=value != MOVED)
    elif value == PATTERN:
        program = pipeline.dependence(program, names, off=off)
    else:
        with_value = value is True or value in KINDS
        program = pipeline.differentiate(program, names, with_value, off=off).simplified
    if value in (PUSHED, PULLED):
        program = pipeline.directions(program, len(f.params), len(f.body.results) * (value == PUSHED), off, last)
    elif value in KINDS:
        refuse_sparse(program.functions.values())
        program = pipeline.inline_rules(program, off=off)
        program = pipeline.by_entries(program, len(f.params), len(f.body.results), wrt, str(value), off)
    return program


def stored(program: Program) -> Program:
    """The program with gradients that it stores instead of adding to them: before their first use it fills their arrays
    with zeros, and `optimise.memory.first_write_promotion` does without that where it can."""
    main = program.main
    names = Names(all_names(main))
    stmts = list(main.body.stmts)
    for p in main.params:
        if p.mode == "acc":
            first = next((k for k, s in enumerate(stmts) if p.var.name in mentioned(s)), len(stmts))
            sized = {(s.array.name, s.axis) for s in stmts[:first] if isinstance(s, Dim)}
            dims = [Dim(names.var("n", I64), p.var, k) for k in range(p.var.type.rank) if (p.like, k) not in sized]
            stmts[first:first] = [*dims, Fill(p.var, Const(0.0, Scalar(p.var.type.dtype)))]
    params = tuple(replace(p, mode="out") if p.mode == "acc" else p for p in main.params)
    return program.with_main(replace(main, params=params, body=replace(main.body, stmts=tuple(stmts))))


def unchecked(program: Program) -> Program:
    """Mark every access as unchecked, for the option ``boundscheck=False``."""

    def without(s: Stmt) -> Stmt:
        s = in_blocks(s, within)
        return replace(s, checked=False) if isinstance(s, (Load, Store, AddTo)) else s

    def within(b: Block) -> Block:
        return Block(tuple(map(without, b.stmts)), b.results)

    functions = {name: replace(f, body=within(f.body)) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def largest_array(program: Program, options: EmitOptions, values: Sequence[object]) -> tuple[str, int, Span] | None:
    """The largest array that a call with these arguments allocates before it starts: the message about it, its bytes
    and its position."""
    main = prepare(program, options)[0].main
    lifted = lift(main, copies=True, negative=True)
    made = lifted.arrays
    names = Names(all_names(main))
    stmts, sizes = list(lifted.sizes), []
    for s in made:
        if isinstance(s, Alloc):
            sizes.append(s.shape)
            continue
        dims = tuple(names.var("size", I64) for _ in range(s.array.type.rank))
        stmts += [Dim(d, s.array, k) for k, d in enumerate(dims)]
        sizes.append(dims)
    flat = tuple(a for shape in sizes for a in shape)
    sized = Function("sizes", main.params, Block(tuple(stmts), flat))
    found = iter(run(Program("sizes", {"sizes": sized}), values, in_place=True).results)
    taken = [
        (prod(int(next(found)) for _ in shape) * BYTES[s.out.type.dtype], k)
        for k, (s, shape) in enumerate(zip(made, sizes))
    ]
    if not taken:
        return None
    size, k = max(taken)
    return out_of_memory_text(made[k]), size, made[k].span


def interpreted(program: Program) -> Loaded:
    """A program run by the reference interpreter, with the interface of a compiled driver."""

    gradients = [k for k, p in enumerate(program.main.params) if p.mode == "out"]

    def driver(*values: object) -> tuple[object, ...]:
        *given, err = values
        try:
            results = run(program, given, in_place=True).results
            err[0] = any(np.isnan(given[k]).any() for k in gradients)
            return (DONE, *results)
        except CoreError as error:
            raise_at(error.kind, error.message, error.span)

    return Loaded(driver, (), 1)
