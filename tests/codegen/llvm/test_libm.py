"""Which of libm's functions machine code calls."""

import ctypes
import math

import llvmlite.binding as llvm
import numpy as np
import pytest
from linad_typecheck.ir.core import Let
from linad_typecheck.types import F64

from linad.codegen import EmitOptions, emit
from linad.codegen.compile import LIBM
from tests.codegen.roads import call, machine
from tests.codegen.test_operations import elementwise


def test_those_of_today(tmp_path):
    """Numba's own library was linked with an old glibc, and its functions are slower."""
    try:
        library = ctypes.CDLL(LIBM)
    except OSError:
        pytest.skip("no glibc")
    names = ("exp", "log", "pow")
    lets = [(lambda r, a, b: Let(r, "exp", (a,)), F64), (lambda r, a, b: Let(r, "log", (a,)), F64), (lambda r, a, b: Let(r, "pow", (a, b)), F64)]
    g = emit(elementwise(lets, F64), EmitOptions(vector_math="libm"))
    x = np.array([0.0, 1.0, 2.5, 750.0, np.inf, np.nan])
    exp, log, power = call(machine(g, tmp_path), g, (x, x))
    np.testing.assert_array_equal(exp[[0, 3, 4]], [1.0, math.inf, math.inf])
    np.testing.assert_array_equal(log[[0, 1, 4]], [-math.inf, 0.0, math.inf])
    np.testing.assert_array_equal(power[[0, 1, 3]], [1.0, 1.0, math.inf])
    for name in names:
        assert llvm.address_of_symbol(name) == ctypes.cast(getattr(library, name), ctypes.c_void_p).value
