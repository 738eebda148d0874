"""`python -m benchmarks.adbench [ROW ...]`: measure the ADBench rows; writes adbench.md, adbench.html and adbench.png."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "results"


def one_core() -> None:
    """Keep this process, and all threads that libraries will start, on one core: before any library is loaded."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adbench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="a part of a title, as in GMM or 'd=10'; all by default")
    parser.add_argument("--no-peers", action="store_true", help="leave JAX and PyTorch out")
    parser.add_argument("--rounds", type=int, default=15, help="batches of which the median counts")
    parser.add_argument("--batch", type=float, default=0.05, help="seconds of a batch")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the folder of the reports")
    options = parser.parse_args()
    one_core()

    from benchmarks.adbench import measure, report

    wanted = measure.chosen(options.rows)
    if not wanted:
        parser.error(f"no such row; there are {', '.join(measure.rows())}")
    rows: list[measure.Row] = []
    for row in measure.measure(options.rows, not options.no_peers, options.rounds, options.batch):
        rows.append(row)
        ratios = "  ".join(f"{name} {row.over(name):.2f}" for name in row.times if name != measure.PRIMAL)
        told = "".join(f"  {tool}: {why}" for tool, why in row.refused.items())
        print(f"{len(rows)}/{len(wanted)}  {row.title}: {ratios}{told}", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    drawn = report.picture(rows)
    (options.out / "adbench.png").write_bytes(drawn)
    (options.out / "adbench.md").write_text(report.markdown(rows, "adbench.png"), encoding="utf-8")
    (options.out / "adbench.html").write_text(report.page(rows, drawn), encoding="utf-8")
    print(report.markdown_table(report.gradients(rows)))
    print(f"wrote {options.out / 'adbench.html'} and {options.out / 'adbench.md'}")


if __name__ == "__main__":
    main()
