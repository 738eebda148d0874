"""Steps and logged words of gradients are affine in the size, and the sweep tells a curve that is not."""

import pytest

from benchmarks import sweep

WORDS = {"logistic": (0, 0), "recurrence": (1, 1), "heat": (10, -20), "mixture": (0, 0)}


@pytest.mark.parametrize("name", sweep.PROGRAMS)
def test_steps_and_words_are_affine(name: str) -> None:
    steps, words = sweep.formulas(name)
    assert steps.each > 0
    assert (words.each, words.once) == WORDS[name]


def test_other_curves_are_refused() -> None:
    assert str(sweep.formula(lambda n: 3 * n - 2)) == "3 n - 2"
    with pytest.raises(AssertionError, match="not on the line"):
        sweep.formula(lambda n: n * n)


def test_a_curve_has_its_sizes() -> None:
    points = list(sweep.measure("logistic", (1, 10), rounds=1))
    assert [p.size for p in points] == [1, 10]
    assert all(p.value > 0.0 and p.gradient > 0.0 for p in points)
