"""The cache of generated modules on disk.

One folder per entry function, named by a hash of its text, its options, the types of its arguments and every version
that matters. In it, per set of things the function depends on (constants, helpers in other files):

- ``<key>.front``: the outcome of the front end, so that a warm start runs neither the checker nor the derivative;
- ``<key>-<kernel>.py`` and ``.sites``: a generated module and what its error codes mean; its machine code is in
  ``__pycache__`` beside it (`machine_code`).

Every file is written under another name and renamed, so a reader sees all of it or nothing, and a file that cannot be
read counts as absent. Where a file cannot be written, because the folder is read-only, no folder, full, or there is no
home to have one in, the process says so once and goes on in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from linad_typecheck.diagnostics import LinadWarning

LIMIT = 512 * 1024 * 1024  # bytes kept by default; LINAD_CACHE_LIMIT overrides
PAUSE = 600  # seconds between looks at how much is kept: each reads the size of every file
LOOKED = "looked"  # the file whose date says when that was
FRONTS = 32  # sets of constants and helpers remembered per function
IN_MEMORY = 256  # functions whose outcomes are remembered without a folder
_OFF = ("0", "off", "no", "false")


def enabled() -> bool:
    """Whether generated code is kept between processes: not where ``LINAD_CACHE=0``."""
    return os.environ.get("LINAD_CACHE", "").lower() not in _OFF


def directory() -> Path | None:
    """Where generated modules are kept: ``LINAD_CACHE_DIR``, or the user's cache folder; None without a home."""
    chosen = os.environ.get("LINAD_CACHE_DIR")
    from platformdirs import user_cache_path

    with contextlib.suppress(RuntimeError):  # a user without a home
        if chosen:
            return Path(chosen).expanduser()
        place = user_cache_path("linad")
        return place if place.is_absolute() else None
    return None


def place_text() -> str:
    """That folder as a user reads it."""
    return str(directory() or "no folder (there is no home: set LINAD_CACHE_DIR)")


def limit() -> int:
    """The size in bytes above which the least recently used entries go."""
    try:
        return int(os.environ["LINAD_CACHE_LIMIT"])
    except (KeyError, ValueError):
        return LIMIT


def digest(*parts: object) -> str:
    """A hash of the representations of the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


@cache
def versions() -> tuple[str, ...]:
    """What the front end's outcome depends on besides the program: linad's own text, Python and NumPy."""
    import numpy

    return (own_text(), sys.version, numpy.__version__)


@cache
def own_text() -> str:
    """A hash of the stamps of linad's own files, so that a changed linad never meets code an older one generated."""
    import linad_typecheck

    stamps: list[tuple[str, int, int]] = []
    pending = [str(Path(__file__).parents[1]), str(Path(linad_typecheck.__file__).parent)]
    while pending:
        place = pending.pop()
        if not os.path.isdir(place):  # in a zip
            archive = next(p for p in Path(place).parents if p.exists())
            stamps.append(_stamp(archive, archive.stat()))
            continue
        for item in os.scandir(place):
            if item.name.endswith(".py"):
                stamps.append(_stamp(item.path, item.stat()))
            elif item.name != "__pycache__" and item.is_dir():
                pending.append(item.path)
    return digest(sorted(stamps))


def _stamp(path: str | Path, status: os.stat_result) -> tuple[str, int, int]:
    return str(path), status.st_mtime_ns, status.st_size


@dataclass(frozen=True)
class Entry:
    """What is kept of an entry function, options and argument types: in a folder, and in memory what cannot be there."""

    name: str
    folder: Path | None
    memory: dict[str, bytes] = field(default_factory=dict)  # pickled outcomes of the front end by key, newest last

    def ready(self) -> bool:
        """Make the folder where it is not there yet; whether it is there now."""
        if self.folder is None:
            return False
        if self.folder.is_dir():
            return True
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            unusable(error)
            return False
        if _due(self.folder.parent):
            shrink(keep=self.folder)
        return True

    def fronts(self) -> Iterator[tuple[str, object]]:
        """The stored outcomes of the front end with their keys, newest first."""
        for key, outcome in reversed(list(self.memory.items())):
            yield key, pickle.loads(outcome)
        for path in self._fronts():
            outcome = read(path)
            if outcome is not None:
                yield path.stem, outcome

    def _fronts(self) -> list[Path]:
        """Their files, newest first."""
        if self.folder is None:
            return []
        try:
            return sorted(self.folder.glob("*.front"), key=lambda p: p.stat().st_mtime, reverse=True)
        except OSError:
            return []

    def store_front(self, key: str, outcome: object) -> None:
        """Keep an outcome of the front end, and of the older ones the newest."""
        content = pickle.dumps(outcome)
        if not (self.ready() and write(self.folder / f"{key}.front", content)):
            self.memory[key] = content
            for old in list(self.memory)[:-FRONTS]:
                self.memory.pop(old, None)
            return
        with contextlib.suppress(OSError):
            for old in self._fronts()[FRONTS:]:
                old.unlink()
                for path in (*self.folder.glob(f"{old.stem}-*"), *self.folder.glob(f"__pycache__/{old.stem}-*")):
                    path.unlink()

    def module(self, key: str) -> tuple[Path, object] | None:
        """The generated module stored under a key, with its error sites."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.py"
        sites = read(path.with_suffix(".sites"))
        if sites is None or not path.exists():
            return None
        self.touch()
        return path, sites

    def store_module(self, key: str, text: str, sites: object) -> Path | None:
        """Keep a generated module; None where the folder cannot be written."""
        if not self.ready():
            return None
        path = self.folder / f"{key}.py"
        if not path.exists() and not write(path, text.encode()):
            return None
        if not write(path.with_suffix(".sites"), pickle.dumps(sites)):
            return None
        self.touch()
        return path

    def discard(self, key: str) -> None:
        """Forget a module, with the machine code beside it."""
        if self.folder is None:
            return
        for path in (*self.folder.glob(f"{key}.*"), *self.folder.glob(f"__pycache__/{key}.*")):
            with contextlib.suppress(OSError):
                path.unlink()

    def touch(self) -> None:
        """Note the use, for `purge`."""
        with contextlib.suppress(OSError):
            (self.folder / "used").touch()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off other processes while one compiles; where the system has no file locks they compile side by side."""
        handle = None
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = open(self.folder / "lock", "a") if self.ready() else None  # noqa: SIM115
        if handle is None:
            yield
            return
        with handle:
            with contextlib.suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_UN)


