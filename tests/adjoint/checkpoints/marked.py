"""Marked programs lowered, differentiated and run, and the same without a mark."""

from __future__ import annotations

from functools import cache

import numpy as np
from linad_typecheck.check import check
from linad_typecheck.ir.core import Loop, Program, walk
from linad_typecheck.ir.text import parse_program, print_program
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.names.uses import functions_named
from linad_typecheck.source import SourceFile

from linad.adjoint.checkpoints.state import SETTLED
from linad.interpret import Outcome, run
from linad.pipeline import Gradient, differentiate, prepare
from tests.well_formed import well_formed

from .programs import HEAD


def with_options(body: str, options: str | None) -> str:
    """A program's text with its marks filled in; without marks where ``options`` is None."""
    out, rest = "", body
    while "CK(" in rest:
        before, rest = rest.split("CK(", 1)
        depth, at = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[at], 0)
            at += 1
        inner = rest[: at - 1]
        out += before + (inner if options is None else f"linad.checkpoint({inner}{options})")
        rest = rest[at:]
    return HEAD + out + rest


def lowered(text: str) -> Program:
    done = check(functions_named(StaticModule(SourceFile("text.py", text)))["f"], {})
    wrong = [f"{d.span.line}: {d.message}" for d in done.diagnostics if d.severity == "error"]
    assert not wrong and done.program is not None, wrong
    return done.program


@cache
def prepared(text: str) -> Program:
    program = lowered(text)
    well_formed("lowering", program)
    assert print_program(parse_program(print_program(program))) == print_program(program)
    program = prepare(program, well_formed)
    well_formed("prepare", program)
    return program


@cache
def gradient(text: str, value: bool = True) -> Gradient:
    g = differentiate(prepared(text), ("x", "w"), value)
    well_formed("stored", g.stored)
    well_formed("simplified", g.simplified)
    assert all(s.mark in (None, SETTLED) for s in walk(g.stored.main.body) if isinstance(s, Loop))
    return g


def pull(program: Program, x: np.ndarray, T: int, w: float) -> tuple[Outcome, list[np.ndarray]]:
    """A run of a derivative, and the gradients by ``w`` and ``x``."""
    bar = np.zeros(len(x))
    out = run(program, [x.copy(), T, w, 1.0, bar])
    name = program.main.params[-1].var.name
    return out, [np.asarray(out.results[-1]), np.asarray(out.params[name])]
