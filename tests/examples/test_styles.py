"""Three ways to write a function are one function: the same value and the same gradient."""

import numpy as np
import pytest

from benchmarks import compiling, styles
from linad import linear_grad


@pytest.mark.parametrize("name", styles.CASES)
def test_styles_agree(name):
    args = styles.arguments(name, 12, 5)
    found = []
    for style in styles.STYLES:
        value, grads = linear_grad(styles.function(name, style), backend="interpret").value_and_grad(*args)
        found.append((value, *(grads if isinstance(grads, tuple) else (grads,))))
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)


def test_a_judge_can_be_disappointed():
    row = styles.Row("heat", {"loops": 1.0, "numpy": 1.2, "combined": 2.0})
    assert "Beyond it: twenty steps of a heat equation (combined)." in styles.table([row])


def test_the_large_program_is_large_and_goes_through_every_stage():
    text = compiling.program()
    assert 290 <= text.count("\n") <= 310
    assert text.count("v39") > 0
    small = list(compiling.measure(compiling.program(70, 6), machine=False))
    assert [s.name for s in small][-1] == "emit"
    assert len(small) == compiling.STAGES - len(compiling.MACHINE)
