"""What the examples share: how checks are told, how fits show where they are, and how pictures look."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib.colors import LinearSegmentedColormap
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

OUTPUT = Path(__file__).parent / "output"
INK, MUTED, POINT, START = "#1f2430", "#7a8194", "#2b3a67", "#c9852c"
BLUE, ORANGE, GREEN = CURVES = ("#2f68b8", "#c9852c", "#3a8f6b")
SHADE = LinearSegmentedColormap.from_list("shade", ["#ffffff", "#e3eefb", "#a9cdf2", "#5f9fe0", "#2f68b8"])
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": "#c5cad6", "xtick.color": MUTED, "ytick.color": MUTED, "axes.titlelocation": "left",
    "axes.titleweight": "bold", "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
    "figure.dpi": 150, "savefig.facecolor": "white",
}  # fmt: skip


def console_of(title: str) -> Console:
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.rule(f"[bold]{title}")
    return console


@contextmanager
def compiling(console: Console, what: str) -> Iterator[None]:
    """Around the first calls: what is derived and compiled, and how long that took."""
    started = time.perf_counter()
    with console.status(f"deriving and compiling {what}"):
        yield
    console.print(f"{what} ready after {time.perf_counter() - started:.1f} s (kept for the next run)\n")


def all_good(console: Console, title: str, rows: list[tuple[str, str, float, float]]) -> bool:
    """Print what was compared with what, how far apart they are and how far they may be; whether all are close enough."""
    table = Table(title=title, title_justify="left")
    for heading, side in (("what", "left"), ("against", "left"), ("relative error", "right"), ("allowed", "right"), ("", "left")):
        table.add_column(heading, justify=side)
    for what, against, error, allowed in rows:
        verdict = "[green]ok[/]" if error <= allowed else "[red]WRONG[/]"
        table.add_row(what, against, f"{error:.1e}", f"{allowed:.0e}", verdict)
    console.print(table)
    return all(error <= allowed for _, _, error, allowed in rows)


def progress_on(console: Console) -> Progress:
    columns = (
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description:22}"),
        BarColumn(bar_width=30),
        TextColumn("{task.completed:.0f} iterations"),
        TextColumn("{task.fields[numbers]}"),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console)


def quickest(call: Callable[[], object], times: int = 5) -> float:
    """Seconds of the quickest of a few calls."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return min(found)
