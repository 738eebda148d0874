"""Random programs of the whole language for as long as there is time: ``python -m tests.soak --minutes 60 --seed 1``.

Each program is held against CPython, most against the tape too, with all passes, some or none; a share at each stage
of its derivative against dual numbers, the tape and the pure form, and a share is compiled, with passes off, fastmath
off and on threads (`judge`). Programs that took a branch of linad's code that none before them had taken
(`branches`) go into a pool, and half of the programs are edits of those. What is found, a wrong number, another
exception, an internal error, a hang, a crash or a refusal of what the language promises, is made smaller (`shrink`)
and written into `tests/soak/found`, whose programs `test_soak.py` runs from then on.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from linad.oracle import attempt, difference
from linad.codegen.passes import all_passes

from ..batches import Slow, alarm, in_child
from ..fuzz.test_edited import soon
from ..properties.roads import Whole, as_tuples, fresh
from ..kit import load
from ..strategies import Program
from . import guard_pages
from .branches import branches
from .corpus import FOUND, keep, text_of
from .judge import COMPILED, Depth, Unknown, judge, optional_passes
from .shrink import shrunk
from .sources import WRITERS, at_other_sizes, drawn

BATCH = 100
SECONDS = 60.0  # that one program may take
DEPTHS: dict[Depth, int] = {"value": 45, "derivative": 50, "stages": 5}  # with their shares
BRIEF: dict[Depth, int] = {"lowered": 78, "derivative": 21, "stages": 1}  # those of brief programs
FAILING = 8  # one in so many brief edits that CPython refuses is judged
EARLY = 8  # one in so many brief programs is examined without types, too
BUILDS = 1  # of one program that is compiled
POOL = 4000  # programs that are remembered, the newest
WARM = 10  # programs that are judged before there are children, which then have read the library functions
MANY = 5  # times as many brief programs are in a batch, and are judged before
REPORT = 300  # seconds between lines that say how far it is
FINDING = "FOUND"
NOTHING = ("no program", "too long", "wrong in CPython too")  # what is no program, and is not counted as one


@dataclass(frozen=True)
class Task:
    """A program with what it is to be held against; the same for the same seed."""

    seed: int
    writer: str
    program: Program
    compiled: tuple[str, ...]
    depth: Depth = "stages"
    off: frozenset[str] = frozenset()
    brief: bool = False


def task(seed: int, only: str | None, share: float, pool: Sequence[str] = (), brief: bool = False) -> Task:
    writer, program = drawn(seed, only, pool, brief)
    draw = random.Random(seed)
    builds = tuple(draw.sample(list(COMPILED), BUILDS)) if draw.random() < share else ()
    depths = BRIEF if brief else DEPTHS
    depth = "derivative" if builds else draw.choices(list(depths), list(depths.values()))[0]
    return Task(seed, writer, program, builds, depth, _left_out(draw, depth, bool(builds)), brief)


def _left_out(draw: random.Random, depth: Depth, compiled: bool) -> frozenset[str]:
    """The passes that a program goes without on the interpreter: all optional ones, half of them, or none."""
    every = sorted(optional_passes())
    if depth in ("lowered", "value"):
        return frozenset(every)
    kind = 0 if compiled or depth == "stages" else draw.randrange(4)
    return frozenset() if kind < 2 else frozenset(draw.sample(every, len(every) // 2) if kind == 2 else every)


def outcome(t: Task) -> str:
    """What comes of a program: a word of `judge`, or what was found, in short."""
    try:
        with alarm(SECONDS):
            if not _loads(t.program):
                return "no program"
            if t.writer == "edited":
                ended = soon(Whole(t.program.load(), t.program.args).oracle)
                if ended is None:
                    return "too long"
                if t.brief and ended.error is not None and t.seed % FAILING:
                    return "no program"
            early = not t.brief or t.seed % EARLY == 0
            told = judge(t.program, t.compiled, t.depth, t.off, _others(t), early)
    except Unknown:
        return "unknown"
    except (Exception, Slow) as error:
        undefined = _reads_unset(t.program) or _ill_conditioned(t.program)
        return "unknown" if undefined else f"{FINDING} {_short(error)}"
    if told.startswith("refused"):
        errors = re.split("; (?=LIN)", told.removeprefix("refused: "))
        unpromised = [e for e in errors if not e.startswith(WRITERS[t.writer].refusals)]
        return f"{FINDING} refused: {_plain(unpromised[0])}" if unpromised else "refused"
    return told


def _others(t: Task) -> list[Program]:
    """The program at other arguments, unless it may then never end."""
    return [] if t.writer == "edited" or t.depth != "lowered" else at_other_sizes(t.program, t.seed)


def _reads_unset(program: Program) -> bool:
    """Whether its result depends on the uninitialised memory of `np.empty`, and so is undefined."""
    if "np.empty" not in program.text:
        return False
    ends = []
    for fill in (7, 1001):
        filled = f"lambda shape, dtype=float, fill={fill}: np.full(shape, fill, dtype)"
        text = program.text.replace("np.empty(", f"({filled})(")
        try:
            with alarm(SECONDS):
                ends.append(attempt(lambda text=text: load(text)(*fresh(list(program.args)))))
        except Slow:
            return False
    return difference(*ends) is not None


def _ill_conditioned(program: Program) -> bool:
    """Whether rounding decides the result, as with a singular matrix: it is another one next to the arguments."""
    rng, run = np.random.default_rng(0), program.load()
    ends = [attempt(lambda by=by: as_tuples(run(*_stirred(program.args, by, rng)))) for by in (0.0, 1e-15, 1e-14)]
    return any(difference(ends[0], other, rtol=1e-5, atol=1e-8) is not None for other in ends[1:])


def _stirred(x: Any, by: float, rng: np.random.Generator) -> Any:
    """A copy of arguments whose doubles differ by so much of their size."""
    if isinstance(x, tuple):
        return tuple(_stirred(v, by, rng) for v in x)
    double = isinstance(x, float) or getattr(x, "dtype", None) == float
    return x * (1.0 + by * rng.normal(size=np.shape(x))) if double else copy(x)


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


def batch(seeds: range, until: float, drawn: Callable[[int], Task]) -> dict[str, list]:
    """The outcomes of the programs of a range of seeds, the seeds of what was found, and the programs for the pool."""
    counts: Counter[str] = Counter()
    found, new = [], []
    for seed in seeds:
        if time.monotonic() > until:
            break
        t, before = drawn(seed), branches.taken()
        told = outcome(t)
        counts[f"{t.writer}: {told if not told.startswith(FINDING) else FINDING}"] += 1
        counts["compiled builds"] += len(t.compiled)
        if told.startswith(FINDING):
            found.append((seed, told))
        elif told in ("agrees", "raises") and branches.taken() > before:
            new.append(text_of(t.program))
    return {"counts": counts, "found": found, "new": new}


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
    parser.add_argument("--compiled", type=float, default=0.01, help=share)
    told = "programs of a few statements, most of them only lowered and interpreted: many in a short time"
    parser.add_argument("--brief", action="store_true", help=told)
    parser.add_argument("--shrink", type=float, default=90.0, help="seconds for making one finding smaller")
    parser.add_argument("--keep", type=Path, default=FOUND)
    parser.add_argument("--untaken", type=Path, help="where to list the branches that no program has taken")
    told = "machine code runs once more with its buffers between pages that may not be accessed"
    parser.add_argument("--guard-pages", action="store_true", help=told)
    options = parser.parse_args()
    if options.guard_pages and guard_pages.preloaded() is None:
        with tempfile.TemporaryDirectory() as folder:
            again = [sys.executable, "-m", "tests.soak", *sys.argv[1:]]
            return subprocess.run(again, env=guard_pages.environment(Path(folder))).returncode
    warnings.simplefilter("ignore")
    os.environ["LINAD_CACHE"] = "0"
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    pool: list[str] = []

    def drawn(seed: int) -> Task:
        return task(seed, options.only, options.compiled, pool, options.brief)

    many = MANY if options.brief else 1
    size = BATCH * many
    first, until = options.seed * 10_000_000, time.monotonic() + 60 * options.minutes
    _warm(first, many)
    looked = time.monotonic()
    while time.monotonic() < until:
        seeds = range(first, first + size)
        told, status = in_child(lambda seeds=seeds: batch(seeds, until, drawn))
        if told is None:
            told = {"counts": {}, "found": _crash(seeds, drawn), "new": []}
        counts.update(told["counts"])
        for seed, what in told["found"]:
            kinds[what] += 1
            if kinds[what] == 1:
                t = _failing(drawn(seed), what)
                file = keep(minimal(t, what, options.shrink), f"{t.writer}_{seed}", options.keep)
                built = ", ".join(t.compiled) or "not compiled"
                print(f"{file}: {what} (seed {seed}, {t.depth}, {built}, without {sorted(t.off)})", flush=True)
        pool = [*pool, *told["new"]][-POOL:]
        first += size
        if time.monotonic() - looked > REPORT:
            looked = time.monotonic()
            print(f"{_programs(counts)}, {branches.taken()} of {branches.count} branches, pool of {len(pool)}", flush=True)
    print(f"{_programs(counts)}; {sum(kinds.values())} findings of {len(kinds)} kinds")
    print(f"{branches.taken()} of {branches.count} branches of the front end and the passes were taken")
    if options.untaken:
        options.untaken.write_text("\n".join(branches.untaken()) + "\n", encoding="utf-8")
    counts.pop("compiled builds", 0)
    for name, n in sorted(counts.items()):
        print(f"{n:7}  {name}")
    for name, n in kinds.most_common():
        print(f"{n:7}  {name}")
    return bool(kinds)


def _programs(counts: Counter[str]) -> str:
    """How many programs there were, and in which time of the processor."""
    programs = sum(n for k, n in counts.items() if k != "compiled builds" and not k.endswith(NOTHING))
    used = sum(os.times()[:4])
    return f"{programs} programs, {counts['compiled builds']} compiled builds, {used:.0f} s of the processor"


def _warm(first: int, many: int) -> None:
    """Import and read before there are children what each of them would, and keep it out of the collector's way."""
    all_passes()
    for seed in range(first - WARM * many, first):
        t = task(seed, None, 0.0, brief=many > 1)
        outcome(replace(t, compiled=("compiled",), depth="derivative") if seed == first - 1 else t)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _crash(seeds: range, drawn: Callable[[int], Task]) -> list[tuple[int, str]]:
    """Which program of a batch ends its process."""
    for seed in seeds:
        _, status = in_child(lambda seed=seed: outcome(drawn(seed)))
        if status:
            return [(seed, f"{FINDING} crash: the process ended with {status}")]
    return []


def _failing(t: Task, told: str) -> Task:
    """The task with the arguments at which it comes to that."""
    tasks = [replace(t, program=p, depth="value") for p in (t.program, *_others(t))] if t.depth == "lowered" else []
    return next((o for o in tasks if in_child(lambda o=o: outcome(o))[0] == told), t)
