"""The log-log picture of a gradient's cost, in place and pure."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.checkpoint import Point
from benchmarks.scaling import Curve

COLOURS = {"in-place": "#2f68b8", "pure": "#c9852c"}
NAMES = {"in-place": "in place", "pure": "pure, delta_vec"}
INK, MUTED = "#1f2430", "#7a8194"
STYLE = {
    "font.size": 9, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": "#c5cad6", "xtick.color": MUTED,
    "ytick.color": MUTED, "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlesize": 10,
    "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 150,
}


def draw(curves: list[Curve], path: Path) -> Path:
    """One panel per program, both ways in each, the exponent written at the end of each line."""
    titles = list(dict.fromkeys(curve.program for curve in curves))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            1, len(titles), figsize=(2.75 * len(titles), 3.5), sharex=True, sharey=True, layout="constrained"
        )
        for ax, title in zip(axes, titles):
            ax.set_title(title)
            ax.grid(True, color="#eceef3", lw=0.8)
            for curve in (c for c in curves if c.program == title):
                color = COLOURS[curve.update]
                ax.loglog(curve.sizes, curve.times, "o-", color=color, ms=4, lw=1.8, label=NAMES[curve.update])
                note = f"n$^{{{curve.time_slope:.1f}}}$"
                ax.annotate(note, (curve.sizes[-1], curve.times[-1]), (-4, 7), textcoords="offset points", color=color,
                            ha="right", fontsize=10)
            ax.set_xlabel("array size n")
            ax.set_xlim(60, 3e6)
        axes[0].set_ylabel("seconds for one gradient")
        axes[0].legend(frameon=False, loc="upper left")
        figure.savefig(path)
        plt.close(figure)
    return path


SCHEME_COLOURS = {
    "revolve": "#2f68b8", "bisect": "#c9852c", "periodic": "#3d8f5f", "tape": "#1f2430", "recompute": "#a23b3b",
    "JAX scan": "#8a5fb0", "JAX by hand": "#8a5fb0",
}  # fmt: skip


def draw_schemes(points: list[Point], path: Path) -> Path:
    """Time of a step against megabytes, a curve per scheme with a point per number of slots."""
    longest = max(p.steps for p in points if p.scheme == "tape")
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
        ax.set_title(f"One gradient of {longest:,} steps")
        ax.grid(True, color="#eceef3", lw=0.8)
        for scheme, colour in SCHEME_COLOURS.items():
            mine = [p for p in points if p.scheme == scheme]
            mine = [p for p in mine if p.steps == longest] or mine[:1]
            if mine:
                sizes, times = [max(p.megabytes, 0.01) for p in mine], [1e6 * p.seconds / p.steps for p in mine]
                name = scheme if mine[0].steps == longest else f"{scheme}, {mine[0].steps:,} steps"
                marker = "D" if scheme == "JAX scan" else "o"
                ax.loglog(sizes, times, f"{marker}-", color=colour, ms=4, lw=1.8, label=name)
        ax.set_xlabel("megabytes added by the gradient")
        ax.set_ylabel("microseconds per step")
        ax.legend(frameon=False, fontsize=8)
        figure.savefig(path)
        plt.close(figure)
    return path
