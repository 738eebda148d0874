"""Fit state-space models by the gradient of the Kalman filter.

Run it with `make kalman`, or with `python examples/kalman_fit.py` where linad is installed with its `examples` extra. It

1. checks the likelihood of the filter against the joint normal density of all measurements, and its gradient against finite
   differences,
2. fits the local level model to a hundred years of the Nile and meets the variances in the book of Durbin and Koopman,
3. finds stiffness, damping, sideways force and both noises of a body that swings on a spring, from noisy positions alone,
4. draws both into `examples/output/`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from kalman_model import Model, Swing, Walk, local_level, swing, swing_likelihood
from look import (
    BLUE,
    MUTED,
    ORANGE,
    OUTPUT,
    POINT,
    STYLE,
    all_good,
    compiling,
    console_of,
    progress_on,
    quickest,
)
from rich.table import Table
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

# Yearly flow of the Nile at Aswan, 1871 to 1970, in 10^8 cubic metres (Cobb 1978), as in every textbook.
NILE = np.array(["1120", "1160", "963", "1210", "1160", "1160", "813", "1230", "1370", "1140", "995", "935", "1110", "994", "1020", "960", "1180", "799", "958", "1140", "1100", "1210", "1150", "1250", "1260", "1220", "1030", "1100", "774", "840", "874", "694", "940", "833", "701", "916", "692", "1020", "1050", "969", "831", "726", "456", "824", "702", "1120", "1100", "832", "764", "821", "768", "845", "864", "862", "698", "845", "744", "796", "1040", "759", "781", "865", "845", "944", "984", "897", "822", "1010", "771", "676", "649", "846", "812", "742", "801", "1040", "860", "874", "848", "890", "744", "749", "838", "1050", "918", "986", "797", "923", "975", "815", "1020", "906", "901", "1170", "912", "746", "919", "718", "714", "740"], dtype=float)[:, None]  # fmt: skip
DURBIN_KOOPMAN = Walk(np.log(1469.1), np.log(15099.0))
TRUTH = Swing(np.log(4.0), np.log(0.25), 0.6, np.log(0.4), np.log(0.02))
DT = 0.1


@dataclass(frozen=True)
class Fit:
    theta: tuple[float, ...]
    errors: np.ndarray
    history: tuple[float, ...]


def swinging(steps: int = 400, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """States and measurements drawn from the model."""
    rng = np.random.default_rng(seed)
    F, H, Q, R, mean, covariance = swing(TRUTH, DT)
    x, states, measured = rng.multivariate_normal(mean, covariance), [], []
    for _ in range(steps):
        states.append(x)
        measured.append(H @ x + rng.multivariate_normal(np.zeros(2), R))
        x = F @ x + rng.multivariate_normal(np.zeros(4), Q)
    return np.array(states), np.array(measured)


def joint_density(model: Model, y: np.ndarray) -> float:
    """The same logarithm without a filter: all measurements are one normal vector, whose covariance is written out."""
    F, H, Q, R, mean, covariance = model
    steps, m = y.shape
    means, covariances = [mean], [covariance]
    for _ in range(steps - 1):
        means.append(F @ means[-1])
        covariances.append(F @ covariances[-1] @ F.T + Q)
    whole = np.zeros((steps, m, steps, m))
    for s in range(steps):
        across = covariances[s]
        for t in range(s, steps):
            whole[t, :, s, :] = H @ across @ H.T
            whole[s, :, t, :] = whole[t, :, s, :].T
            across = F @ across
        whole[s, :, s, :] += R
    centre = np.concatenate([H @ x for x in means])
    return float(multivariate_normal(centre, whole.reshape(steps * m, steps * m)).logpdf(y.ravel()))


def against_differences(f, theta, *rest) -> float:
    """Largest error of the gradient, relative to its largest entry."""
    gradient, point = np.array(f.value_and_grad(theta, *rest)[1]), np.array(theta)
    moved = [[f.value_and_grad(type(theta)(*(point + sign * 1e-5 * e)), *rest)[0] for sign in (1, -1)] for e in np.eye(len(point))]
    return float(np.abs(gradient - [(up - down) / 2e-5 for up, down in moved]).max() / np.abs(gradient).max())


def checks(y: np.ndarray) -> list[tuple[str, str, float, float]]:
    short, away = y[:40], Swing(*(np.array(TRUTH) + 0.3))
    value, _ = swing_likelihood.value_and_grad(away, short, DT)
    return [
        ("likelihood of the filter", "joint density, scipy.stats", abs(value / joint_density(swing(away, DT), short) - 1.0), 1e-10),
        ("gradient, swing", "finite differences", against_differences(swing_likelihood, away, y, DT), 1e-6),
        ("gradient, local level", "finite differences", against_differences(local_level, Walk(6.0, 9.0), NILE), 1e-6),
    ]


def fit(f, start, rest: tuple, bar, iterations: int = 100) -> Fit:
    """Climb the log-likelihood; standard errors from the curvature there, by differences of the gradient."""
    kind, history = type(start), []

    def descend(point: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = f.value_and_grad(kind(*point), *rest)
        return -value, -np.array(gradient)

    def report(intermediate_result) -> None:
        history.append(-float(intermediate_result.fun))
        bar(len(history), iterations, f"log likelihood {history[-1]:10.3f}")

    history.append(-descend(np.array(start))[0])
    found = minimize(descend, np.array(start), jac=True, method="BFGS", callback=report, options={"maxiter": iterations, "gtol": 1e-4})
    bar(len(history), len(history), f"log likelihood {history[-1]:10.3f}")
    curvature = np.array([descend(found.x + 1e-4 * e)[1] - descend(found.x - 1e-4 * e)[1] for e in np.eye(len(found.x))]) / 2e-4
    return Fit(kind(*found.x), np.sqrt(np.diag(np.linalg.inv(0.5 * (curvature + curvature.T)))), tuple(history))


def filtered(model: Model, y: np.ndarray) -> np.ndarray:
    """Means of the state after each measurement, for the pictures."""
    F, H, Q, R, x, P = model
    means = []
    for measured in y:
        gain = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
        x, P = x + gain @ (measured - H @ x), P - gain @ H @ P
        means.append(x)
        x, P = F @ x, F @ P @ F.T + Q
    return np.array(means)


def draw(nile: Fit, found: Fit, states: np.ndarray, y: np.ndarray, path: Path) -> Path:
    level = np.exp(nile.theta)
    one = np.eye(1)
    smooth = filtered(Model(one, one, level[0] * one, level[1] * one, np.zeros(1), 1e7 * one), NILE)
    track = filtered(swing(found.theta, DT), y)
    with plt.rc_context(STYLE):
        figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15.2, 4.6), layout="constrained", width_ratios=[1.25, 1, 0.9])
        years = 1871 + np.arange(len(NILE))
        left.plot(years, NILE, ".", color=POINT, ms=4, alpha=0.6, label="measured")
        left.plot(years, smooth, color=BLUE, lw=1.8, label="level, filtered")
        left.set(title="The Nile at Aswan", ylabel="10⁸ m³ a year", ylim=(420, 1420))
        left.legend(frameon=False, fontsize=8.5)
        first = slice(0, 80)
        middle.plot(*y[first].T, ".", color=POINT, ms=3.5, alpha=0.5, label="measured")
        middle.plot(*states[first, ::2].T, color=ORANGE, lw=2.4, alpha=0.6, label="true path")
        middle.plot(*track[first, ::2].T, color=BLUE, lw=1.1, label="filtered, parameters found")
        middle.set(title="A body on a spring", aspect="equal")
        middle.legend(frameon=False, fontsize=8.5, loc="lower left")
        at = np.arange(len(TRUTH))
        right.axvline(0.0, color=MUTED, lw=0.8)
        right.errorbar(np.array(found.theta) - np.array(TRUTH), at, xerr=2.0 * found.errors, fmt="o", color=BLUE, lw=1.6, ms=4)
        right.set(yticks=at, yticklabels=Swing._fields, xlabel="found minus true", title="Parameters, two standard errors")
        right.invert_yaxis()
        figure.savefig(path)
        plt.close(figure)
    return path


def summary(nile: Fit, found: Fit) -> Table:
    table = Table(title="Found", title_justify="left")
    for heading in ("parameter", "found", "standard error", "expected"):
        table.add_column(heading, justify="left" if heading == "parameter" else "right")
    for name, value, error, book in zip(("Nile: variance of the level", "Nile: variance of the noise"), np.exp(nile.theta), nile.errors,
                                        np.exp(DURBIN_KOOPMAN), strict=True):
        table.add_row(name, f"{value:,.1f}", f"{value * error:,.1f}", f"{book:,.1f} (Durbin and Koopman)")
    for name, value, error, true in zip(Swing._fields, found.theta, found.errors, TRUTH, strict=True):
        table.add_row(f"swing: {name}", f"{value:.3f}", f"{error:.3f}", f"{true:.3f} (true)")
    return table


def main() -> int:
    console = console_of("State-space models by the gradient of the Kalman filter")
    states, y = swinging()
    start = Swing(0.0, -1.0, 0.0, 0.0, 0.0)
    with compiling(console, "the gradients of examples/kalman_model.py"):
        swing_likelihood.value_and_grad(start, y[:3], DT)
        local_level.value_and_grad(DURBIN_KOOPMAN, NILE[:3])
    if not all_good(console, "Are filter and gradient right?", checks(y)):
        console.print("[red]something is wrong: not fitting anything[/]")
        return 1
    both = quickest(lambda: swing_likelihood.value_and_grad(start, y, DT))
    plain = quickest(lambda: swing_likelihood.py_func(start, y, DT), 2)
    console.print(f"\n{len(y)} steps of the filter with gradient in {1e3 * both:.2f} ms; without, in NumPy: {1e3 * plain:.1f} ms\n")
    with progress_on(console) as progress:

        def bar_of(name: str):
            task = progress.add_task(name, total=100, numbers="")
            return lambda n, total, numbers: progress.update(task, completed=n, total=total, numbers=numbers)

        nile = fit(local_level, Walk(6.0, 9.0), (NILE,), bar_of("the Nile"))
        found = fit(swing_likelihood, start, (y, DT), bar_of("body on a spring"))
    console.print()
    console.print(summary(nile, found))
    OUTPUT.mkdir(exist_ok=True)
    console.print(f"wrote {draw(nile, found, states, y, OUTPUT / 'kalman_fit.png')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
