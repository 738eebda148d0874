"""Loops and comprehensions are lowered again and again: an attempt that is undone leaves nothing that matters."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from linad_typecheck.core import Names, all_names
from linad_typecheck.lower.context import Known, Lowering

from ..properties import programs_unbound, test_rebinding
from ..properties.roads import Whole
from ..strategies import load

# what stays, and why it may
OF_NAMES = ("about", "lent", "made")  # facts of names, none of which is handed out twice
GROWS = ("hidden",)  # parameters, whichever attempt has met them first
FUNCTIONS = ("specs", "taken", "pullbacks")  # they rest on the types of their arguments alone
FLAGS = ("depends", "meanings", "unknown", "permuted", "in_order")  # met by some attempt: more is asked than need be
FIXED = ("source", "programs", "live", "local_names", "names", "spec", "stack", "entry", "limit")


def _copied(value):
    return value.copy() if isinstance(value, dict | set | list) else value


def _picture(ctx: Lowering):
    of = {(k, f.name): _copied(getattr(x, f.name)) for k, x in enumerate((ctx, ctx.programs)) for f in fields(x)}
    return of, [list(s.found) for s in ctx.programs.stack], set(ctx.names._taken)


def _holds(before, ctx: Lowering) -> None:
    """The state after an attempt was undone is that before it, but for what may stay."""
    old, found, taken = before
    new, found_now, _ = _picture(ctx)
    assert found == found_now
    for (k, name), value in old.items():
        now = new[k, name]
        if name in OF_NAMES:
            more = set(now) - set(value)
            assert not more & taken, f"{name} of {more & taken} was written by an attempt that was undone"
            assert set(value) <= set(now) and (isinstance(value, set) or all(now[n] == value[n] for n in value))
        elif name in GROWS + FUNCTIONS:
            assert set(value) <= set(now)
        elif name not in FLAGS + FIXED:
            assert now == value, name


@pytest.fixture
def undone(monkeypatch):
    """The number of attempts that were undone, each looked at."""
    pictures, count = {}, [0]
    save, restore = Lowering.save, Lowering.restore

    def saved(ctx):
        state = save(ctx)
        pictures[id(state)] = state, _picture(ctx)
        return state

    def restored(ctx, state):
        restore(ctx, state)
        count[0] += 1
        _holds(pictures[id(state)][1], ctx)

    monkeypatch.setattr(Lowering, "save", saved)
    monkeypatch.setattr(Lowering, "restore", restored)
    return count


def _cases():
    for name, ((args, updates), *_) in programs_unbound.CASES.items():
        yield pytest.param(lambda name=name: getattr(programs_unbound, name), args, updates, id=name)
    for seed in (3, 33, 48):
        text = test_rebinding.program(seed)
        yield pytest.param(lambda text=text: load(text), (np.array([0.7, 1.3, 0.4]), 0.9, 3), (), id=f"rebinding {seed}")


@pytest.mark.parametrize("made, args, updates", list(_cases()))
def test_nothing_is_left_of_an_attempt(made, args, updates, undone):
    assert Whole(made(), args, updates).checked.diagnostics is not None
    assert undone[0] > 0


def test_a_fact_written_under_an_attempt_is_seen(undone, monkeypatch):
    """The comparison itself: a fact about a name from outside of the attempt is not overlooked."""
    dim = Lowering.dim

    def wrong(ctx, array, axis, span):
        ctx.about["x"] = Known(single=True)
        return dim(ctx, array, axis, span)

    monkeypatch.setattr(Lowering, "dim", wrong)
    with pytest.raises(AssertionError, match="about of {'x'}"):
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
