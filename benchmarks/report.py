"""The results as Markdown."""

from __future__ import annotations

from datetime import date

from benchmarks.native import Result
from benchmarks.scaling import Curve
from benchmarks.startup import Wait
from benchmarks.timing import engineering


def _table(headings: list[str], rows: list[list[str]]) -> str:
    rule = "|" + "|".join([":---"] + ["---:"] * (len(headings) - 1)) + "|"
    return "\n".join(["| " + " | ".join(headings) + " |", rule, *("| " + " | ".join(row) + " |" for row in rows)])


def scaling(curves: list[Curve]) -> str:
    """Medians and exact step counts for each size, and the fitted exponents."""
    sizes = sorted({n for curve in curves for n in curve.sizes})
    rows = []
    for curve in curves:
        times = dict(zip(curve.sizes, curve.times))
        steps = dict(zip(curve.sizes, curve.steps))
        cells = []
        for n in sizes:
            counted = f" ({steps[n]:,} steps)" if steps.get(n) is not None else ""
            cells.append(engineering(times[n]) + counted if n in times else "not run")
        exponents = f"{curve.time_slope:.2f}" + (f" / {curve.step_slope:.2f}" if curve.step_slope > -9 else "")
        rows.append([curve.program, curve.update, *cells, exponents])
    return _table(["program", "update", *(f"n = {n:,}" for n in sizes), "exponent: time / steps"], rows)


def native(results: list[Result]) -> str:
    rows = []
    for result in results:
        times = [engineering(result.times[name]) for name in ("C by hand", "Numba by hand", "linad")]
        rows.append([result.name, *times, f"{result.over_c('Numba by hand'):.2f}", f"**{result.over_c('linad'):.2f}**"])
    return _table(["problem", "C by hand", "Numba by hand", "linad", "Numba / C", "linad / C"], rows)


def startup(waits: list[Wait]) -> str:
    rows = [[w.what, engineering(w.seconds), engineering(w.target) if w.target else ""] for w in waits]
    return _table(["waiting for", "median", "target"], rows)


def whole(machine: str, curves: list[Curve], results: list[Result], waits: list[Wait]) -> str:
    parts = [
        "# Measurements",
        f"Measured on {date.today().isoformat()} in one run of `make bench`. Machine and versions: {machine}. Times are "
        "medians where nothing else is said; what is compared is measured in turns, after its results were found to agree.",
    ]
    if curves:
        parts += [
            "## In place against pure updates",
            "One gradient through `vjp_into` (value and gradient, into the caller's buffer). `pure` is the same program with "
            "each update `v[i] += e` replaced by `v + delta_vec(len(v), i, e)`, compiled by the same Numba; `not run` is "
            "where one gradient would take more than two seconds. Exponents are fitted through the three largest sizes.",
            scaling(curves),
            "![time of a gradient against array size](scaling.png)",
        ]
    if results:
        parts += [
            "## Against C",
            "The same adjoint written by hand in C (`benchmarks/c`, gcc -O3 -march=native -ffast-math, through ctypes) and in "
            "Numba (`benchmarks/by_hand.py`). linad's index checks are on, and its time includes the call from Python.",
            native(results),
        ]
    if waits:
        parts += ["## Start-up", startup(waits)]
    return "\n\n".join(parts) + "\n"
