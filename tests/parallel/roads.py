"""Programs with parallel loops on the reference interpreter: chunks in other orders, and who touches which cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from linad_typecheck.ir.core import AddTo, Alloc, Block, Call, Const, If, Let, Load, Loop, Names, Program, Stmt, Store, Var, all_names
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import I64

from linad.codegen import EmitOptions, chunks
from linad.codegen.parallel import Decision, chunk_functions, parallelise
from linad.codegen.passes import RESHAPING, prepare
from linad.interpret import CoreError, machine, run
from linad.optimise.pass_manager import Phase
from linad.optimise.pass_manager import run as run_passes

from ..properties.roads import close, fresh

ORDERS = ("as it is", "backwards", "odd ones first")


def verdicts(program: Program, fastmath: bool = True) -> list[Decision]:
    """What becomes of the loops that have a line."""
    facts = ("noalias", "retry", "threads", *(("fastmath",) if fastmath else ()))
    found = parallelise(run_passes(program, Phase(RESHAPING), facts)[0], fastmath)[1]
    return [d for d in found if d.span.line > 0]


@contextmanager
def eager():
    """Loops of any size are cut into chunks."""
    before = chunks.SHARE, chunks.COMBINE
    chunks.SHARE, chunks.COMBINE = 0, 0
    try:
        yield
    finally:
        chunks.SHARE, chunks.COMBINE = before


def ready(program: Program, parallel: bool) -> Program:
    with eager():
        made, _ = prepare(program, EmitOptions(parallel=parallel))
    assert not (wrong := verify(made)), wrong[:3]
    return replace(made, functions={n: replace(f, body=without_logs(f.body)) for n, f in made.functions.items()})


def without_logs(b: Block) -> Block:
    """Arrays that are made outside of loops are not logs whose cells are stored to once."""

    def stmt(s: Stmt) -> Stmt:
        match s:
            case If():
                return replace(s, then=without_logs(s.then), orelse=without_logs(s.orelse))
            case Loop():
                return replace(s, body=without_logs(s.body))
            case Alloc():
                return replace(s, log="no")
        return s

    return Block(tuple(map(stmt, b.stmts)), b.results)


def reordered(program: Program, order: str) -> Program:
    """The program whose loops over chunks take them in another order."""
    if order == "as it is":
        return program
    names = Names({n for f in program.functions.values() for n in all_names(f)})

    def block(b: Block) -> Block:
        return Block(tuple(t for s in b.stmts for t in stmt(s)), b.results)

    def stmt(s: Stmt) -> tuple[Stmt, ...]:
        match s:
            case If():
                return (replace(s, then=block(s.then), orelse=block(s.orelse)),)
            case Loop(kind="chunks", body=Block((Call(),))):
                if order == "backwards":
                    last = names.var("last", I64)
                    return (
                        Let(last, "sub", (s.stop, Const(1, I64))),
                        replace(s, start=last, stop=Const(-1, I64), step=Const(-1, I64)),
                    )
                two = Const(2, I64)
                other = names.var("c", I64)
                (call,) = s.body.stmts
                odd = Block((replace(call, args=(other, *call.args[1:])),))
                return replace(s, start=Const(1, I64), index=other, body=odd, step=two), replace(s, step=two)
            case Loop():
                return (replace(s, body=block(s.body)),)
        return (s,)

    return program.with_main(replace(program.main, body=block(program.main.body)))


@dataclass
class Watch:
    """Who touched which cell while chunks were running; a cell that one has written and another touched is a race."""

    program: Program
    chunk: int | None = None
    launches: int = 0
    owner: dict[Any, set[int]] = field(default_factory=lambda: defaultdict(set))
    writers: dict[Any, set[int]] = field(default_factory=lambda: defaultdict(set))
    kept: list[Any] = field(default_factory=list)  # so that no identity is given twice
    races: list[str] = field(default_factory=list)

    def touch(self, array: np.ndarray, where: tuple, name: Var, writes: bool) -> None:
        if self.chunk is None:
            return
        self.kept.append(array)
        key = (id(array), where)
        self.owner[key].add(self.chunk)
        if writes:
            self.writers[key].add(self.chunk)
        if self.writers[key] and len(self.owner[key]) > 1:
            self.races.append(f"{name}{list(where)} by chunks {sorted(self.owner[key])}")


@contextmanager
def watched(program: Program):
    """The interpreter tells who touches what in the chunk functions of a program."""
    mine = chunk_functions(program)  # in which no two calls of one loop may meet
    watch = Watch(program)
    before = dict(machine._ACTIONS)

    def access(kind, writes):
        def make(m, s):
            do, place = before[kind](m, s), machine._place(s.array, s.index, False, s.span)

            def watched_do(env):
                do(env)
                if watch.chunk is not None:
                    array, where = place(env)
                    watch.touch(array, where, s.array, writes)

            return watched_do

        return make

    def loop(m, s):
        do = before[Loop](m, s)
        if not (s.kind == "chunks" and len(s.body.stmts) == 1):
            return do

        def watched_do(env):
            watch.launches += 1
            watch.owner.clear()
            watch.writers.clear()
            do(env)

        return watched_do

    def call(m, s):
        do = before[Call](m, s)
        if s.callee not in mine:
            return do
        get = machine._get(s.args[0])

        def watched_do(env):
            watch.chunk = int(get(env))
            try:
                do(env)
            finally:
                watch.chunk = None

        return watched_do

    machine._ACTIONS.update({Load: access(Load, False), Store: access(Store, True), AddTo: access(AddTo, True)})
    machine._ACTIONS.update({Loop: loop, Call: call})
    try:
        yield watch
    finally:
        machine._ACTIONS.update(before)


def outcome(program: Program, args: Sequence[Any]) -> tuple[tuple, list] | str:
    """The results and the arrays afterwards, or the kind of error."""
    args = fresh(args)
    try:
        return run(program, args, in_place=True).results, args
    except CoreError as error:
        return error.kind


def agree(program: Program, args: Sequence[Any], counts: Sequence[int] = (2, 7)) -> int:
    """Hold the parallel program against the sequential one, in every order of chunks; how often chunks were run."""
    plain, made = ready(program, False), ready(program, True)
    if len(made.main.params) == len(plain.main.params):
        return 0
    expected = outcome(plain, args)
    launches = 0
    for threads in (1, *counts):
        seen = []
        for order in ORDERS if threads > 1 else ORDERS[:1]:
            with watched(made) as watch:
                found = outcome(reordered(made, order), [*args, threads])
            assert not watch.races, watch.races[:3]
            assert threads > 1 or not watch.launches
            launches += watch.launches
            if isinstance(expected, str) or isinstance(found, str):
                assert isinstance(expected, str) and found in (expected, "retry"), (expected, found)
                continue
            seen.append([*map(np.asarray, found[0]), *map(np.asarray, found[1][:-1])])
        for other in seen:
            assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(other, seen[0], strict=True))
        if seen:
            close(seen[0], [*map(np.asarray, expected[0]), *map(np.asarray, expected[1])], 1e-9, f"{threads} threads")
    return launches
