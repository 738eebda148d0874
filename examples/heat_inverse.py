"""Find the conductivity of a plate from its temperatures, by the gradient of the time loop itself.

Run it with `make heat`, or with `python examples/heat_inverse.py` where linad is installed with its `examples` extra. It

1. makes data: a plate with a crack and an inclusion is heated in several places, and its temperatures measured with noise,
2. checks the time loop against SciPy's integrator of stiff equations, and the gradient against a discrete adjoint made of
   sparse matrices and against finite differences,
3. finds the conductivity again with L-BFGS-B, one unknown for each cell,
4. draws what was there and what was found into `examples/output/`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from heat_model import conduct, misfit
from look import (
    CURVES,
    MUTED,
    OUTPUT,
    SHADE,
    STYLE,
    all_good,
    compiling,
    console_of,
    progress_on,
    quickest,
)
from scipy.integrate import solve_ivp
from scipy.optimize import minimize


@dataclass(frozen=True)
class Plate:
    """An experiment on a plate: what it is like, how it was heated, what was measured, and for how long."""

    log_k: np.ndarray
    heated: np.ndarray
    seen: np.ndarray
    dt: float
    steps: int
    noise: float
    smoothness: float

    @property
    def rest(self) -> tuple:
        """The arguments of `misfit` that are not looked for."""
        return self.heated, self.seen, self.dt, self.steps, self.noise, self.smoothness


def field(n: int) -> np.ndarray:
    """Logarithm of the conductivity: 0, but for a good conductor in a corner and a crack that lets little heat through."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    blob = np.exp(-(((x - 0.68) / 0.17) ** 2 + ((y - 0.66) / 0.15) ** 2))
    crack = np.exp(-(((y - 0.25 - 0.35 * x) / 0.045) ** 2)) * (x < 0.62)
    return 1.1 * blob - 1.6 * crack


def heated_spots(n: int, across: int = 3) -> np.ndarray:
    """Starts with a warm spot each, on a grid of places."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    places = (np.arange(across) + 0.5) / across
    return np.stack([np.exp(-((x - a) ** 2 + (y - b) ** 2) / 0.03) for a in places for b in places])


def simulate(log_k: np.ndarray, heated: np.ndarray, dt: float, steps: int) -> np.ndarray:
    """Final temperatures, by the step of the model run as plain Python."""
    k = np.exp(log_k)
    kx, ky = 0.5 * (k[:, :-1] + k[:, 1:]), 0.5 * (k[:-1, :] + k[1:, :])
    found = heated.copy()
    for u in found:
        for _ in range(steps):
            conduct(u, kx, ky, dt)
    return found


def plate(n: int = 48, steps: int = 160, noise: float = 0.004, seed: int = 0) -> Plate:
    truth, heated, dt = field(n), heated_spots(n), 0.07
    clean = simulate(truth, heated, dt, steps)
    seen = clean + noise * np.random.default_rng(seed).standard_normal(clean.shape)
    return Plate(truth, heated, seen, dt, steps, noise, 12.0)


# -------------------------------------------------------------------------------------------------------------- checks


def operators(n: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Differences across all walls of an n x n plate, and means of the two sides, as sparse matrices."""
    one, step = sp.eye_array(n), sp.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n))
    mean = abs(step) / 2.0
    return sp.vstack([sp.kron(one, step), sp.kron(step, one)]).tocsr(), sp.vstack([sp.kron(one, mean), sp.kron(mean, one)]).tocsr()


