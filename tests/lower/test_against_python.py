"""Lowered programs in the reference interpreter against CPython on the same text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linad import interpret, oracle
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.signature import ArgType, Leaf
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.types import Array, Scalar

from . import programs, programs_calls, programs_comprehensions


def scope_of(module):
    file = Path(module.__file__)
    return StaticModule(SourceFile(str(file), file.read_text(encoding="utf-8"))).scope


SCOPES = {module: scope_of(module) for module in (programs, programs_calls, programs_comprehensions)}
DTYPES = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "bool": "bool"}


def arg_type(v):
    if isinstance(v, tuple):
        return tuple(map(arg_type, v))
    if isinstance(v, np.ndarray):
        return ArgType(Array(DTYPES[v.dtype.name], v.ndim))
    if isinstance(v, np.generic):
        return ArgType(Scalar(DTYPES[v.dtype.name]))
    return ArgType(Scalar({bool: "bool", int: "i64", float: "f64"}[type(v)]), True)


def module_of(name):
    return next(m for m in SCOPES if hasattr(m, name))


def lowered(name, args):
    f = getattr(module_of(name), name)
    source = SCOPES[module_of(name)].lookup(name).function
    params = f.__code__.co_varnames[: f.__code__.co_argcount]
    return check(source, dict(zip(params, map(arg_type, args))))


def structured(s, flat):
    if s is None:
        return None
    if isinstance(s, Leaf):
        return flat[s.index]
    return tuple(structured(x, flat) for x in s)


def flattened(args):
    for a in args:
        yield from flattened(a) if isinstance(a, tuple) else (a,)


def interpreted(checked, args):
    hidden = [getattr(programs, key.rpartition(":")[2]) for key in checked.signature.hidden]
    done = interpret.run(checked.program, [*flattened(args), *hidden])
    return structured(checked.signature.result, done.results)


V = np.array([0.5, -1.5, 2.0, 3.25, 0.75])
W = np.array([1.0, 2.0, -0.5, 0.25])
M = np.arange(6.0).reshape(2, 3) - 1.5
CASES = {
    "polynomial": [(2.0,), (3,), (np.float32(1.5),)],
    "integers": [(7, 3), (-7, 3), (7, -3), (np.int32(9), 4), (np.int64(5), np.int32(2))],
    "mixed": [(3, 2.5), (3, -2.5)],
    "comparisons": [(1.0, 2.0), (0.0, 0.0), (4.0, 1.0), (2, 3.5)],
    "ternary": [(1.0, 2.0), (-1.0, -2.0), (0.0, 3.0)],
    "builtin_functions": [(-2.5, 1.0, 7), (3.5, 4.5, 0), (2.5, 0.5, -4)],
    "math_functions": [(0.7,), (2.5,), (-0.5,)],
    "numpy_functions": [(0.7, 0.2), (2.5, 3.0), (-0.5, 2.0), (float("nan"), 1.0)],
    "enumerate_zip": [(V, W), (W, V)],
    "ranges": [(5,), (1,), (0,)],
    "undefined_after_if": [(1.0,), (-1.0,)],
    "unrolled": [(1.5,)],
    "while_break": [(1,), (27,)],
    "early_return": [(V, 0.5), (V, 100.0)],
    "nested_return": [(V, 5.0), (V, 1e9), (W, 1.5), (-V, 0.1), (V * 0 + 1, 3.0)],
    "return_array": [(V, True), (V, False)],
    "if_chain": [(-2.0,), (-0.5,), (0.5,), (5.0,), (50.0,)],
    "mixed_exits": [(3.5, 10), (30.0, 10), (0.1, 5)],
    "matrix": [(M,)],
    "float_into_int": [(2.7,), (-2.7,)],
    "float32_cells": [(0.1,)],
    "constructors": [(3, 1.5), (1, 2.0)],
    "fill_method": [(3, 1.5)],
    "rank0": [(1.5,)],
    "helpers": [(V,)],
    "closure": [(1.5, 2.0)],
    "recursion": [(6, 1.5), (1, 2.0)],
    "more_recursion": [(5, 1.5)],
    "ternary_fact": [(4, 2.0)],
    "doubled": [(4, 2.0)],
    "summed": [(3, 2.0)],
    "weighted": [(2, 2.0), (3, 2.0)],
    "tuples": [(1.5, 2.5)],
    "walrus": [(1.0,), (2.0,)],
    "order": [(V, 0), (V, 2)],
    "raising": [(4.0,), (-1.0,), (200.0,), (3.0,)],
    "raise_else": [(3,), (2,), (1,)],
    "uses_none": [(2.0,)],
    "rebound_by_inner_functions": [(np.array([1.5, -0.5, 2.0]), 0.3)],
    "rebound_by_recursion": [(np.array([1.5, -0.5, 2.0]),)],
    "power_by_float": [(2.0, 3.0), (-8.0, 0.5), (0.0, 2.0)],
    "int_to_a_negative_power": [(4, 2.0), (-3, 1.5)],
    "multi_assign": [(2.0,)],
    "sums": [(V, 4), (V, 0), (V.astype(np.float32), 3), (np.array([1, 2]), 2)],
    "extremes": [(V,), (V.astype(np.float32),), (np.array([3, -2]),)],
    "or_default": [(V, 1.0), (V, -9.0), (V, 9.0)],
    "questions": [(V, 1.0), (V, -9.0), (V, 9.0)],
    "stops_early": [(V, 1.0), (V, 100.0)],
    "hides_names": [(V, 3)],
    "arrays_of": [(V, 3), (V, 0), (V, 9)],
    "aranges": [(1, 5, 2), (4, -3, -2), (0, 5, 0), (0.5, 4.0, 0.3), (0.0, 1.0, float("nan")), (1.0, 2.0, float("inf")), (5, 2.5, 1)],
    "arange_types": [(3,), (0,), (-2,)],
    "linspaces": [(0.5, 2.0, 5), (1, 4, 1), (1.0, 1.0, 3), (0.0, 1.0, 0), (0.0, 1.0, -1)],
    "eyes": [(3, 2), (0, 1), (2, 4), (-1, 2)],
    "same_array": [(V,)],
    "conversions": [(2.7,), (-2.5,), (float("nan"),), (float("inf"),), (-float("inf"),), (3,)],
    "to_cell": [(2.7,), (float("nan"),), (float("inf"),), (1e30,)],
    "digits": [(2.671, 5), (-0.05, 2), (1234.5678, 0)],
    "halves": [(2.6, 7), (-2.6, -7)],
    "update_order": [(V, 1, 1), (V, 7, 1), (V, 7, 5), (V, 1, 5), (V, 7, 0), (V, 0, 0)],
    "update_after_store": [(V,)],
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name,args", [(n, a) for n, cases in CASES.items() for a in cases], ids=lambda v: v if isinstance(v, str) else "")
def test_same_as_python(name, args):
    checked = lowered(name, args)
    assert checked.program is not None, [f"{d.span.line}: {d.message}" for d in checked.diagnostics]
    assert not [d for d in checked.diagnostics if d.severity == "error"]
    assert verify(checked.program) == []
    check_linear(linearise(checked.program))
    ours = oracle.attempt(lambda: interpreted(checked, args))
    theirs = oracle.attempt(lambda: oracle.run(getattr(module_of(name), name), args))
    assert oracle.difference(ours, theirs) is None


def test_every_program_is_run():
    helpers = ("helper_", "pair_of", "bump_first", "none_default", "math_cube", "apply", "fact", "even", "odd", "recursive_update")
    functions = [n for m in SCOPES for n, f in vars(m).items() if callable(f) and getattr(f, "__module__", "") == m.__name__]
    assert {n for n in functions if not n.startswith(helpers)} == {n for n in CASES if not n.startswith(helpers)}
