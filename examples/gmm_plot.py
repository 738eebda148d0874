"""Pictures of the mixture fits: the density with one- and two-sigma ellipses, and how the optimiser got there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from gmm_model import Problem
from look import CURVES, INK, MUTED, POINT, SHADE, START, STYLE
from matplotlib.axes import Axes


@dataclass(frozen=True)
class Fit:
    """What the optimiser found: parameters, the log-posterior after each iteration, and what it took."""

    problem: Problem
    parts: tuple[np.ndarray, ...]
    history: tuple[float, ...]
    evaluations: int
    seconds: float


def factors(icf: np.ndarray) -> np.ndarray:
    """The 2x2 matrices Q of a planar mixture, with Q'Q the inverse covariance."""
    q = np.zeros((len(icf), 2, 2))
    q[:, 0, 0], q[:, 1, 1] = np.exp(icf[:, 0]), np.exp(icf[:, 1])
    q[:, 1, 0] = icf[:, 2]
    return q


def log_density(parts: tuple[np.ndarray, ...], grid: np.ndarray) -> np.ndarray:
    """Logarithm of the mixture's density at points (..., 2)."""
    alphas, means, icf = parts
    y = np.einsum("kab,...kb->...ka", factors(icf), grid[..., None, :] - means)
    weights = alphas - np.logaddexp.reduce(alphas)
    return np.logaddexp.reduce(weights + icf[:, :2].sum(1) - 0.5 * (y**2).sum(-1), axis=-1) - np.log(2.0 * np.pi)


def ellipses(ax: Axes, parts: tuple[np.ndarray, ...], color: str, *, radii: tuple[float, ...], **line) -> None:
    """Outlines at the given numbers of standard deviations; heavy components are drawn stronger."""
    alphas, means, icf = parts
    weights = np.exp(alphas - np.logaddexp.reduce(alphas))
    turn = np.linspace(0.0, 2.0 * np.pi, 121)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    for mean, q, weight in zip(means, factors(icf), weights):
        opacity = 0.25 + 0.75 * min(1.0, weight * len(weights))
        for radius in radii:
            outline = mean[:, None] + radius * np.linalg.solve(q, circle)
            ax.plot(*outline, color=color, alpha=opacity / radius**0.5, **line)


def draw_fit(ax: Axes, fit: Fit) -> None:
    x = fit.problem.x
    low, high = x.min(0) - 0.4, x.max(0) + 0.4
    centre, half = (low + high) / 2, (high - low).max() / 2
    axis = np.linspace(-half, half, 260)
    grid = np.stack(np.meshgrid(centre[0] + axis, centre[1] + axis), -1)
    density = np.exp(log_density(fit.parts, grid))
    levels = density.max() * np.linspace(0.0, 1.0, 19) ** 1.7
    ax.contourf(grid[..., 0], grid[..., 1], density, levels=levels, cmap=SHADE)
    ax.scatter(*x.T, s=3.5, color=POINT, alpha=0.45, linewidths=0)
    ellipses(ax, fit.parts, INK, radii=(1.0, 2.0), lw=1.1)
    ax.scatter(*fit.problem.means.T, s=16, marker="x", color=START, linewidths=1.2, label="start")
    ax.scatter(*fit.parts[1].T, s=20, color=INK, edgecolors="white", linewidths=0.8, zorder=3, label="centre found")
    ax.set(aspect="equal", xlim=centre[0] + half * np.array([-1, 1]), ylim=centre[1] + half * np.array([-1, 1]))
    ax.set_title(f"{fit.problem.name}", pad=20)
    note = f"{len(x):,} points, {len(fit.problem.means)} components, {fit.problem.size} parameters fitted"
    ax.text(0.0, 1.02, note, transform=ax.transAxes, color=MUTED, fontsize=8.5)


def draw_fits(fits: list[Fit], path: Path) -> Path:
    """The planar fits side by side."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(fits), figsize=(5.4 * len(fits), 5.9), layout="constrained")
        for ax, fit in zip(axes, fits):
            draw_fit(ax, fit)
        axes[-1].legend(loc="lower right", frameon=True, framealpha=0.9, edgecolor="none", fontsize=8.5)
        figure.savefig(path)
        plt.close(figure)
    return path


def draw_convergence(fits: list[Fit], path: Path) -> Path:
    """Distance of the log-posterior from the best value found, per data point, on a logarithmic scale."""
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(7.6, 4.2), layout="constrained")
        for fit, color in zip(fits, CURVES):
            gap = (fit.history[-1] - np.array(fit.history[:-1])) / len(fit.problem.x)
            shown = gap > 0.0
            ax.semilogy(np.arange(len(gap))[shown], gap[shown], color=color, lw=1.8)
            label = f"{fit.problem.name}: {fit.problem.size:,} parameters, {fit.seconds:.1f} s"
            ax.plot([], [], color=color, lw=2.4, label=label)
        ax.set(xlabel="iteration of L-BFGS-B", ylabel="log posterior per point below the best found")
        ax.set_title("Convergence with the gradient of plain loops")
        ax.grid(True, which="major", color="#e6e9f0", lw=0.8)
        ax.legend(frameon=False, fontsize=9)
        figure.savefig(path)
        plt.close(figure)
    return path
