"""Hours of damage, for when there is time: ``python -m tests.fuzz.long --seconds 1200 --seed 1``.

The same edits as in the tests of this folder, over all programs, each with an alarm clock and all within a bound of memory. What
is found is written down with its text, and the search goes on.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from linad_typecheck.checking.fixes import fix

from ..batches import ROOM, Slow, alarm, in_child
from . import test_damaged as damaged
from . import test_edited as edited
from .corpus import HEAD, texts
from .storms import storm

BATCH = 400
FOUND = "found"
ALARM = 60  # seconds for one edit


def damage(rng: random.Random) -> tuple[str, str]:
    """What was done, and the text."""
    text, done = damaged.small(rng.choice(texts()), rng), []
    for _ in range(rng.choice([1, 1, 2, 4])):
        edit = rng.choice(damaged.DAMAGES)
        done.append(edit.__name__)
        text = edit(text, rng) or HEAD
    return "+".join(done), text


def checked(rng: random.Random, folder: Path) -> str:
    what, text = damage(rng)
    _keeping(folder, text, lambda: damaged.survives(text))
    return what


def fixed(rng: random.Random, folder: Path) -> str:
    """Fixes come to an end, and a second run finds nothing left to do."""
    what, text = damage(rng)
    unsafe = rng.random() < 0.5

    def look() -> None:
        once = fix(text, "damaged.py", unsafe=unsafe)
        assert once.applied < 400
        again = fix(once.text, "damaged.py", unsafe=unsafe)
        assert again.applied == 0 and again.text == once.text, (once.text, again.text)

    _keeping(folder, text, look)
    return f"fix {what}"


def accepted(rng: random.Random, folder: Path) -> str:
    """What is accepted does what CPython does."""
    whole = edited.edited_case(rng, folder, rng.choice([1, 1, 2, 3, 5]))
    return "not run" if whole is None else "accepted" if edited.agrees(whole) else "refused"


def stormed(rng: random.Random, folder: Path) -> str:
    """A file that is edited again and again in an editor."""
    text, count = "", 0
    try:
        for text in storm(rng):
            count += 1
    except BaseException:
        (folder / "edited.py").write_text(text, encoding="utf-8", errors="surrogatepass")
        raise
    return f"storm of {count} edits"


def _keeping(folder: Path, text: str, look: Callable[[], None]) -> None:
    try:
        look()
    except BaseException:
        (folder / "damaged.py").write_text(text, encoding="utf-8", errors="surrogatepass")
        raise


def main() -> int:
    """Run until the time is up; the exit code is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.long")
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "linad-fuzz")
    parser.add_argument("--only", choices=("checked", "fixed", "accepted", "stormed"))
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    batch, until = 0, time.monotonic() + options.seconds
    edited.cases(), texts()
    while time.monotonic() < until:
        seed = options.seed * 10_000_000 + batch * BATCH  # modules that were run are kept for good: a batch has a process of its own
        told, status = in_child(lambda seed=seed: _batch(options, seed, until), ROOM)
        if status:
            print(f"the process of batch {seed} ended with {status}", flush=True)
        counts += Counter(told or {FOUND: 1})
        batch += 1
    found = counts.pop(FOUND, 0)
    print(f"{sum(counts.values())} edits, {found} found: {dict(counts.most_common())}")
    return min(found, 1)


def _batch(options: argparse.Namespace, first: int, until: float) -> Counter[str]:
    warnings.simplefilter("ignore")
    counts: Counter[str] = Counter()
    for seed in range(first, first + BATCH):
        if time.monotonic() > until:
            break
        rng = random.Random(seed)
        kind = rng.choices([checked, fixed, accepted, stormed], [4, 2, 5, 1])[0]
        if options.only:
            kind = globals()[options.only]
        with tempfile.TemporaryDirectory() as folder:
            try:
                with alarm(ALARM):
                    done = kind(rng, Path(folder))
                counts[done.partition("+")[0]] += 1
            except (Exception, Slow):
                counts[FOUND] += 1
                _keep(options.keep / f"{kind.__name__}_{seed}", Path(folder))
    return counts


def _keep(kept: Path, folder: Path) -> None:
    told = traceback.format_exc().encode("utf-8", "backslashreplace").decode()
    kept.mkdir(exist_ok=True)
    for file in folder.glob("*.py"):
        (kept / file.name).write_bytes(file.read_bytes())
    (kept / "error.txt").write_text(told, encoding="utf-8")
    print(f"{kept}: {told.strip().splitlines()[-1][:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
