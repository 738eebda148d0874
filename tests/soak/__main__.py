"""Random programs of the whole language for as long as there is time: ``python -m tests.soak --minutes 60 --seed 1``.

Each program is held against CPython, dual numbers, the tape, the interpreter and the pure form, a share of them
compiled as well, with passes off, fastmath off and on threads (`judge`). What is found, a wrong number, another
exception, an internal error, a hang, a crash or a refusal of what the language promises, is made smaller (`shrink`)
and written into `tests/soak/found`, whose programs `test_soak.py` runs from then on.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from linad.switches import all_passes

from ..batches import Slow, alarm, in_child
from ..fuzz.test_edited import soon
from ..properties.roads import Whole
from ..strategies import Program
from .corpus import FOUND, keep
from .judge import COMPILED, Unknown, judge
from .shrink import shrunk
from .sources import WRITERS, drawn

BATCH = 25
SECONDS = 60.0  # that one program may take
STAGES = 3  # one in so many programs is held against others at each stage of its derivative
BUILDS = 2  # of one program that is compiled
FINDING = "FOUND"


@dataclass(frozen=True)
class Task:
    """A program with what it is to be held against; the same for the same seed."""

    seed: int
    writer: str
    program: Program
    compiled: tuple[str, ...]


def task(seed: int, only: str | None, share: float) -> Task:
    writer, program = drawn(seed, only)
    draw = random.Random(seed)
    builds = tuple(draw.sample(list(COMPILED), BUILDS)) if draw.random() < share else ()
    return Task(seed, writer, program, builds)


def outcome(t: Task) -> str:
    """What comes of a program: a word of `judge`, or what was found, in short."""
    try:
        with alarm(SECONDS):
            if not _loads(t.program):
                return "no program"
            if t.writer == "edited" and not soon(Whole(t.program.load(), t.program.args).oracle):
                return "too long"
            told = judge(t.program, t.compiled, stages=t.seed % STAGES == 0)
    except Unknown:
        return "unknown"
    except (Exception, Slow) as error:
        return f"{FINDING} {_short(error)}"
    if told.startswith("refused"):
        errors = re.split("; (?=LIN)", told.removeprefix("refused: "))
        unpromised = [e for e in errors if not e.startswith(WRITERS[t.writer].refusals)]
        return f"{FINDING} refused: {_plain(unpromised[0])}" if unpromised else "refused"
    return told


def _loads(program: Program) -> bool:
    """Whether the text is a module: an edit may have moved a name to where there is none."""
    try:
        program.load()
    except Exception:
        return False
    return True


def _short(error: BaseException) -> str:
    """A failure without its numbers and names: findings of one kind are told once."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_frame.f_code.co_name}"
    return f"{type(error).__name__} {place} {_plain(str(error))[:90]}"


def _plain(told: str) -> str:
    """The first line of a message without what differs between programs."""
    first = next(iter(told.strip().splitlines()), "")
    names = re.sub(r"`[^`]*`|\"[^\"]*\"|<[^>]*>", "_", first)
    return re.sub(r"(?<![A-Z])[-+]?\b\d[\d.e+-]*|\bnan\b|\binf\b", "0", names)


def batch(first: int, until: float, only: str | None, share: float) -> dict[str, list]:
    """The outcomes of the programs of a range of seeds, and the seeds of what was found."""
    counts: Counter[str] = Counter()
    found = []
    for seed in range(first, first + BATCH):
        if time.monotonic() > until:
            break
        t = task(seed, only, share)
        told = outcome(t)
        counts[f"{t.writer}: {told if not told.startswith(FINDING) else FINDING}"] += 1
        counts["compiled builds"] += len(t.compiled)
        if told.startswith(FINDING):
            found.append((seed, told))
    return {"counts": counts, "found": found}


def minimal(t: Task, told: str, seconds: float) -> Program:
    """The smallest program that comes to the same, each tried in a child."""

    def fails(text: str) -> bool:
        other = replace(t, program=replace(t.program, text=text))
        got, status = in_child(lambda: outcome(other))
        return got == told or (status != 0 and told.startswith(f"{FINDING} crash"))

    return replace(t.program, text=shrunk(t.program.text, fails, seconds))


def main() -> int:
    """Run until the time is up; the exit code is 1 if anything was found."""
    what = "Random programs on every road, for as long as there is time."
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=what)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=WRITERS)
    share = f"the share of programs that are compiled, in {BUILDS} of {len(COMPILED)} builds"
    parser.add_argument("--compiled", type=float, default=0.03, help=share)
    parser.add_argument("--shrink", type=float, default=90.0, help="seconds for making one finding smaller")
    parser.add_argument("--keep", type=Path, default=FOUND)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    all_passes()  # imported before there are children
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    first, until = options.seed * 10_000_000, time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        told, status = in_child(lambda: batch(first, until, options.only, options.compiled))
        if told is None:
            told = {"counts": {}, "found": _crash(first, options, status)}
        counts.update(told["counts"])
        for seed, what in told["found"]:
            kinds[what] += 1
            if kinds[what] == 1:
                t = task(seed, options.only, options.compiled)
                file = keep(minimal(t, what, options.shrink), f"{t.writer}_{seed}", options.keep)
                print(f"{file}: {what} (seed {seed}, {', '.join(t.compiled) or 'not compiled'})", flush=True)
        first += BATCH
    programs = sum(n for k, n in counts.items() if k != "compiled builds")
    builds, findings = counts.pop("compiled builds", 0), sum(kinds.values())
    print(f"{programs} programs, {builds} compiled builds; {findings} findings of {len(kinds)} kinds")
    for name, n in sorted(counts.items()):
        print(f"{n:7}  {name}")
    for name, n in kinds.most_common():
        print(f"{n:7}  {name}")
    return bool(kinds)


def _crash(first: int, options: argparse.Namespace, status: int) -> list[tuple[int, str]]:
    """Which program of a batch ends its process."""
    for seed in range(first, first + BATCH):
        _, status = in_child(lambda seed=seed: outcome(task(seed, options.only, options.compiled)))
        if status:
            return [(seed, f"{FINDING} crash: the process ended with {status}")]
    return []


if __name__ == "__main__":
    sys.exit(main())
