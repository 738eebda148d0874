"""Fit Gaussian mixtures by maximum a posteriori, with the gradient of plain loops.

Run it with `make demo`, or with `python examples/gmm_fit.py` where linad is installed with its `examples` extra. It

1. compiles the objective in `gmm_model.py` and the gradient that linad derives from it,
2. checks the gradient: against the values ADBench ships, and against finite differences,
3. fits three mixtures with SciPy's L-BFGS-B,
4. draws the fits and the convergence into `examples/output/`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from gmm_model import Problem, adbench, adbench_reference, gmm_objective, pinwheel
from gmm_plot import Fit, draw_convergence, draw_fits
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from scipy.optimize import minimize

OUTPUT = Path(__file__).parent / "output"
LIKE_ADBENCH, POSTERIOR = 1.0, -1.0             # the sign of the Wishart term, see gmm_model.gmm_objective
MAX_ITERATIONS = 400
REFERENCE_TOLERANCE = 1e-11
DIFFERENCE_TOLERANCE = 1e-6


def against_reference(problem: Problem) -> float:
    """Largest difference from ADBench's gradient, relative to the largest entry of each block."""
    value, gradient = gmm_objective.value_and_grad(*problem.start, *problem.rest(LIKE_ADBENCH))
    expected_value, expected = adbench_reference(problem.name)
    errors = [abs(value - expected_value) / abs(expected_value)]
    errors += [np.abs(ours - theirs).max() / np.abs(theirs).max() for ours, theirs in zip(gradient, expected)]
    return max(errors)


def against_differences(problem: Problem, directions: int = 5) -> float:
    """Largest relative error of the slope along random directions, from central differences."""
    rng = np.random.default_rng(0)
    flat = problem.pack(problem.start)
    slope = problem.pack(gmm_objective.grad(*problem.start, *problem.rest(POSTERIOR)))
    worst = 0.0
    for _ in range(directions):
        step = 1e-5 * rng.standard_normal(flat.size)
        up = gmm_objective(*problem.unpack(flat + step), *problem.rest(POSTERIOR))
        down = gmm_objective(*problem.unpack(flat - step), *problem.rest(POSTERIOR))
        worst = max(worst, abs((up - down) / 2.0 - slope @ step) / (np.linalg.norm(slope) * np.linalg.norm(step)))
    return worst


def check(problems: list[Problem], console: Console) -> bool:
    """Print how far each gradient is from two independent ones; say whether all are close enough."""
    table = Table(title="Is the gradient right?", title_justify="left", caption_justify="left")
    for heading in ("problem", "parameters", "against ADBench's C++", "against finite differences"):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    good = True

    def verdict(error: float, tolerance: float) -> str:
        nonlocal good
        good = good and error <= tolerance
        return f"[green]{error:.1e}  ok[/]" if error <= tolerance else f"[red]{error:.1e}  WRONG[/]"

    for problem in problems:
        table.add_row(
            problem.name,
            f"{problem.size:,}",
            verdict(against_reference(problem), REFERENCE_TOLERANCE),
            verdict(against_differences(problem), DIFFERENCE_TOLERANCE),
        )
    table.caption = f"relative errors; allowed {REFERENCE_TOLERANCE:.0e} and {DIFFERENCE_TOLERANCE:.0e}"
    console.print(table)
    return good


def fit(problem: Problem, progress: Progress, iterations: int = MAX_ITERATIONS) -> Fit:
    """Climb the log-posterior from the problem's start."""
    rest = problem.rest(POSTERIOR)
    bar = progress.add_task(problem.name, total=iterations, numbers="")
    history: list[float] = []

    def descend(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = gmm_objective.value_and_grad(*problem.unpack(flat), *rest)
        return -value, -problem.pack(gradient)

    def report(intermediate_result) -> None:
        history.append(-float(intermediate_result.fun))
        numbers = f"log posterior {history[-1]:12.3f}"
        progress.update(bar, completed=len(history) - 1, numbers=numbers)

    started = time.perf_counter()
    start = problem.pack(problem.start)
    history.append(-descend(start)[0])
    options = {"maxiter": iterations, "maxfun": 4 * iterations, "maxcor": 20, "ftol": 1e-12, "gtol": 1e-4}
    found = minimize(descend, start, jac=True, method="L-BFGS-B", callback=report, options=options)
    progress.update(bar, total=len(history) - 1, completed=len(history) - 1)
    return Fit(problem, problem.unpack(found.x), tuple(history), found.nfev, time.perf_counter() - started)


def summary(fits: list[Fit]) -> Table:
    table = Table(title="Fits", title_justify="left")
    for heading in ("problem", "parameters", "log posterior", "iterations", "gradients", "seconds", "ms per gradient"):
        table.add_column(heading, justify="left" if heading == "problem" else "right")
    for one in fits:
        table.add_row(
            one.problem.name,
            f"{one.problem.size:,}",
            f"{one.history[0]:,.1f} -> {one.history[-1]:,.1f}",
            f"{len(one.history) - 1}",
            f"{one.evaluations}",
            f"{one.seconds:.2f}",
            f"{1e3 * one.seconds / one.evaluations:.2f}",
        )
    return table


def main() -> int:
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.rule("[bold]Gaussian mixtures by maximum a posteriori")
    small, large = adbench("gmm_1k_d2_K5"), adbench("gmm_1k_d10_K25")

    started = time.perf_counter()
    with console.status("deriving and compiling the gradient of examples/gmm_model.py::gmm_objective"):
        gmm_objective.value_and_grad(*small.start, *small.rest(POSTERIOR))
        gmm_objective.grad(*small.start, *small.rest(POSTERIOR))
        gmm_objective(*small.start, *small.rest(POSTERIOR))
    console.print(f"gradient of gmm_objective ready after {time.perf_counter() - started:.1f} s (kept for the next run)\n")

    if not check([small, large], console):
        console.print("[red]the gradient is wrong: not fitting anything[/]")
        return 1
    console.print()

    columns = (
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description:16}"),
        BarColumn(bar_width=36),
        TextColumn("{task.completed:.0f} iterations"),
        TextColumn("{task.fields[numbers]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        fits = [fit(problem, progress) for problem in (small, pinwheel(), large)]
    console.print()
    console.print(summary(fits))

    OUTPUT.mkdir(exist_ok=True)
    pictures = (draw_fits(fits[:2], OUTPUT / "gmm_fit.png"), draw_convergence(fits, OUTPUT / "gmm_convergence.png"))
    for picture in pictures:
        console.print(f"wrote {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
