"""The log-log picture of a gradient's cost, in place and pure."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

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
