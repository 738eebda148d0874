"""The manager: which passes run, in what rounds, what they tell, and what is checked after them."""

import sys
from dataclasses import replace

import pytest
from linad_typecheck.ir.core import Block, Const, Copy, Function, Let, Program, Var
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import F64

from linad.codegen import EmitOptions
from linad.codegen.passes import LOOPS, facts
from linad.optimise.environment import BrokenByPass
from linad.optimise.pass_manager import Pass, Phase, Remark, run
from linad.optimise.phases import COMPARISONS, FIRST, LAST, PRIVATISATION, READING, RENAMING, SIMPLIFICATION
from linad.codegen.passes import all_passes

PROGRAM = parse_program(
    """
fn g(a: f64) -> f64 {
  b = sin a
  return b
}
entry fn f(x: f64, v: read f64[:]) -> f64 {
  a: f64 = call g(x)
  return a
}
"""
)


def noted(f: Function) -> tuple[Function, tuple[Remark, ...]]:
    return f, (Remark(1, "stored", f"{f.name}, first"),)


def noted_otherwise(f: Function) -> tuple[Function, tuple[Remark, ...]]:
    return f, (Remark(1, "stored", f"{f.name}, then", instead="f, first"),)


def undefined(f: Function) -> Function:
    return replace(f, body=Block((), (Var("nowhere", F64),)))


def used_twice(f: Function) -> Function:
    """Well formed, but an array of the caller's is handed over."""
    v = f.params[-1].var
    copy = Var(f"{v.name}_c", v.type)
    return replace(f, body=Block((*f.body.stmts, Copy(copy, v)), (*f.body.results, copy, copy))) if v.name == "v" else f


def counted(at_most: int) -> tuple[list[str], Pass]:
    """A pass that changes the entry so many times, and the names of the functions that it was given."""
    seen: list[str] = []

    def count(f: Function) -> Function:
        seen.append(f.name)
        done = sum(isinstance(s, Let) for s in f.body.stmts)
        more = Let(Var(f"c{done}", F64), "add", (Const(1.0, F64), Const(1.0, F64)))
        return replace(f, body=replace(f.body, stmts=(*f.body.stmts, more))) if f.name == "f" and done < at_most else f

    return seen, Pass("count", count)


def names(phase: Phase, **given) -> list[str]:
    seen: list[str] = []
    run(PROGRAM, phase, after=lambda name, _: seen.append(name), **given)
    return seen


def test_a_pass_runs_where_what_it_needs_holds() -> None:
    phase = Phase((Pass("a", noted), Pass("b", noted, ("fastmath",)), Pass("c", noted, ("fastmath", "noalias"))))
    assert names(phase) == ["a"]
    assert names(phase, facts=("fastmath",)) == ["a", "b"]
    assert names(phase, facts=("noalias", "fastmath"), off=("b",)) == ["a", "c"]


def test_what_a_pass_asks_for_it_is_told() -> None:
    told: list[bool] = []

    def wondering(program: Program, retry: bool) -> Program:
        told.append(retry)
        return program

    phase = Phase((Pass("w", wondering, told=("retry",), level="program"),))
    run(PROGRAM, phase)
    run(PROGRAM, phase, ("retry",))
    assert told == [False, True]


def test_rounds_end_where_nothing_changes() -> None:
    """And a function that a pass has left as it is comes to it again only when another pass has changed it."""
    seen, p = counted(2)
    run(PROGRAM, Phase((p,), rounds=9))
    assert seen == ["g", "f", "f", "f"]
    seen, p = counted(2)
    run(PROGRAM, Phase((p,), rounds=2))
    assert seen == ["g", "f", "f"]
    (seen, p), (others, other) = counted(1), counted(3)
    run(PROGRAM, Phase((p, other), rounds=9))
    assert seen == others == ["g", "f", "f", "f"]
    seen, p = counted(2)
    run(PROGRAM, Phase((p,)))
    assert seen == ["g", "f"]


def test_remarks_come_back_and_replace_others() -> None:
    _, remarks = run(PROGRAM, Phase((Pass("a", noted), Pass("b", noted_otherwise), Pass("c", noted))), off=("c",))
    assert [r.text for r in remarks] == ["g, first", "g, then", "f, then"]
    _, remarks = run(PROGRAM, Phase((Pass("b", noted_otherwise), Pass("a", noted), Pass("a", noted))))
    assert [r.text for r in remarks] == ["g, then", "f, then", "g, first", "f, first"]


@pytest.mark.parametrize(("broken", "how"), [(undefined, "not well formed.*nowhere"), (used_twice, "no linear form")])
def test_linad_verify_names_the_pass_that_breaks_a_program(broken, how, monkeypatch) -> None:
    phase = Phase((Pass("fine", noted), Pass("culprit", broken)))
    monkeypatch.delenv("LINAD_VERIFY", raising=False)
    run(PROGRAM, phase)
    for off in ("0", "", "off"):
        monkeypatch.setenv("LINAD_VERIFY", off)
        run(PROGRAM, phase)
    monkeypatch.setenv("LINAD_VERIFY", "1")
    with pytest.raises(BrokenByPass, match=f"culprit.*{how}"):
        run(PROGRAM, phase)


def test_what_options_allow() -> None:
    assert set(facts(EmitOptions())) == {"fastmath", "noalias", "retry", "again"}
    options = EmitOptions(fastmath=False, checked="every", parallel=True, exact=True)
    assert set(facts(options)) == {"noalias", "threads"}


def test_every_pass_says_what_it_does_and_when() -> None:
    parts = ("Transformation", "Before", "After", "Legality", "Profitability", "Needs")
    for p in all_passes().values():
        text = sys.modules[p.run.__module__].__doc__ or ""
        assert [part for part in parts if f"\n**{part}.** " not in text] == [], p.name


def test_names_are_words_and_stand_for_one_pass() -> None:
    known: dict[str, object] = {}
    for p in (p for phase in (FIRST, SIMPLIFICATION, PRIVATISATION, LAST, RENAMING, READING, COMPARISONS, LOOPS) for p in phase.passes):
        assert p.name.replace("_", "").isalpha() and p.name == p.name.lower()
        assert known.setdefault(p.name, p.run) is p.run
