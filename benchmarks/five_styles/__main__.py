"""`python -m benchmarks.five_styles [PROGRAM ...]`."""

from __future__ import annotations

import argparse

from .cases import WHAT
from .measure import measure, table, told


def main() -> None:
    about = "Twenty programs in five styles."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.five_styles", description=about)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="all by default")
    parser.add_argument("--rounds", type=int, default=100, help="batches of two milliseconds of which the least counts")
    options = parser.parse_args()
    if unknown := set(options.programs) - WHAT.keys():
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    rows = []
    for row in measure(options.programs, options.rounds):
        rows.append(row)
        print(told(row), flush=True)
    print("\n" + table(rows))


if __name__ == "__main__":
    main()
