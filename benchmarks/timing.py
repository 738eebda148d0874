"""Clocks, medians, slopes, and what machine this is."""

from __future__ import annotations

import gc
import math
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def seconds(call: Callable[[], object], batch: float = 0.02, batches: int = 9) -> float:
    """Median time of one call, over batches that each last about `batch` seconds."""
    call()
    repeats = 1
    gc.collect()
    while (once := _batch(call, repeats)) < batch / 2:
        repeats = max(2 * repeats, int(repeats * batch / max(once, 1e-9) / 2))
    if once > 10 * batch:
        batches = max(3, batches // 3)
    return statistics.median([once, *(_batch(call, repeats) for _ in range(batches - 1))]) / repeats


Clock = Callable[[], float]


def interleaved(
    calls: dict[str, Callable[[], object]], rounds: int = 15, batch: float = 0.01, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Median time of each call, measured in turns, so that a change of the machine's speed meets all of them alike."""
    return {name: statistics.median(times) for name, times in _in_turns(calls, rounds, batch, clock).items()}


def least(calls: dict[str, Callable[[], object]], rounds: int = 100, batch: float = 0.004) -> dict[str, float]:
    """Least time of each call, measured in turns: what it takes where nothing else disturbs it."""
    return {name: min(times) for name, times in _in_turns(calls, rounds, batch).items()}


def _in_turns(
    calls: dict[str, Callable[[], object]], rounds: int, batch: float, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    repeats = {}
    for name, call in calls.items():
        call()
        repeats[name] = max(1, int(batch / max(_batch(call, 1, clock), 1e-9)))
    runs: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            runs[name].append(_batch(call, repeats[name], clock) / repeats[name])
    return runs


def _batch(call: Callable[[], object], repeats: int, clock: Clock = time.perf_counter) -> float:
    started = clock()
    for _ in range(repeats):
        call()
    return clock() - started


def slope(sizes: Sequence[int], values: Sequence[float], last: int = 3) -> float:
    """Exponent p of values ~ sizes**p, by least squares through the last points in log-log."""
    pairs = [(math.log(n), math.log(v)) for n, v in zip(sizes, values) if v > 0][-last:]
    if len(pairs) < 2:
        return math.nan
    mean_x = statistics.fmean(x for x, _ in pairs)
    mean_y = statistics.fmean(y for _, y in pairs)
    above = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    return above / sum((x - mean_x) ** 2 for x, _ in pairs)


def engineering(value: float) -> str:
    """A time with three digits and a unit a person can read."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def compiler() -> str:
    try:
        return subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return "no gcc"


def machine() -> str:
    """Processor and versions, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    versions = []
    for package in ("linad", "numba", "numpy", "scipy"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    return f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}; {', '.join(versions)}; {compiler()}"
