"""Print the table of tools and programs, and write it to benchmarks/results/peers.md."""

from __future__ import annotations

import platform
import warnings
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from benchmarks.peers.outcome import Outcome, outcome, point
from benchmarks.peers.programs import PROGRAMS
from benchmarks.peers.tools import TOOLS

COLOURS = {"ok": "green", "wrong": "bold red", "refused": "yellow"}
RESULTS = Path(__file__).parents[1] / "results"


def markdown(headings: list[str], rows: list[tuple[str, list[Outcome]]]) -> str:
    """The table as Markdown; a wrong answer stands out."""
    lines = ["| " + " | ".join(["program", *headings]) + " |", "|" + "---|" * (len(headings) + 1)]
    for title, outcomes in rows:
        cells = [str(o).replace("wrong", "**wrong**") for o in outcomes]
        lines.append("| " + " | ".join([title, *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    warnings.simplefilter("ignore")
    console = Console()
    tools = [tool for tool in TOOLS if tool.version is not None]
    missing = [tool.name for tool in TOOLS if tool.version is None]
    rows: list[tuple[str, list[Outcome]]] = []
    for program in track(PROGRAMS, "running", console=console):
        rows.append((str(program.__doc__), [outcome(tool, program, point()) for tool in tools]))

    headings = [f"{tool.name} {tool.version}" for tool in tools]
    table = Table("program", *headings, title="each program as written, gradients against finite differences")
    for title, outcomes in rows:
        table.add_row(escape(title), *[f"[{COLOURS[o.verdict]}]{o}[/]" for o in outcomes])
    console.print(table)
    if missing:
        console.print(f"not installed, so not run: {', '.join(missing)} (pip install '.\\[peers]')")

    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / "peers.md"
    target.write_text(f"{markdown(headings, rows)}\n\nPython {platform.python_version()}, {platform.machine()}\n")
    console.print(f"wrote {target}")


if __name__ == "__main__":
    main()
