"""Loops and comprehensions are lowered again and again: an attempt leaves nothing of itself until it is taken."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from linad_typecheck.ir.core import Const, Let, Names, all_names
from linad_typecheck.engine.path import Fixed, Path, coarser, join
from linad_typecheck.engine.state import Known, Lowering
from linad_typecheck.engine.values import Binding, ScalarValue, literal
from linad_typecheck.messages.types import WrongType
from linad_typecheck.span import NOWHERE
from linad_typecheck.types import I64

from ..properties import programs_unbound, test_rebinding
from ..properties.roads import Whole
from ..kit import load

# what may be met by an attempt alone, and why that does no harm
GROWS = (
    "specs", "taken", "pullbacks",  # functions rest on the types of their arguments alone
    "depends", "meanings", "unknown", "permuted", "in_order",  # stricter than necessary at most
)  # fmt: skip
FIXED = ("source", "programs", "live", "local_names", "spec", "entry", "limit", "stack", "variables", "settled")


def _picture(ctx: Lowering):
    """All that may change: by reference what is never changed itself, else as a copy."""
    copied = lambda x: x.copy() if isinstance(x, dict | set | list) else x
    of = {(k, f.name): copied(getattr(x, f.name)) for k, x in enumerate((ctx, ctx.programs)) for f in fields(x)}
    found = (ctx.programs.findings, *(s.findings for s in ctx.programs.stack))
    findings = [{n: copied(v) for n, v in vars(f).items()} for f in found]
    return of, findings, dict(ctx.variables.known), dict(ctx.variables.globals), set(ctx.variables._taken)


def _holds(before, ctx: Lowering) -> None:
    """The state is what it was, but for names that there were not."""
    old, findings, known, globals_, taken = before
    new, findings_now, known_now, globals_now, _ = _picture(ctx)
    assert findings == findings_now
    written = {n for n in taken if known_now.get(n) != known.get(n)}
    assert not written, f"something is said of {written} that was made before"
    assert globals_.items() <= globals_now.items()
    for (k, name), value in old.items():
        if name == "path":
            assert new[k, name] is value
        elif name in GROWS:
            assert isinstance(value, bool) or set(value) <= set(new[k, name])
        elif name not in FIXED:
            assert new[k, name] == value, name


@pytest.fixture
def attempts(monkeypatch):
    """The number of attempts, each looked at before it is taken."""
    count = [0]
    attempt = Lowering.attempt

    def looked_at(ctx, run):
        before = _picture(ctx)
        found = attempt(ctx, run)
        count[0] += 1
        _holds(before, ctx)
        return found

    monkeypatch.setattr(Lowering, "attempt", looked_at)
    return count


def _cases():
    for name, ((args, updates), *_) in programs_unbound.CASES.items():
        yield pytest.param(lambda name=name: getattr(programs_unbound, name), args, updates, id=name)
    for seed in (3, 13, 33):
        text = test_rebinding.program(seed)
        yield pytest.param(lambda text=text: load(text), (np.array([0.7, 1.3, 0.4]), 0.9, 3), (), id=f"rebinding {seed}")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("made, args, updates", list(_cases()))
def test_nothing_is_left_of_an_attempt(made, args, updates, attempts):
    assert Whole(made(), args, updates).checked.diagnostics is not None
    assert attempts[0] > 1


def test_a_fact_written_under_an_attempt_is_seen(attempts, monkeypatch):
    """The comparison itself: a fact about a name from outside of the attempt is not overlooked."""
    dim = Lowering.dim

    def wrong(ctx, array, axis, span):
        ctx.variables.known["x"] = Known(single=True)
        return dim(ctx, array, axis, span)

    monkeypatch.setattr(Lowering, "dim", wrong)
    with pytest.raises(AssertionError, match="something is said of {'x'}"):
        Whole(programs_unbound.bound_late, (np.ones(4), 3)).checked  # noqa: B018


def test_no_name_is_handed_out_twice(monkeypatch):
    handed = []
    fresh = Names.fresh

    def noted(names, hint):
        handed.append((id(names), fresh(names, hint)))
        return handed[-1][1]

    monkeypatch.setattr(Names, "fresh", noted)
    whole = Whole(programs_unbound.inner_loop, (np.ones(4), 3))
    assert whole.checked.program is not None and len(set(handed)) == len(handed)


@pytest.mark.parametrize("name", ["inner_loop", "sums_from_below", "helper_from_below"])
def test_names_are_numbered_without_gaps(name):
    (args, updates), *_ = programs_unbound.CASES[name]
    for f in Whole(getattr(programs_unbound, name), args, updates).checked.program.functions.values():
        parts = [n.partition(".") for n in all_names(f)]
        for base in {b for b, _, _ in parts}:
            numbers = sorted(int(k or 0) for b, _, k in parts if b == base)
            assert numbers == list(range(len(numbers)))


def _lowering(monkeypatch) -> Lowering:
    """The state in which the lowering of some function ends."""
    found = []
    attempt = Lowering.attempt
    monkeypatch.setattr(Lowering, "attempt", lambda ctx, run: found.append(ctx) or attempt(ctx, run))
    Whole(programs_unbound.inner_loop, (np.ones(4), 3)).checked  # noqa: B018
    monkeypatch.undo()
    return found[0]


def test_an_attempt_is_taken_or_has_not_happened(monkeypatch):
    ctx = _lowering(monkeypatch)

    def run():
        ctx.bind("new", Binding(literal(1), NOWHERE))
        ctx.let("y", "neg", (Const(1, I64),), I64, NOWHERE)
        ctx.not_negative(ctx.fresh("k", I64))
        ctx.go(dead=True)
        ctx.report(WrongType(NOWHERE, "this", "that"))
        ctx.fact("copy", "x", NOWHERE, "told")
        return 7

    before = _picture(ctx)
    found = ctx.attempt(run)
    _holds(before, ctx)
    told, facts, length = len(ctx.programs.findings.diagnostics), len(ctx.programs.findings.facts), len(ctx.out)
    assert ctx.take(found) == 7 and ctx.path.dead and ctx.env["new"].value == ScalarValue(Const(1, I64), True)
    assert isinstance(ctx.out[-1], Let) and len(ctx.out) == length + 1
    assert len(ctx.programs.findings.diagnostics) == told + 1 and len(ctx.programs.findings.facts) == facts + 1


def test_lowering_has_few_fields():
    assert len(fields(Lowering)) <= 10 and not hasattr(Lowering, "save") and not hasattr(Lowering, "restore")


def test_a_path_is_not_changed():
    path = Path(env=Fixed({"x": Binding(literal(1), NOWHERE)}))
    for change, *args in (("update", {}), ("pop", "x"), ("__setitem__", "x", 2), ("__delitem__", "x"), ("clear",)):
        with pytest.raises(TypeError, match="never changed"):
            getattr(path.env, change)(*args)
    with pytest.raises(AttributeError):
        path.dead = True
    assert list(path.env) == ["x"]


def classes(*groups: str) -> Fixed:
    return Fixed({n: frozenset(g) for g in groups for n in g})


@pytest.mark.parametrize(
    "one, other, both",
    [
        ((), (), ()),
        (("ab",), (), ("ab",)),
        ((), ("ab",), ("ab",)),
        (("ab",), ("bc",), ("abc",)),
        (("ab", "cd"), ("bc",), ("abcd",)),
        (("ab",), ("cde",), ("ab", "cde")),
        (("ab", "cd"), ("ac", "ef"), ("abcd", "ef")),
        (("abc",), ("ab",), ("abc",)),
    ],
)
def test_alias_classes_only_get_coarser(one, other, both):
    assert coarser(classes(*one), classes(*other)) == coarser(classes(*other), classes(*one)) == classes(*both)


def test_what_is_known_where_paths_meet():
    said = (NOWHERE, literal(1)), (NOWHERE, literal(2)), (NOWHERE, literal(3))
    before = Path(returned=said[:1], tested=frozenset({"n"}), made=frozenset({"a"}))
    one = before._replace(returned=said[:2], dead=True, tested=frozenset({"n", "k"}), alike=classes("ab"))
    one = one._replace(made=frozenset({"a", "b"}))
    other = before._replace(returned=(said[0], said[2]), alike=classes("bc"))
    met = join(before, one, other)
    assert met == before._replace(returned=said, made=frozenset({"a", "b"}), alike=classes("abc"))
    assert join(before, one, one).dead
