"""The rows as Markdown, and as one HTML file with its pictures inside."""

from __future__ import annotations

import base64
import html
import io
from importlib.metadata import version
from importlib.util import find_spec

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.adbench.measure import PRIMAL, C, Row
from benchmarks.plot import INK, STYLE
from benchmarks.timing import engineering, machine

COLOURS = {
    C: "#7a8194", "loops": "#2f68b8", "loops, scratch outside": "#6f9bd8", "3-vectors": "#6f9bd8", "NumPy": "#3d8f5f",
    "JAX": "#c9852c", "PyTorch": "#a23b3b",
}  # fmt: skip
Table = tuple[list[str], list[list[str]]]


def contenders(rows: list[Row]) -> list[str]:
    return [c for c in COLOURS if any(c in r.times or c in r.refused for r in rows)]


def _cell(value: float | None, reason: str = "") -> str:
    return reason if value is None else f"{value:.2f}"


def gradients(rows: list[Row]) -> Table:
    """Gradients over the C primal."""
    names = contenders(rows)
    heads = [n if n in (C, "JAX", "PyTorch") else f"linad, {n}" for n in names]
    cells = [[r.title, engineering(r.times[PRIMAL]), *(_cell(r.over(n), r.refused.get(n, "")) for n in names)] for r in rows]
    return ["problem", PRIMAL, *heads], cells


def values(rows: list[Row]) -> Table:
    """Values over the C primal, and the processor time of first gradients."""
    styles = [s for s in COLOURS if any(s in r.values for r in rows)]
    cells = []
    for r in rows:
        waits = [f"{r.first[s]:.1f} s" if s in r.first else "" for s in styles]
        cells.append([r.title, *(_cell(r.value_over(s)) for s in styles), *waits])
    return ["problem", *(f"value, {s}" for s in styles), *(f"first gradient, {s}" for s in styles)], cells


def markdown_table(table: Table) -> str:
    heads, cells = table
    rule = "|" + "|".join([":---"] + ["---:"] * (len(heads) - 1)) + "|"
    return "\n".join(["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(c) + " |" for c in cells)])


def html_table(table: Table) -> str:
    heads, cells = table
    lines = ["<tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in heads) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in cells]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def picture(rows: list[Row]) -> bytes:
    """Bars of gradient over C primal, logarithmic, a group for each problem."""
    names = contenders(rows)
    height = 0.8 / len(names)
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(8.0, 0.5 + 0.75 * len(rows)), layout="constrained")
        ax.set_title("Value and gradient over the value in C")
        for k, name in enumerate(names):
            at, lengths = zip(*[(y, v) for y, r in enumerate(rows) if (v := r.over(name))] or [(0, 1.0)])
            places = [y - 0.4 + height * (k + 0.5) for y in at]
            ax.barh(places, [v - 0.1 for v in lengths], height, left=0.1, color=COLOURS[name], label=name)
            for y, v in zip(places, lengths):
                ax.annotate(f"{v:.2f}", (v, y), (2, 0), textcoords="offset points", va="center", fontsize=6, color=INK)
        ax.set_xscale("log")
        ax.set_yticks(range(len(rows)), [r.title for r in rows], color=INK)
        ax.invert_yaxis()
        ax.axvline(1.0, color=INK, lw=0.8)
        ax.legend(frameon=False, fontsize=7, loc="lower right")
        kept = io.BytesIO()
        figure.savefig(kept, format="png")
        plt.close(figure)
    return kept.getvalue()


def about() -> list[str]:
    """What was measured, and how."""
    tools = ", ".join(f"{p} {version(p)}" for p in ("jax", "torch") if find_spec(p) is not None) or "no JAX, no PyTorch"
    return [
        f"{machine()}; {tools}.",
        "Every number is of this run. Times are processor times on one core, medians of batches in turns, of contenders that "
        "were found to agree before. Gradients are value and gradient together, added into buffers by linad (`vjp_into`) and C, "
        "returned by JAX (jitted) and PyTorch (eager); of several vectorised forms of these the fastest counts. C is gcc -O3 "
        "-march=native with strict floating point. Ratios are over the primal in C.",
    ]


def markdown(rows: list[Row], picture_name: str) -> str:
    parts = ["# ADBench", *about(), markdown_table(gradients(rows)), f"![gradients over the C primal]({picture_name})"]
    return "\n\n".join([*parts, "## Values, and first gradients", FIRST, markdown_table(values(rows))]) + "\n"


FIRST = (
    "Values of linad over those of C, and the processor time of the first gradient in this process: compiled, or read from "
    "the cache where an earlier process has left it (`LINAD_CACHE=0` leaves none)."
)

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ADBench</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#1f2430}}
table{{border-collapse:collapse;font-size:13px}}td,th{{padding:.2em .7em;text-align:right;border-bottom:1px solid #eceef3}}
td:first-child,th:first-child{{text-align:left}}img{{max-width:100%}}</style>
<h1>ADBench</h1>
{about}
{gradients}
<p><img alt="gradients over the C primal" src="data:image/png;base64,{picture}"></p>
<h2>Values, and first gradients</h2>
<p>{first}</p>
{values}
</html>
"""


def page(rows: list[Row], drawn: bytes) -> str:
    return PAGE.format(
        about="\n".join(f"<p>{html.escape(p)}</p>" for p in about()),
        gradients=html_table(gradients(rows)),
        picture=base64.b64encode(drawn).decode(),
        first=html.escape(FIRST),
        values=html_table(values(rows)),
    )
