"""Records against CPython on the same text: found in the text of a module, and alive; gradients against dual numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from linad import linear_grad
from linad.baseline import dual
from linad.baseline.structure import has_float
from linad.oracle import Ended, attempt, difference, run
from linad.specialise import checked_or_error
from linad.structures import leaves, map_leaves, parts
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.signature import RecordStructure
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule

from . import programs_records as m

V = np.array([0.5, -1.5, 2.0])
LAYER = m.Layer(V, 0.75)
STATE = m.State(V, 1.25, 2)
CASES = {
    "reads": [(LAYER, V[::-1])],
    "nested": [(m.Model(LAYER, m.Layer(V * 2.0, 3.0, 4.0)), 1.5), (m.Model(LAYER, LAYER, 0), 2.0)],
    "unannotated": [(m.Pair(2.0, 1), STATE), (m.Pair(np.float32(0.5), np.int64(2)), m.Wide(V, 1.0, 0))],
    "makes": [(2.0, 3), (0.5, 0)],
    "makes_nested": [(1.5, -2.0)],
    "carried_by_while": [(0.5,), (-1.5,)],
    "fields_swapped": [(1.5, 5), (1.5, 0), (2.0, 4)],
    "replaced": [(LAYER, 1.5)],
    "replaced_on_one_path": [(m.Options(scale=2.0), 3.0), (m.Options(scale=2.0, on=False), 3.0)],
    "recursive": [(0.5, 1.5, 3), (0.5, 1.5, 0)],
    "tuple_of_records": [((LAYER, m.Layer(V * V, 2.0)), V)],
    "unpacked": [(m.Pair(1.5, 2.0), LAYER)],
    "in_zip": [(m.Pair(1.5, 2.5),)],
    "empty_fields": [(m.Weights(np.zeros(0), 1.5),), (m.Weights(V, 2.0),)],
    "single": [(m.Single(V.astype(np.float32), np.float32(0.25)),)],
    "defaults": [(1.5, 2.0, (0.5, 3)), (1.5, 0.5, (2.0, 1))],
    "constants": [(1.5,)],
    "inherits": [(m.Wide(V, 2.0, 1, 3.0),)],
    "derives": [(m.Steep(V, 2.0),)],
    "makes_derived": [(V, 1.5)],
    "loose": [(m.Loose(V, V.reshape(3, 1), 2.0),), (m.Loose(V.astype(np.float32), V.reshape(1, 3), 2),)],
    "early_return": [(m.Pair(1.5, 2.0), 5), (m.Pair(1.5, 2.0), 1)],
    "chosen": [(m.Pair(1.5, 2.0), 3.0), (m.Pair(1.5, 2.0), -1.0)],
    "exchanged_at_a_break": [(1.5, 5), (0.25, 2), (1.5, 0)],
    "exchanged_in_the_inner_loop": [(0.75, 3), (0.75, 4), (0.75, 0)],
    "nested_steady": [(m.Model(LAYER, LAYER), 9)],
    "rebound_beside": [(0.75, 3), (0.75, 0)],
}
EACH = [pytest.param(name, args, id=f"{name}-{k}") for name, every in CASES.items() for k, args in enumerate(every)]
SCOPE = StaticModule(SourceFile(m.__file__, Path(m.__file__).read_text(encoding="utf-8"))).scope


def compiled(name):
    return linear_grad(getattr(m, name), backend="interpret", cache=False)


@pytest.mark.parametrize(("name", "args"), EACH)
def test_programs_mean_what_they_say(name, args):
    f = compiled(name)
    expected = attempt(lambda: run(getattr(m, name), args))
    assert expected.error is None
    assert difference(expected, Ended(f(*args)), rtol=1e-6) is None


@pytest.mark.parametrize(("name", "args"), EACH)
def test_cores_are_well_formed_and_linear(name, args):
    f = compiled(name)
    s = f.specialisation(f._arguments(args, {}))
    program = checked_or_error(s.record, s.binding, s.options).program
    assert verify(program) == []
    check_linear(linearise(program))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "args"), [p for p in EACH if p.values[0] != "defaults"])
def test_gradients_are_those_of_dual_numbers(name, args):
    f, plain = compiled(name), getattr(m, name)
    value, pullback = f.vjp(*args)
    rng = np.random.default_rng(0)

    def seed(x):
        if isinstance(x, np.ndarray):
            return rng.standard_normal(x.shape).astype(x.dtype)
        return x if isinstance(x, (int, np.integer)) else type(x)(rng.standard_normal())

    cotangent = map_leaves(seed, value)
    _, expected = dual.vjp(plain, args, cotangent)
    assert_same(pullback(cotangent), expected)
    tangents = tuple(map_leaves(seed, a) if has_float(a) else None for a in args)
    _, pushed = f.jvp(args, tangents)
    assert_same(pushed, dual.jvp(plain, args, tangents)[1])


def assert_same(ours, theirs):
    a, b = leaves(ours), leaves(theirs)
    assert len(a) == len(b)
    assert_classes(ours, theirs)
    for x, y in zip(a, b, strict=True):
        if y is None:
            assert x is None
        else:
            assert np.shape(x) == np.shape(y)
            np.testing.assert_allclose(x, y, rtol=1e-6 if np.asarray(x).dtype == np.float64 else 1e-5)


def assert_classes(ours, theirs):
    one, other = parts(ours), parts(theirs)
    assert (one is None) == (other is None)
    if one is not None:
        assert type(ours) is type(theirs)
        for x, y in zip(one, other, strict=True):
            assert_classes(x, y)


ANNOTATED = ["reads", "nested", "makes_nested", "carried_by_while", "fields_swapped", "replaced", "tuple_of_records", "single", "inherits", "derives", "makes_derived", "empty_fields", "constants"]


@pytest.mark.parametrize("name", ANNOTATED)
def test_the_text_alone_says_what_the_live_module_says(name):
    static = check(SCOPE.lookup(name).function, {})
    assert static.diagnostics == () and static.missing == ()
    f = compiled(name)
    f.specialisation(CASES[name][0])
    live = f.signature
    assert static.signature.params == live.params or spelled(static.signature.params) == spelled(live.params)
    assert spelled(static.signature.result) == spelled(live.result)


def spelled(structure):
    """A structure without the module that its classes are in."""
    match structure:
        case RecordStructure(tag=tag, items=items):
            return (tag.name, tag.fields, tag.named_tuple, *map(spelled, items))
        case tuple():
            return tuple(map(spelled, structure))
    return spelled(structure.structure) if hasattr(structure, "structure") else structure


@pytest.mark.parametrize("name", [n for n in CASES if n not in ANNOTATED])
def test_the_text_alone_reports_nothing_of_what_is_right(name):
    assert [d for d in check(SCOPE.lookup(name).function, {}).diagnostics if d.severity == "error"] == []
