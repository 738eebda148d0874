"""The three examples from the sciences at small sizes: against programs of others, found again, and drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import bundle_adjustment
import heat_inverse
import heat_model
import kalman_fit
import kalman_model
import look
from rich.console import Console


def nowhere(count: int, total: int, numbers: str) -> None:
    """Progress that nobody looks at."""


def is_picture(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG")


def within(rows: list[tuple[str, str, float, float]]) -> bool:
    return all(error <= allowed for *_, error, allowed in rows)


@pytest.mark.parametrize("checks", [
    pytest.param(lambda: heat_inverse.checks(heat_inverse.plate(12, 60)), id="heat"),
    pytest.param(lambda: kalman_fit.checks(kalman_fit.swinging(60)[1]), id="kalman", marks=pytest.mark.thorough),
    pytest.param(bundle_adjustment.checks, id="bundle", marks=pytest.mark.thorough),
])  # fmt: skip
def test_checks_of_the_examples_pass(checks) -> None:
    rows = checks()
    assert len(rows) >= 3
    assert within(rows), rows


def test_a_wrong_number_is_told(capsys) -> None:
    assert look.all_good(Console(), "good", [("a", "b", 1e-13, 1e-12)])
    assert not look.all_good(Console(), "bad", [("a", "b", 1e-13, 1e-12), ("c", "d", 2e-12, 1e-12)])
    assert "WRONG" in capsys.readouterr().out


# ---------------------------------------------------------------------------------------------------------------- heat


def test_a_wrong_gradient_of_the_plate_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Off:
        def value_and_grad(self, *args):
            value, gradient = heat_model.misfit.value_and_grad(*args)
            return value, 1.0001 * gradient

        def __call__(self, *args):
            return heat_model.misfit(*args)

    monkeypatch.setattr(heat_inverse, "misfit", Off())
    assert not within(heat_inverse.checks(heat_inverse.plate(10, 8)))


def test_heat_is_kept() -> None:
    p = heat_inverse.plate(9, 30)
    ends = heat_inverse.simulate(p.log_k, p.heated, p.dt, p.steps)
    np.testing.assert_allclose(ends.sum((1, 2)), p.heated.sum((1, 2)), rtol=1e-12)


def test_plain_python_gives_the_compiled_misfit() -> None:
    p = heat_inverse.plate(7, 5)
    assert heat_model.misfit(p.log_k, *p.rest) == pytest.approx(heat_model.misfit.py_func(p.log_k, *p.rest), rel=1e-12)


def test_the_conductivity_is_found_again_and_drawn(tmp_path: Path) -> None:
    p = heat_inverse.plate(16, 50, noise=1e-3)
    found = heat_inverse.fit(p, nowhere, iterations=60)
    assert found.history[-1] < 0.05 * found.history[0]
    off, flat = (np.sqrt(np.mean((a - p.log_k) ** 2)) for a in (found.log_k, 0.0))
    assert off < 0.35 * flat
    assert is_picture(heat_inverse.draw(p, found, tmp_path / "heat.png"))


# -------------------------------------------------------------------------------------------------------------- Kalman


def test_the_nile_has_the_variances_of_the_book() -> None:
    assert len(kalman_fit.NILE) == 100
    nile = kalman_fit.fit(kalman_model.local_level, kalman_model.Walk(6.0, 9.0), (kalman_fit.NILE,), nowhere)
    np.testing.assert_allclose(np.exp(nile.theta), np.exp(kalman_fit.DURBIN_KOOPMAN), rtol=2e-3)


@pytest.mark.thorough
def test_the_swing_has_the_parameters_that_it_was_made_with(tmp_path: Path) -> None:
    states, y = kalman_fit.swinging(200)
    found = kalman_fit.fit(kalman_model.swing_likelihood, kalman_model.Swing(1.0, -1.0, 0.3, -1.0, -3.0), (y, kalman_fit.DT), nowhere)
    assert np.all(np.abs(np.array(found.theta) - kalman_fit.TRUTH) < 4.0 * found.errors)
    nile = kalman_fit.fit(kalman_model.local_level, kalman_model.Walk(6.0, 9.0), (kalman_fit.NILE,), nowhere)
    assert is_picture(kalman_fit.draw(nile, found, states, y, tmp_path / "kalman.png"))


def test_the_filter_agrees_with_filterpy() -> None:
    kalman = pytest.importorskip("filterpy.kalman")
    theta, y = kalman_model.Swing(1.0, -1.0, 0.3, -1.0, -3.0), kalman_fit.swinging(50)[1]
    F, H, Q, R, mean, covariance = kalman_model.swing(theta, kalman_fit.DT)
    theirs = kalman.KalmanFilter(dim_x=4, dim_z=2)
    theirs.F, theirs.H, theirs.Q, theirs.R, theirs.x, theirs.P = F, H, Q, R, mean[:, None], covariance
    total = 0.0
    for measured in y:
        theirs.update(measured[:, None])
        total += theirs.log_likelihood
        theirs.predict()
    assert kalman_model.swing_likelihood.value_and_grad(theta, y, kalman_fit.DT)[0] == pytest.approx(total, rel=1e-9)


# -------------------------------------------------------------------------------------------------------------- bundle


def test_the_jacobian_has_the_sums_that_adbench_tells() -> None:
    scene, expected = bundle_adjustment.adbench()
    errors, found = bundle_adjustment.blocks(scene)
    np.testing.assert_allclose(np.sum(found**2), expected["J_sqsum"], rtol=1e-12)
    np.testing.assert_allclose(found @ np.cos(np.arange(15.0)), expected["J_dot_cos"], rtol=1e-9)
    values, J = bundle_adjustment.jacobian(scene)
    assert J.shape == (2 * len(scene.obs), scene.unknowns.size)
    np.testing.assert_array_equal(values, errors.ravel())
    weights = np.sin(np.arange(J.shape[0]))
    expected_rows = np.concatenate([expected["JT_sin_cams"].ravel(), expected["JT_sin_X"].ravel()])
    np.testing.assert_allclose(J.T @ weights, expected_rows, rtol=1e-9, atol=1e-9 * np.abs(expected_rows).max())


def test_a_camera_that_does_not_turn_has_a_jacobian_too() -> None:
    scene, _ = bundle_adjustment.adbench()
    cameras = scene.cameras.copy()
    cameras[0, :3] = 0.0
    scene = bundle_adjustment.Scene(cameras, scene.points, scene.weights, scene.pixels, scene.obs)
    _, J = bundle_adjustment.jacobian(scene)
    step = 1e-6 * np.random.default_rng(3).standard_normal(J.shape[1])
    up, down = (bundle_adjustment.by_scipy(scene.at(scene.unknowns + sign * step)).ravel() for sign in (1, -1))
    assert bundle_adjustment.error(J @ step, (up - down) / 2.0) < 1e-6


def test_cameras_and_points_are_found_again_and_drawn(tmp_path: Path) -> None:
    truth, start = bundle_adjustment.staircase(6, 60)
    found, history = bundle_adjustment.levenberg_marquardt(start, nowhere, 15)
    assert history[-1] < 1e-3 * history[0]
    assert history[-1] <= 1.01 * bundle_adjustment.by_least_squares(start)
    off = bundle_adjustment.aligned(found.points, truth.points, found.points) - truth.points
    assert np.sqrt(np.mean(off**2)) < 0.02
    assert is_picture(bundle_adjustment.draw(truth, start, found, history, tmp_path / "bundle.png"))
