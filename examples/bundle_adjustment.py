"""Bundle adjustment with a sparse Jacobian made of gradients.

Run it with `make bundle`, or with `python examples/bundle_adjustment.py` where linad is installed with its `examples` extra. It

1. checks residuals, Jacobian and gradient against the values of ADBench's C++ and Tapenade programs, and the camera against
   SciPy's rotations,
2. makes a scene: a spiral staircase seen by a ring of cameras, and starts from wrong places for all of them,
3. finds cameras and points by Levenberg and Marquardt: two pullbacks give every row of the Jacobian, SciPy solves the sparse
   normal equations; SciPy's own `least_squares` ends at the same sum to a few thousandths,
4. draws the scene into `examples/output/`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from bundle_model import DATA, half_square, residuals
from look import (
    BLUE,
    CURVES,
    INK,
    MUTED,
    ORANGE,
    OUTPUT,
    STYLE,
    all_good,
    compiling,
    console_of,
    progress_on,
    quickest,
)
from scipy.optimize import least_squares
from scipy.sparse.linalg import spsolve
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Scene:
    """Cameras, points, and which camera saw which point where, how certainly."""

    cameras: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    pixels: np.ndarray
    obs: np.ndarray

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The arguments of `residuals`: a camera and a point for each observation."""
        return self.cameras[self.obs[:, 0]], self.points[self.obs[:, 1]], self.weights, self.pixels

    @property
    def unknowns(self) -> np.ndarray:
        return np.concatenate([self.cameras.ravel(), self.points.ravel()])

    def at(self, unknowns: np.ndarray) -> Scene:
        """The scene with other cameras and points."""
        cameras, points = np.split(unknowns, [self.cameras.size])
        return Scene(cameras.reshape(-1, 11), points.reshape(-1, 3), self.weights, self.pixels, self.obs)


# ------------------------------------------------------------------------------------------------------------ Jacobian


