"""Available memory, checked before large allocations: some systems overcommit and kill a process that uses too much."""

from __future__ import annotations

import contextlib
from pathlib import Path

MUCH = 2**26  # bytes; smaller allocations are not checked

_SYSTEM = Path("/proc/meminfo")
_GROUPS = (  # a container's limit, its usage, and how much of that is reclaimable file cache
    (
        Path("/sys/fs/cgroup/memory.max"),
        Path("/sys/fs/cgroup/memory.current"),
        Path("/sys/fs/cgroup/memory.stat"),
        "inactive_file",
    ),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.stat"),
        "total_inactive_file",
    ),
)


def there_is(n: int) -> bool:
    """Whether ``n`` bytes are available. If the system does not report it, a trial allocation decides."""
    if n < MUCH:
        return True
    left = available()
    return left is None or n <= left


def available() -> int | None:
    """The number of bytes that can be allocated without a process being killed; None if the system does not report it.
    """
    found = [n for n in (_of_system(), *map(_of_group, _GROUPS)) if n is not None]
    return min(found, default=None)


def _of_system() -> int | None:
    with contextlib.suppress(OSError, ValueError):
        table = _table(_SYSTEM.read_text())
        if "MemAvailable:" in table:
            return 1024 * (table["MemAvailable:"] + table.get("SwapFree:", 0))
    return None


def _of_group(files: tuple[Path, Path, Path, str]) -> int | None:
    limit, used, stat, cached = files
    with contextlib.suppress(OSError, ValueError):  # "max" is not a number
        most = int(limit.read_text())
        return max(most - int(used.read_text()) + _table(stat.read_text()).get(cached, 0), 0)
    return None


def _table(text: str) -> dict[str, int]:
    rows = (line.split() for line in text.splitlines())
    return {row[0]: int(row[1]) for row in rows if len(row) > 1}


def size_text(n: int) -> str:
    """A number of bytes in readable form."""
    for unit, bits in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n >= 2**bits:
            return f"{n / 2**bits:.1f} {unit}"
    return f"{n} bytes"