_memory: dict[str, dict[str, bytes]] = {}  # by entry, the last used last


def entry(name: str, key: str, persistent: bool = True) -> Entry:
    """What is kept of an entry function. A folder is made when it gets a file."""
    label = f"{''.join(c if c.isalnum() else '_' for c in name)[:40]}-{key}"
    place = directory() if persistent and enabled() else None
    if place is None and persistent and enabled():
        unusable(OSError("there is no home folder"))
    memory = _memory[label] = _memory.pop(label, {})
    for old in list(_memory)[:-IN_MEMORY]:
        _memory.pop(old, None)
    return Entry(label, place / label if place else None, memory)


def read(path: Path) -> object | None:
    """An object that `write` kept; None where there is none, or a damaged one."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception:  # noqa: BLE001 - a damaged file raises whatever its bytes happen to spell
        return None


def write(path: Path, content: bytes) -> bool:
    """Write a file at once or not at all; whether it is there now."""
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)  # another process may just have removed it
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        unusable(error)
        return False
    return True


_said = threading.Lock()  # taken for good by the first who says that the folder cannot be used


def unusable(error: OSError) -> None:
    """Say, once in a process, that machine code is not kept on disk."""
    if not _said.acquire(blocking=False):
        return
    place = directory()
    why = error.strerror or str(error)
    what = "there is no folder for compiled code" if place is None else f"compiled code cannot be kept in {place}"
    told = f"{what} ({why}): it stays in memory, and each process compiles anew"
    told += "; set LINAD_CACHE_DIR to a folder that can be written, or LINAD_CACHE=0"
    file, line = _caller()
    warnings.warn_explicit(told, LinadWarning, file, line)


def _caller() -> tuple[str, int]:
    """The place in the user's program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USERS:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_NOT_THE_USERS = ("linad", "linad_typecheck", "numba", "llvmlite", "contextlib", "functools", "importlib")


# ------------------------------------------------------------------------------------------------ looking after it


@dataclass(frozen=True, slots=True)
class Stored:
    """One folder of the cache."""

    folder: Path
    size: int
    used: float

    @property
    def name(self) -> str:
        return self.folder.name.rpartition("-")[0]


def _due(place: Path) -> bool:
    """Whether it is time to look how much is kept, which is noted as done."""
    mark = place / LOOKED
    with contextlib.suppress(OSError):
        if mark.exists() and 0 <= time.time() - mark.stat().st_mtime < PAUSE:
            return False
        mark.touch()
    return True


def _size(folder: str | Path) -> int:
    """The bytes of all files in a folder."""
    with os.scandir(folder) as items:
        return sum(_size(i.path) if i.is_dir(follow_symlinks=False) else i.stat().st_size for i in items)


def stored(place: Path | None = None) -> list[Stored]:
    """What the cache holds, most recently used first."""
    found = []
    place = place or directory()
    with contextlib.suppress(OSError):
        for folder in place.iterdir() if place else ():
            with contextlib.suppress(OSError):
                if _ours(folder):
                    mark = folder / "used"
                    found.append(Stored(folder, _size(folder), (mark if mark.exists() else folder).stat().st_mtime))
    return sorted(found, key=lambda s: s.used, reverse=True)


def _ours(folder: Path) -> bool:
    name, _, key = folder.name.rpartition("-")
    return bool(name) and len(key) == 32 and all(c in "0123456789abcdef" for c in key) and folder.is_dir()


def shrink(keep: Path | None = None, bytes_allowed: int | None = None) -> list[Stored]:
    """Remove the least recently used entries until the rest fits; what was removed."""
    allowed = limit() if bytes_allowed is None else bytes_allowed
    removed, total = [], 0
    for item in stored():
        total += item.size
        if total > allowed and item.folder != keep:
            shutil.rmtree(item.folder, ignore_errors=True)
            removed.append(item)
    return removed


def command(argv: Sequence[str] = ()) -> int:
    """``linad cache list | purge | dir``: print what is stored, remove it, or say where it is; the exit code."""
    place = place_text()
    match list(argv):
        case ["dir"]:
            print(place)
        case ["purge"]:
            removed = shrink(bytes_allowed=-1)
            with contextlib.suppress(OSError):
                Path(place, LOOKED).unlink()
            print(f"removed {_entries(removed)}, {_megabytes(sum(s.size for s in removed))}")
        case [] | ["list"]:
            items = stored()
            for item in items:
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.used))
                print(f"{_megabytes(item.size):>9}  {when}  {item.name}")
            print(f"{_entries(items)}, {_megabytes(sum(s.size for s in items))} of {_megabytes(limit())} in {place}")
        case _:
            print("usage: linad cache [list | purge | dir]", file=sys.stderr)
            return 2
    return 0


def _entries(items: Sequence[Stored]) -> str:
    return f"{len(items)} entr{'y' if len(items) == 1 else 'ies'}"


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.2f} MB"