def sparse_adjoint(p: Plate, log_k: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and gradient of the misfit by the textbook: u' = A u with a sparse A, and a loop backwards with A transposed."""
    differences, means = operators(len(log_k))
    k = np.exp(log_k).ravel()
    walls = means @ k
    A = -differences.T @ (walls[:, None] * differences).tocsr()
    u = [p.heated.reshape(len(p.heated), -1).T]
    for _ in range(p.steps):
        u.append(u[-1] + p.dt * (A @ u[-1]))
    residual = u[-1] - p.seen.reshape(len(p.seen), -1).T
    adjoint = residual / p.noise**2
    walls_bar = np.zeros_like(walls)
    for t in range(p.steps, 0, -1):
        walls_bar -= p.dt * np.sum((differences @ adjoint) * (differences @ u[t - 1]), axis=1)
        adjoint = adjoint + p.dt * (A.T @ adjoint)
    rough = differences @ log_k.ravel()
    value = 0.5 * np.sum((residual / p.noise) ** 2) + 0.5 * p.smoothness * rough @ rough
    gradient = k * (means.T @ walls_bar) + p.smoothness * (differences.T @ rough)
    return value, gradient.reshape(log_k.shape)


def against_integrator(p: Plate) -> float:
    """Largest error of the final temperatures against an integrator that chooses its own steps, relative to the largest."""
    differences, means = operators(len(p.log_k))
    A = -differences.T @ ((means @ np.exp(p.log_k).ravel())[:, None] * differences)
    start, ours = p.heated[0], simulate(p.log_k, p.heated[:1], p.dt / 8.0, 8 * p.steps)[0]
    found = solve_ivp(lambda _, u: A @ u, (0.0, p.dt * p.steps), start.ravel(), rtol=1e-7, atol=1e-9, method="DOP853")
    return float(np.abs(found.y[:, -1] - ours.ravel()).max() / np.abs(ours).max())


def against_differences(p: Plate, log_k: np.ndarray, directions: int = 5) -> float:
    """Largest relative error of the slope along random directions, from central differences."""
    rng = np.random.default_rng(1)
    _, slope = misfit.value_and_grad(log_k, *p.rest)
    worst = 0.0
    for _ in range(directions):
        step = 1e-5 * rng.standard_normal(log_k.shape)
        up, down = misfit(log_k + step, *p.rest), misfit(log_k - step, *p.rest)
        worst = max(worst, abs((up - down) / 2.0 - np.sum(slope * step)) / (np.linalg.norm(slope) * np.linalg.norm(step)))
    return worst


def checks(p: Plate) -> list[tuple[str, str, float, float]]:
    log_k = 0.5 * p.log_k
    value, gradient = misfit.value_and_grad(log_k, *p.rest)
    expected_value, expected = sparse_adjoint(p, log_k)
    return [
        ("final temperatures", "scipy.integrate, order 8", against_integrator(p), 1e-3),
        ("misfit", "scipy.sparse", abs(value - expected_value) / expected_value, 1e-12),
        ("gradient", "discrete adjoint in scipy.sparse", np.abs(gradient - expected).max() / np.abs(expected).max(), 1e-10),
        ("gradient", "finite differences", against_differences(p, log_k), 1e-6),
    ]


# ----------------------------------------------------------------------------------------------------------------- fit


@dataclass(frozen=True)
class Fit:
    log_k: np.ndarray
    history: tuple[float, ...]
    evaluations: int


def fit(p: Plate, bar, iterations: int = 150) -> Fit:
    """Go down from a plate of one conductivity; ``bar(count, total, numbers)`` is told where that is."""
    history: list[float] = []

    def descend(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = misfit.value_and_grad(flat.reshape(p.log_k.shape), *p.rest)
        return value, gradient.ravel()

    def report(intermediate_result) -> None:
        history.append(float(intermediate_result.fun))
        bar(len(history), iterations, f"misfit {history[-1]:12.1f}")

    start = np.zeros(p.log_k.size)
    history.append(descend(start)[0])
    found = minimize(descend, start, jac=True, method="L-BFGS-B", callback=report, options={"maxiter": iterations, "maxcor": 20})
    bar(len(history), len(history), f"misfit {history[-1]:12.1f}")
    return Fit(found.x.reshape(p.log_k.shape), tuple(history), found.nfev)


def draw(p: Plate, found: Fit, path: Path) -> Path:
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 4, figsize=(15.2, 4.1), layout="constrained", width_ratios=[1, 1, 1, 1.15])
        low, high = np.exp(p.log_k).min(), np.exp(p.log_k).max()
        start = p.heated[len(p.heated) // 2]
        for ax, what, title in zip(axes, (p.seen[len(p.seen) // 2], np.exp(p.log_k), np.exp(found.log_k)),
                                   ("one of the measurements", "conductivity", "conductivity found"), strict=False):
            limits = {} if what.shape == start.shape and ax is axes[0] else {"vmin": low, "vmax": high}
            image = ax.imshow(what, cmap="inferno" if ax is axes[0] else SHADE, origin="lower", **limits)
            ax.set_title(title)
            ax.set(xticks=[], yticks=[])
            figure.colorbar(image, ax=ax, shrink=0.8)
        axes[0].contour(start, levels=[0.5], colors="white", linewidths=1.0, linestyles="--")
        axes[3].semilogy(found.history, color=CURVES[0], lw=1.8)
        axes[3].axhline(0.5 * p.seen.size, color=CURVES[1], lw=1.2, ls="--")
        axes[3].text(len(found.history), 0.53 * p.seen.size, "the noise alone", color=MUTED, ha="right", fontsize=9)
        axes[3].set(xlabel="iteration of L-BFGS-B", title=f"misfit, {p.log_k.size:,} unknowns")
        axes[3].set_box_aspect(1)
        figure.savefig(path)
        plt.close(figure)
    return path


def main() -> int:
    console = console_of("Conductivity from temperatures: an inverse problem of the heat equation")
    p = plate()
    with compiling(console, "the gradient of examples/heat_model.py::misfit"):
        small = plate(6, 4)
        misfit.value_and_grad(small.log_k, *small.rest)
        misfit(small.log_k, *small.rest)
    if not all_good(console, "Are loop and gradient right?", checks(p)):
        console.print("[red]something is wrong: not fitting anything[/]")
        return 1
    value, both = quickest(lambda: misfit(p.log_k, *p.rest)), quickest(lambda: misfit.value_and_grad(p.log_k, *p.rest))
    console.print(f"\nmisfit in {1e3 * value:.1f} ms, with its gradient by {p.log_k.size:,} unknowns in {1e3 * both:.1f} ms\n")
    with progress_on(console) as progress:
        bar = progress.add_task("conductivity", total=150, numbers="")
        found = fit(p, lambda n, total, numbers: progress.update(bar, completed=n, total=total, numbers=numbers))
    away = np.sqrt(np.mean((found.log_k - p.log_k) ** 2)) / np.sqrt(np.mean(p.log_k**2))
    console.print(f"\nroot mean square error of log k: {away:.1%} of that of a plate of one conductivity")
    OUTPUT.mkdir(exist_ok=True)
    console.print(f"wrote {draw(p, found, OUTPUT / 'heat_inverse.png')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