def blocks(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The residuals (p, 2), and their derivatives by the camera, point and weight of their own observation (p, 2, 15)."""
    errors, pullback = residuals.vjp(*scene.rows)
    found = np.empty((*errors.shape, 15))
    for side in range(2):                           # one pullback for all horizontal residuals, one for all vertical ones
        seed = np.zeros_like(errors)
        seed[:, side] = 1.0
        cameras, points, weights = pullback(seed)
        found[:, side] = np.column_stack([cameras, points, weights])
    return errors, found


def jacobian(scene: Scene) -> tuple[np.ndarray, sp.csr_array]:
    """All residuals, and their sparse Jacobian by all cameras and points."""
    errors, found = blocks(scene)
    n, m, p = len(scene.cameras), len(scene.points), len(scene.obs)
    camera, point = scene.obs.T
    columns = np.concatenate([11 * camera[:, None] + np.arange(11), 11 * n + 3 * point[:, None] + np.arange(3)], axis=1)
    indices = np.repeat(columns, 2, axis=0)
    data = found[:, :, :14].reshape(2 * p, 14)
    starts = 14 * np.arange(2 * p + 1)
    return errors.ravel(), sp.csr_array((data.ravel(), indices.ravel(), starts), shape=(2 * p, 11 * n + 3 * m))


# -------------------------------------------------------------------------------------------------------------- checks


def adbench(name: str = "ba_gen0_n5_m20_p100") -> tuple[Scene, dict[str, np.ndarray]]:
    """A problem in `data/`, and what ADBench's programs say about it."""
    with np.load(DATA / f"{name}.npz") as z:
        scene = Scene(z["cams"], z["X"], z["w"], z["feats"], z["obs"].astype(np.int64))
    with np.load(DATA / f"{name}.ref.npz") as z:
        return scene, dict(z)


def by_scipy(scene: Scene) -> np.ndarray:
    """The residuals by SciPy's rotations and whole-array NumPy."""
    cameras, points, weights, pixels = scene.rows
    seen = Rotation.from_rotvec(cameras[:, :3]).apply(points - cameras[:, 3:6])
    flat = seen[:, :2] / seen[:, 2:]
    radius = np.sum(flat**2, axis=1)
    bent = flat * (1.0 + cameras[:, 9] * radius + cameras[:, 10] * radius**2)[:, None]
    return weights[:, None] * (bent * cameras[:, 6:7] + cameras[:, 7:9] - pixels)


def error(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def checks() -> list[tuple[str, str, float, float]]:
    scene, expected = adbench()
    errors, found = blocks(scene)
    value, gradient = half_square.value_and_grad(scene.cameras, scene.points, scene.weights, scene.pixels, scene.obs)
    parts = zip(gradient, (expected[f"gs_{name}"] for name in ("cams", "X", "w")), strict=True)
    _, J = jacobian(scene)
    step = 1e-6 * np.random.default_rng(0).standard_normal(J.shape[1])
    up, down = (by_scipy(scene.at(scene.unknowns + sign * step)).ravel() for sign in (1, -1))
    return [
        ("reprojection errors", "ADBench", error(errors, expected["reproj_err"]), 1e-12),
        ("reprojection errors", "scipy.spatial.transform", error(errors, by_scipy(scene)), 1e-12),
        ("Jacobian, 2 x 15 blocks", "ADBench", error(found, expected["J"]), 1e-11),
        ("sparse Jacobian", "differences of SciPy's program", error(J @ step, (up - down) / 2.0), 1e-6),
        ("sum of squares", "ADBench", abs(value / float(expected["s"]) - 1.0), 1e-12),
        ("its gradient", "ADBench", max(error(ours, theirs) for ours, theirs in parts), 1e-11),
    ]


# ----------------------------------------------------------------------------------------------------------------- fit


def staircase(cameras: int = 10, points: int = 240, noise: float = 0.4, seed: int = 5) -> tuple[Scene, Scene]:
    """A true scene, its pictures taken with noise; and the same pictures with wrong cameras and points, to start from."""
    rng = np.random.default_rng(seed)
    turn = np.linspace(0.0, 5.0 * np.pi, points)
    X = np.column_stack([np.cos(turn), np.sin(turn), turn / 6.0 - 1.3]) * (1.0, 1.0, 0.9)
    X[::2, :2] *= 0.45                              # inner ends of the steps
    around = 2.0 * np.pi * np.arange(cameras) / cameras
    centres = np.column_stack([4.5 * np.cos(around), 4.5 * np.sin(around), 0.8 * np.sin(2.0 * around)])
    cams = np.zeros((cameras, 11))
    for c, centre in zip(cams, centres, strict=True):
        ahead = -centre / np.linalg.norm(centre)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        c[:3] = Rotation.from_matrix([right, np.cross(ahead, right), ahead]).as_rotvec()
        c[3:6] = centre
        c[6:] = 800.0 + rng.uniform(-20.0, 20.0), 320.0, 240.0, -0.05, 0.01
    pairs = np.argwhere(rng.random((cameras, points)) < 0.75)
    blind = Scene(cams, X, np.ones(len(pairs)), np.zeros((len(pairs), 2)), pairs)
    truth = Scene(cams, X, blind.weights, by_scipy(blind) + noise * rng.standard_normal((len(pairs), 2)), pairs)
    away = cams + rng.standard_normal(cams.shape) * np.array([0.02] * 3 + [0.12] * 3 + [15.0] + [3.0] * 2 + [0.01, 0.002])
    return truth, truth.at(np.concatenate([away.ravel(), (X + 0.12 * rng.standard_normal(X.shape)).ravel()]))


def levenberg_marquardt(scene: Scene, tell, iterations: int = 40) -> tuple[Scene, list[float]]:
    """Damped Gauss-Newton steps; the damping follows how well each step was foretold."""
    history, damping = [], 1e-3
    errors, J = jacobian(scene)
    history.append(0.5 * float(errors @ errors))
    while len(history) <= iterations:
        normal, slope = (J.T @ J).tocsc(), J.T @ errors
        scale = sp.diags_array(damping * (normal.diagonal() + 1e-9), format="csc")
        step = spsolve(normal + scale, -slope)
        tried = scene.at(scene.unknowns + step)
        new = residuals(*tried.rows).ravel()
        value = 0.5 * float(new @ new)
        if value > history[-1]:
            damping *= 10.0
            if damping > 1e10:
                break
            continue
        gained = history[-1] - value
        scene, damping = tried, damping / 10.0
        errors, J = jacobian(scene)
        history.append(value)
        tell(len(history), iterations, f"root mean square error {np.sqrt(2.0 * value / len(errors)):8.3f} pixels")
        if gained < 1e-6 * value:
            break
    tell(len(history), len(history), f"root mean square error {np.sqrt(2.0 * history[-1] / len(errors)):8.3f} pixels")
    return scene, history


def by_least_squares(scene: Scene) -> float:
    """Where SciPy's own solver ends, given the same Jacobian."""
    found = least_squares(
        lambda u: residuals(*scene.at(u).rows).ravel(), scene.unknowns, lambda u: jacobian(scene.at(u))[1],
        x_scale="jac", max_nfev=60, ftol=1e-9,
    )  # fmt: skip
    return float(found.cost)


def aligned(found: np.ndarray, truth: np.ndarray, points: np.ndarray) -> np.ndarray:
    """``points`` moved, turned and scaled as ``found`` has to be to meet ``truth``: pictures do not tell where the origin is."""
    a, b = found - found.mean(0), truth - truth.mean(0)
    U, size, Vt = np.linalg.svd(a.T @ b)
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
    scale = np.sum(size * np.diag(flip)) / np.sum(a**2)
    return scale * (points - found.mean(0)) @ (U @ flip @ Vt) + truth.mean(0)


def draw(truth: Scene, start: Scene, found: Scene, history: list[float], path: Path) -> Path:
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(15.2, 5.0), layout="constrained")
        for k, (scene, title) in enumerate(((start, "start"), (found, "after bundle adjustment")), 1):
            ax = figure.add_subplot(1, 3, k, projection="3d", computed_zorder=False)
            X = aligned(scene.points, truth.points, scene.points)
            C = aligned(scene.points, truth.points, scene.cameras[:, 3:6])
            ax.plot(*truth.points[1::2].T, color=ORANGE, lw=1.2, alpha=0.7)
            ax.plot(*truth.points[::2].T, color=ORANGE, lw=1.2, alpha=0.7, label="true")
            ax.scatter(*X.T, s=5, color=BLUE, depthshade=False, label="points")
            ax.scatter(*C.T, s=26, color=INK, marker="^", depthshade=False, label="cameras")
            ax.scatter(*truth.cameras[:, 3:6].T, s=40, facecolors="none", edgecolors=ORANGE, depthshade=False)
            ax.set(title=title, xticks=[], yticks=[], zticks=[], box_aspect=(1, 1, 0.55), zlim=(-2, 2))
            ax.view_init(28, -50)
        ax.legend(frameon=False, fontsize=8.5, loc="upper right")
        ax = figure.add_subplot(1, 3, 3)
        p = 2 * len(truth.obs)
        ax.semilogy(np.sqrt(2.0 * np.array(history) / p), "o-", color=CURVES[0], lw=1.8, ms=4)
        ax.set(xlabel="step of Levenberg and Marquardt", title="root mean square error, pixels")
        ax.text(0.98, 0.92, f"{truth.unknowns.size:,} unknowns, {p:,} residuals", transform=ax.transAxes, ha="right", color=MUTED)
        figure.savefig(path)
        plt.close(figure)
    return path


def main() -> int:
    console = console_of("Bundle adjustment with a Jacobian made of gradients")
    small, _ = adbench()
    with compiling(console, "residuals, pullback and gradient of examples/bundle_model.py"):
        blocks(small)
        residuals(*small.rows)
        half_square.value_and_grad(small.cameras, small.points, small.weights, small.pixels, small.obs)
    if not all_good(console, "Are residuals and derivatives right?", checks()):
        console.print("[red]something is wrong: not solving anything[/]")
        return 1
    truth, start = staircase()
    plain, both = quickest(lambda: residuals(*start.rows)), quickest(lambda: blocks(start))
    console.print(f"\n{len(start.obs):,} observations in {1e3 * plain:.2f} ms, with all 2 x 15 blocks of the Jacobian in {1e3 * both:.2f} ms\n")
    with progress_on(console) as progress:
        bar = progress.add_task("Levenberg-Marquardt", total=40, numbers="")
        found, history = levenberg_marquardt(start, lambda n, total, numbers: progress.update(bar, completed=n, total=total, numbers=numbers))
    off = aligned(found.points, truth.points, found.points) - truth.points
    console.print(f"\npoints are {np.sqrt(np.mean(off**2)):.4f} off, from {np.sqrt(np.mean((start.points - truth.points) ** 2)):.4f} at the start")
    theirs = by_least_squares(start)
    console.print(f"half the sum of squares: {history[-1]:.3f}; scipy.optimize.least_squares with the same Jacobian: {theirs:.3f}")
    OUTPUT.mkdir(exist_ok=True)
    console.print(f"wrote {draw(truth, start, found, history, OUTPUT / 'bundle_adjustment.png')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
