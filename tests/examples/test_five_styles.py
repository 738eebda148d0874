"""The styles of each program mean the same, interpreted, as CPython and by finite differences."""

import numpy as np
import pytest

from benchmarks.five_styles import cases, measure
from linad import linear_grad

ARGUMENTS = cases.arguments(tiny=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", cases.WHAT)
def test_styles_agree(name):
    args, first = ARGUMENTS[name], None
    for style in cases.STYLES:
        f = cases.function(name, style)
        value, grads = linear_grad(f, backend="interpret").value_and_grad(*args)
        np.testing.assert_allclose(value, f(*args), rtol=1e-12)
        grads = grads if isinstance(grads, tuple) else (grads,)
        first = first or (value, grads)
        np.testing.assert_allclose(value, first[0], rtol=1e-9)
        for one, other in zip(grads, first[1], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-10)


def test_every_program_has_every_style():
    assert ARGUMENTS.keys() == cases.WHAT.keys() and len(cases.WHAT) == 20 and len(cases.STYLES) == 5


def test_the_table_says_what_is_beyond_the_target():
    row = measure.Row("words", {style: 1.0 + 0.2 * k for k, style in enumerate(cases.STYLES)})
    text = measure.table([row])
    assert "**1.40**" in text and "Of 5, 3 are above 1.3." in text and "**1.20**" not in text
