"""Vector math functions: as precise as libm to a few units, special values included, and in vector form in loops."""

import numpy as np
import pytest
from linad_typecheck.core import Let
from linad_typecheck.types import F64

from linad.emit import EmitOptions, emit
from linad.emit.vector_math import FUNCTIONS, choice

from .roads import call, machine
from .test_operations import elementwise


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_values_and_vector_form(tmp_path):
    lets = [(lambda r, a, b, f=f: Let(r, f, (a,)), F64) for f in FUNCTIONS]
    x = np.array([*np.linspace(-0.9, 5.0, 40), np.inf, -np.inf, np.nan, 0.0])
    libm, vector = (emit(elementwise(lets, F64), EmitOptions(vector_math=v)) for v in ("libm", "libmvec"))
    assert "math.exp" not in vector.source
    driver = machine(vector, tmp_path)
    for name, a, b in zip(
        FUNCTIONS,
        call(machine(libm, tmp_path), libm, (x, x)),
        call(driver, vector, (x, x)),
        strict=True,
    ):
        np.testing.assert_allclose(b, a, rtol=4e-15, atol=1e-15, err_msg=name)
    one = emit(elementwise(lets[:1], F64), EmitOptions(vector_math="libmvec"))
    text = machine(one, tmp_path).inspect_asm().values()
    assert any("_ZGVdN4v_exp" in t for t in text)


def test_without_the_library_generated_code_is_that_of_libm():
    g = emit(elementwise([(lambda r, a, b: Let(r, "exp", (a,)), F64)], F64), EmitOptions(vector_math="libm"))
    assert "math.exp(" in g.source
    assert "vector" not in g.source
