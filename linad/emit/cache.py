"""The cache of generated modules on disk.

One folder per entry function, named by a hash of its text, its options, the types of its arguments and every version
that matters. In it, per set of things the function depends on (constants, helpers in other files):

- ``<key>.front``: the outcome of the front end, so that a warm start runs neither the checker nor the derivative;
- ``<key>-<kernel>.py`` and ``.sites``: a generated module and what its error codes mean; Numba keeps its machine code in
  ``__pycache__`` beside it.

Every file is written under another name and renamed, so a reader sees all of it or nothing, and a file that cannot be
read counts as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LIMIT = 512 * 1024 * 1024  # bytes kept by default; LINAD_CACHE_LIMIT overrides
PAUSE = 600  # seconds between looks at how much is kept: each reads the size of every file
LOOKED = "looked"  # the file whose date says when that was
FRONTS = 32  # sets of constants and helpers remembered per function
_OFF = ("0", "off", "no", "false")


def enabled() -> bool:
    """Whether generated code is kept between processes: not where ``LINAD_CACHE=0``."""
    return os.environ.get("LINAD_CACHE", "").lower() not in _OFF


def directory() -> Path:
    """Where generated modules are kept: ``LINAD_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("LINAD_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("linad")


def limit() -> int:
    """The size in bytes above which the least recently used entries go."""
    try:
        return int(os.environ["LINAD_CACHE_LIMIT"])
    except (KeyError, ValueError):
        return LIMIT


@cache
def temporary() -> Path:
    """A folder that goes with the process, for machines whose cache folder cannot be written and for ``LINAD_CACHE=0``."""
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="linad-"))
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return folder


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
        for item in os.scandir(pending.pop()):
            if item.name.endswith(".py"):
                status = item.stat()
                stamps.append((item.path, status.st_mtime_ns, status.st_size))
            elif item.name != "__pycache__" and item.is_dir():
                pending.append(item.path)
    return digest(sorted(stamps))


@dataclass(frozen=True)
class Entry:
    """The folder of one entry function, options and argument types."""

    folder: Path

    def ready(self) -> bool:
        """Make the folder where it is not there yet; whether it is there now."""
        if self.folder.is_dir():
            return True
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
        if _due(self.folder.parent):
            shrink(keep=self.folder)
        return True

    def fronts(self) -> Iterator[tuple[str, object]]:
        """The stored outcomes of the front end with their keys, newest first."""
        try:
            found = sorted(self.folder.glob("*.front"), key=lambda p: p.stat().st_mtime, reverse=True)
        except OSError:
            return
        for path in found:
            outcome = read(path)
            if outcome is not None:
                yield path.stem, outcome

    def store_front(self, key: str, outcome: object) -> None:
        """Keep an outcome of the front end, and of the older ones the newest."""
        if not self.ready():
            return
        write(self.folder / f"{key}.front", pickle.dumps(outcome))
        with contextlib.suppress(OSError):
            kept = sorted(self.folder.glob("*.front"), key=lambda p: p.stat().st_mtime, reverse=True)
            for old in kept[FRONTS:]:
                old.unlink()
                for path in (*self.folder.glob(f"{old.stem}-*"), *self.folder.glob(f"__pycache__/{old.stem}-*")):
                    path.unlink()

    def module(self, key: str) -> tuple[Path, object] | None:
        """The generated module stored under a key, with its error sites."""
        path = self.folder / f"{key}.py"
        sites = read(path.with_suffix(".sites"))
        if sites is None or not path.exists():
            return None
        self.touch()
        return path, sites

    def store_module(self, key: str, text: str, sites: object) -> Path | None:
        """Keep a generated module; None where the folder cannot be written."""
        path = self.folder / f"{key}.py"
        if not self.ready():
            return None
        if not path.exists() and not write(path, text.encode()):
            return None
        if not write(path.with_suffix(".sites"), pickle.dumps(sites)):
            return None
        self.touch()
        return path

    def discard(self, key: str) -> None:
        """Forget a module, with the machine code beside it."""
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
        try:
            import fcntl

            self.ready()
            handle = open(self.folder / "lock", "a")  # noqa: SIM115
        except (ImportError, OSError):
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


def entry(name: str, key: str, persistent: bool = True) -> Entry:
    """The folder of an entry function: in the cache folder, or in the temporary one. It is made when it gets a file."""
    place = directory() if persistent and enabled() else temporary()
    return Entry(place / f"{''.join(c if c.isalnum() else '_' for c in name)[:40]}-{key}")


def read(path: Path) -> object | None:
    """An object that `write` kept; None where there is none, or a damaged one."""
    try:
        return pickle.loads(path.read_bytes())
    except Exception:  # noqa: BLE001 - a damaged file raises whatever its bytes happen to spell
        return None


def write(path: Path, content: bytes) -> bool:
    """Write a file at once or not at all; whether it is there now."""
    try:
        handle, temporary_name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary_name, path)
    except OSError:
        return False
    return True


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
    with contextlib.suppress(OSError):
        for folder in (place or directory()).iterdir():
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
    match list(argv):
        case ["dir"]:
            print(directory())
        case ["purge"]:
            removed = shrink(bytes_allowed=-1)
            with contextlib.suppress(OSError):
                (directory() / LOOKED).unlink()
            print(f"removed {_entries(removed)}, {_megabytes(sum(s.size for s in removed))}")
        case [] | ["list"]:
            items = stored()
            for item in items:
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.used))
                print(f"{_megabytes(item.size):>9}  {when}  {item.name}")
            print(f"{_entries(items)}, {_megabytes(sum(s.size for s in items))} of {_megabytes(limit())} in {directory()}")
        case _:
            print("usage: linad cache [list | purge | dir]", file=sys.stderr)
            return 2
    return 0


def _entries(items: Sequence[Stored]) -> str:
    return f"{len(items)} entr{'y' if len(items) == 1 else 'ies'}"


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.2f} MB"
