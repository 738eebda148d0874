"""The mixture example: its objective is ADBench's, its gradient is right, its fit climbs and its pictures are drawn."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import gmm_fit
import gmm_model
import gmm_plot
from rich.console import Console
from rich.progress import Progress

NAMES = ("gmm_1k_d2_K5", "gmm_1k_d10_K25")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_plain_python_gives_the_shipped_value(name: str) -> None:
    problem = gmm_model.adbench(name)
    value = gmm_model.gmm_objective.py_func(*problem.start, *problem.rest(gmm_fit.LIKE_ADBENCH))
    assert value == pytest.approx(gmm_model.adbench_reference(name)[0], rel=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_value_and_gradient_are_the_shipped_ones(name: str) -> None:
    assert gmm_fit.against_reference(gmm_model.adbench(name)) <= 1e-11


def test_posterior_gradient_agrees_with_differences() -> None:
    assert gmm_fit.against_differences(gmm_model.adbench("gmm_1k_d2_K5")) <= 1e-7


def test_a_wrong_gradient_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Off:
        def value_and_grad(self, *args):
            value, (alphas, means, icf) = gmm_model.gmm_objective.value_and_grad(*args)
            return value, (alphas, 1.0001 * means, icf)

        def grad(self, *args):
            return self.value_and_grad(*args)[1]

        def __call__(self, *args):
            return gmm_model.gmm_objective(*args)

    monkeypatch.setattr(gmm_fit, "gmm_objective", Off())
    console = Console(file=io.StringIO())
    assert not gmm_fit.check([gmm_model.adbench("gmm_1k_d2_K5")], console)


def test_the_fit_climbs_and_is_drawn(tmp_path: Path) -> None:
    with Progress(console=Console(file=io.StringIO())) as progress:
        found = gmm_fit.fit(gmm_model.pinwheel(), progress, iterations=15)
    assert found.history[-1] > found.history[0] + 100.0
    assert np.all(np.diff(found.history) >= 0.0)
    for picture in (gmm_plot.draw_fits([found, found], tmp_path / "a.png"),
                    gmm_plot.draw_convergence([found], tmp_path / "b.png")):
        assert picture.read_bytes().startswith(b"\x89PNG")
