"""ADBench: every style meets the references, C by hand agrees, and the reports say what was measured."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.adbench import measure, native, report

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from adbench import bundle, problems

THOROUGH = {"gmm_1k_d10_K25", "hand_complicated_small_c100"}
CASES = [
    pytest.param(name, style, marks=pytest.mark.thorough if name in THOROUGH else (), id=f"{name}-{style}")
    for name in problems.available()
    for style in problems.from_file(name).styles
    if (problems.from_file(name).kind, style) != ("gmm", "loops")  # tests/examples/test_gmm.py
]


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("name", "style"), CASES)
def test_value_and_gradient_are_the_reference(name: str, style: str) -> None:
    problem = problems.from_file(name)
    value, gradient = problem.styles[style].value_and_grad(*problem.args)
    of_value, of_gradient = problems.errors(problem, value, gradient)
    assert of_value <= 1e-12 and of_gradient <= 1e-11


def test_a_wrong_gradient_is_noticed() -> None:
    problem = problems.from_file("lstm_l2_c1024")
    value, *gradient = problem.reference
    assert problems.errors(problem, value, tuple(gradient)) == (0.0, 0.0)
    assert problems.errors(problem, value, (1.001 * gradient[0], gradient[1]))[1] == pytest.approx(1e-3)


def test_residuals_and_their_pullback_are_the_reference() -> None:
    reference = problems.found("ba_gen0_n5_m20_p100.ref")
    args = problems.from_file("ba_gen0_n5_m20_p100").args
    value, back = bundle.residuals.vjp(*args)
    np.testing.assert_allclose(value, reference["reproj_err"], rtol=1e-12)
    cotangent = np.sin(np.arange(value.size, dtype=float)).reshape(value.shape)
    for got, name in zip(back(cotangent), ("cams", "X", "w")):
        want = reference[f"JT_sin_{name}"]
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-11 * np.abs(want).max())


def test_random_problems_are_those_of_the_files() -> None:
    got = problems.bundle_random(5, 20, 100, seed=0).args
    for a, b in zip(got, problems.from_file("ba_gen0_n5_m20_p100").args):
        np.testing.assert_array_equal(a, b)


@pytest.mark.one_in(3)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", problems.SHIPPED)
def test_c_by_hand_is_the_reference(name: str) -> None:
    problem = problems.from_file(name)
    bars = [np.zeros_like(a) for a in problem.args[: problem.active]]
    primal, adjoint = native.calls(problem.kind, problem.args, bars)
    value = adjoint()
    assert primal() == pytest.approx(value, rel=1e-14)
    of_value, of_gradient = problems.errors(problem, value, tuple(bars))
    assert of_value <= 1e-12 and of_gradient <= 1e-11


def test_rows_are_chosen_by_parts_of_their_titles() -> None:
    assert list(measure.chosen(["hand simple"])) == ["HAND simple"]
    assert len(measure.chosen(["GMM*d=10 *"])) == 2
    assert not measure.chosen(["nothing"])


def test_the_reports_have_all_contenders() -> None:
    times = {measure.PRIMAL: 1e-3, measure.C: 2e-3, "loops": 1.5e-3, "JAX": 4e-3}
    row = measure.Row("GMM <small>", times, {"loops": 1e-3}, {"loops": 1.25}, {"PyTorch": "TypeError"})
    text = report.markdown([row], "picture.png")
    assert "| GMM <small> | 1 ms | 2.00 | 1.50 | 4.00 | TypeError |" in text
    drawn = report.picture([row])
    assert drawn.startswith(b"\x89PNG")
    page = report.page([row], drawn)
    assert "GMM &lt;small&gt;" in page and "data:image/png;base64,iVBOR" in page and "http" not in page
