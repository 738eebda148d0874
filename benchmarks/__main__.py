"""`python -m benchmarks [PART ...]`: measure, print, and write benchmarks/results/."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import Progress

from benchmarks import ablate, checkpoint, compiling, everyday, jacobians, lsp, native, plot, report, scaling, startup, styles
from benchmarks.five_styles import cases as five_cases
from benchmarks.five_styles import measure as five_styles
from benchmarks.suite import measure as suite
from benchmarks.timing import machine

RESULTS = Path(__file__).parent / "results"
PARTS = ("scaling", "native", "startup", "lsp", "checkpoint", "styles", "compile", "suite", "everyday", "jacobians")
ALONE = "ablate"  # takes an hour: only where it is named


def collect(progress: Progress, title: str, items: Iterable, total: int) -> list:
    task = progress.add_task(title, total=total)
    found = []
    for item in items:
        found.append(item)
        progress.advance(task)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    every = f"of {', '.join(PARTS)}, or {ALONE}; all but {ALONE} by default"
    parser.add_argument("parts", nargs="*", metavar="PART", help=every)
    for option, example in (("--programs", "suite,everyday.dtw"), ("--passes", "loop_fusion,unroll_and_jam")):
        meaning = f"for {ALONE}, as in {example}; all by default"
        parser.add_argument(option, type=lambda text: text.split(","), help=meaning)
    options = parser.parse_args()
    parts = options.parts or PARTS
    if unknown := set(parts) - {*PARTS, ALONE}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    try:
        names = ablate.chosen(options.programs, ablate.programs(), "program")
        passes = ablate.chosen(options.passes, ablate.passes(), "pass")
    except ValueError as error:
        parser.error(str(error))
    console = Console()
    RESULTS.mkdir(exist_ok=True)
    curves: list[scaling.Curve] = []
    results: list[native.Result] = []
    waits: list[startup.Wait] = []
    points: list[checkpoint.Point] = []
    ratios: list[suite.Row] = []
    rows: list[styles.Row] = []
    more_rows: list[five_styles.Row] = []
    stages: list[compiling.Stage] = []
    programs: list[everyday.Row] = []
    derivatives: list[jacobians.Row] = []
    without: list[ablate.Row] = []
    with Progress(console=console) as progress:
        if "scaling" in parts:
            curves = collect(progress, "in place against pure", scaling.measure(), 2 * len(scaling.CASES))
        if "native" in parts:
            results = collect(progress, "against C", native.measure(), len(native.CONTESTS))
        if "startup" in parts:
            waits += collect(progress, "start-up", startup.measure(), 7)
        if "lsp" in parts:
            waits += collect(progress, "in an editor", lsp.measure(), 3)
        if "checkpoint" in parts:
            points = collect(progress, "checkpointing", checkpoint.measure(), checkpoint.count())
        if "styles" in parts:
            rows = collect(progress, "three styles", styles.measure(), len(styles.CASES))
            more_rows = collect(progress, "five styles", five_styles.measure(), len(five_cases.WHAT))
        if "compile" in parts:
            stages = collect(progress, "a large function", compiling.measure(), compiling.STAGES)
        if "suite" in parts:
            ratios = collect(progress, "the suite", suite.measure(), len(suite.large()))
        if "everyday" in parts:
            programs = collect(progress, "everyday programs", everyday.measure(), len(everyday.arguments()))
        if "jacobians" in parts:
            derivatives = collect(progress, "Jacobians", jacobians.measure(), len(list(jacobians.rows())))
        if ALONE in parts:
            rows_of_passes = ablate.measure(names, passes)
            without = collect(progress, "each pass switched off", rows_of_passes, len(names) * len(passes))
    text = report.whole(machine(), curves, results, waits)
    if points:
        text += "\n" + checkpoint.table(points)
    if ratios:
        text += "\n" + suite.whole(ratios)
        (RESULTS / "suite.md").write_text(text)
    if programs:
        text += "\n" + everyday.table(programs)
    if rows:
        text += "\n" + styles.table(rows) + "\n" + five_styles.table(more_rows)
    if derivatives:
        text += "\n" + jacobians.table(derivatives)
    if stages:
        text += "\n" + compiling.table(stages)
    if without:
        text += "\n" + ablate.table(without)
        (RESULTS / "ablation.md").write_text(text)
    console.print(Markdown(text))
    if points:
        console.print(f"wrote {plot.draw_schemes(points, RESULTS / 'checkpoint.png')}")
    if curves:
        console.print(f"wrote {plot.draw(curves, RESULTS / 'scaling.png')}")
    if set(parts) == set(PARTS):  # a part alone is not the table that the documents rest on
        (RESULTS / "measurements.md").write_text(text)
        console.print(f"wrote {RESULTS / 'measurements.md'}")


if __name__ == "__main__":
    main()
