"""`python -m benchmarks.unseen [PROGRAM ...] [--count]`."""

from __future__ import annotations

import argparse

from .cases import arguments
from .measure import measure, table, told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unseen", description="Programs that no pass was written for.")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="all by default")
    parser.add_argument("--count", action="store_true", help="count steps and logged words; compile nothing")
    parser.add_argument("--rounds", type=int, default=150, help="batches of half a millisecond of which the least counts")
    options = parser.parse_args()
    if unknown := set(options.programs) - arguments().keys():
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    rows = []
    for row in measure(options.programs, not options.count, options.rounds):
        rows.append(row)
        print(told(row), flush=True)
    print("\n" + table(rows))


if __name__ == "__main__":
    main()
