"""The cache of generated modules on disk.

One folder per entry function, named by a hash of its text, its options, the types of its arguments and every version
that matters. In it, per set of things the function depends on (constants, helpers in other files):

- ``<key>.front``: the outcome of the front end, so that a warm start runs neither the checker nor the derivative;
- ``<key>-<kernel>.py``: a generated module, after a line that says what its error codes mean;
- ``<key>-<kernel>.<function>-<types>.code``: its machine code (`machine_code`).

What is read here is run, so it is read only where nobody but the user can have written it: the folders are the user's
and made for the user alone, and so is each file. Each begins with a digest of its name and its content, without which
nothing of it is looked at. What is not as it was written is removed, and made again.

A folder that users share is only read, where its digests, made with a key that the user has, are right (`shared`).

Every file is written under another name and renamed, so a reader sees all of it or nothing. Where a file cannot be
written, because the folder is read-only, no folder, full, another user's, or there is no home to have one in, the
process says so once and goes on in memory.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from linad_typecheck.diagnostics import LinadWarning

from . import plain

LIMIT = 512 * 1024 * 1024  # bytes kept by default; LINAD_CACHE_LIMIT overrides
PAUSE = 600  # seconds between looks at how much is kept: each reads the size of every file
PATIENCE = 300  # seconds for which another process is waited for that compiles the same
HALF = ".new"  # ends the names of files that are being written
LOOKED = "looked"  # the file whose date says when that was
FRONTS = 32  # sets of constants and helpers remembered per function
SHORTEST = 32  # characters of the key of a folder that is shared
KEPT = (".front", ".py", ".code")
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


@dataclass(frozen=True)
class Shared:
    """A folder that another user, its owner, has filled (`share`), and the key of the digests in it."""

    folder: Path
    key: bytes


def shared() -> Shared | None:
    """That of ``LINAD_CACHE_SHARED`` with the key ``LINAD_CACHE_KEY``; None where either is missing, which is said
    once.
    """
    chosen = os.environ.get("LINAD_CACHE_SHARED")
    if not chosen:
        return None
    key = os.environ.get("LINAD_CACHE_KEY", "")
    if len(key) >= SHORTEST:
        return Shared(Path(chosen), key.encode())
    _say_once(f"the folder of LINAD_CACHE_SHARED is not used: {_KEY_NEEDED}", _said_of_shared)
    return None


_KEY_NEEDED = (
    f"LINAD_CACHE_KEY is the key of its digests, a secret of {SHORTEST} characters at least, "
    'such as `python -c "import secrets; print(secrets.token_hex())"` prints'
)


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
    """What is kept of an entry function, options and argument types: in a folder, and in memory what cannot be there.
    """

    name: str
    folder: Path | None
    memory: dict[str, bytes] = field(default_factory=dict)  # outcomes of the front end by key, newest last

    def ready(self) -> bool:
        """Make the folder where it is not there yet; whether it is there now."""
        if self.folder is None:
            return False
        try:
            if self.folder.is_dir():
                return True
            _make(self.folder)
        except OSError as error:
            unusable(error)
            return False
        if _due(self.folder.parent):
            shrink(keep=self.folder)
        return True

    def fronts(self) -> Iterator[tuple[str, object]]:
        """The stored outcomes of the front end with their keys, newest first."""
        for key, outcome in reversed(list(self.memory.items())):
            yield key, plain.load(outcome)
        own = self._fronts()
        names = {path.name for path in own}
        for path in (*own, *(p for p in self._shared_fronts() if p.name not in names)):
            content = read(path)
            if content is not None:
                yield path.stem, plain.load(content)

    def _fronts(self) -> list[Path]:
        """Their files, newest first."""
        return [] if self.folder is None else _newest(self.folder)

    def _shared_fronts(self) -> list[Path]:
        """Where files that are only in the shared folder would be in this one."""
        place = None if self.folder is None else shared()
        return [] if place is None else [self.folder / p.name for p in _newest(place.folder / self.name)]

    def store_front(self, key: str, outcome: object) -> None:
        """Keep an outcome of the front end, and of the older ones the newest."""
        content = plain.dump(outcome)
        if not (self.ready() and write(self.folder / f"{key}.front", content)):
            self.memory[key] = content
            for old in list(self.memory)[:-FRONTS]:
                self.memory.pop(old, None)
            return
        for old in self._fronts()[FRONTS:]:
            remove(old)
            self._remove(f"{old.stem}-*")

    def module(self, key: str) -> tuple[str, object] | None:
        """The text of the generated module stored under a key, and what else is known of it."""
        content = None if self.folder is None else read(self.folder / f"{key}.py")
        if content is None:
            return None
        self.touch()
        facts, _, text = content.partition(b"\n")
        return text.decode(), plain.load(facts.removeprefix(b"# "))

    def store_module(self, key: str, text: str, facts: object) -> bool:
        """Keep a generated module with what else is known of it; whether that is done."""
        if not (self.ready() and write(self.folder / f"{key}.py", b"# %b\n%b" % (plain.dump(facts), text.encode()))):
            return False
        self.touch()
        return True

    def discard(self, key: str) -> None:
        """Forget a module, with its machine code."""
        self._remove(f"{key}.*")

    def _remove(self, pattern: str) -> None:
        with contextlib.suppress(OSError):
            for path in self.folder.glob(pattern) if self.folder else ():
                remove(path)

    def touch(self) -> None:
        """Note the use, for `purge`."""
        with contextlib.suppress(OSError):
            if self.folder is not None:
                _mark(self.folder / "used")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off other processes while one compiles; where the system has no file locks they compile side by side."""
        handle = self._lock() if self.ready() else None
        if handle is None:
            yield
            return
        try:
            yield
        finally:
            _unlock(handle)

    def _lock(self) -> int | None:
        """The handle of the file whose lock this process has now."""
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
            _locks.add(handle)
            until = time.monotonic() + PATIENCE
            try:
                if not _private(os.fstat(handle)):
                    os.fchmod(handle, 0o600)
                while time.monotonic() < until:
                    with contextlib.suppress(BlockingIOError):
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        return handle
                    time.sleep(0.02)
            except BaseException:
                _unlock(handle)
                raise
            _unlock(handle)
        return None


def _newest(folder: Path) -> list[Path]:
    """The outcomes of the front end in a folder, newest first."""
    try:
        return sorted(folder.glob("*.front"), key=lambda p: p.lstat().st_mtime, reverse=True)
    except OSError:
        return []


_locks: set[int] = set()  # handles of files that are locked, or wanted


def _unlock(handle: int) -> None:
    """Let go of a lock, also where a child has a copy of the handle."""
    import fcntl

    if handle in _locks:  # this is the process that opened it
        _locks.discard(handle)
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _not_mine() -> None:
    """In a child: what its parent has locked must not stay so as long as the child lives."""
    for handle in _locks:
        with contextlib.suppress(OSError):
            os.close(handle)
    _locks.clear()


os.register_at_fork(after_in_child=_not_mine) if hasattr(os, "register_at_fork") else None

_memory: dict[str, dict[str, bytes]] = {}  # by entry, the last used last


def entry(name: str, key: str, persistent: bool = True) -> Entry:
    """What is kept of an entry function. A folder is made when it gets a file."""
    label = f"{''.join(c if c.isalnum() else '_' for c in name)[:40]}-{key}"
    folder = None
    if persistent and enabled():
        try:
            folder = _safe(label)
        except OSError as error:
            unusable(error)
    memory = _memory[label] = _memory.pop(label, {})
    for old in list(_memory)[:-IN_MEMORY]:
        _memory.pop(old, None)
    return Entry(label, folder, memory)


# ------------------------------------------------------------------------------------------------------------- files

_FLAGS = sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def _private(status: os.stat_result) -> bool:
    """Whether nobody else can have written what the status is of."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _mark(path: Path) -> None:
    """Give a file without content the date of now; like the others, only the user may write to it."""
    path.touch(0o600)
    if not _private(path.stat()):
        path.chmod(0o600)


def _safe(label: str) -> Path:
    """The folder of an entry, which may not be there yet.

    Raises
    ------
    OSError
        Where others may write to it, or there is no place for it.
    """
    place = directory()
    if place is None:
        raise OSError("there is no home folder")
    for folder in (place, place / label):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # `ready` tells
            if not _private(folder.stat()):
                raise PermissionError(
                    f"others may write to it: a folder of your own, after `chmod 700 {folder}`, is used"
                )
    return place / label


def _make(folder: Path) -> None:
    """Make the folder of an entry, and the one that it is in, for this user alone."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for made in (folder.parent, folder):
        made.mkdir(mode=0o700, exist_ok=True)
        if not _private(made.stat()):  # another one's, made meanwhile
            raise PermissionError(errno.EPERM, "others may write to it")


def _sealed(path: Path, content: bytes, key: bytes | None = None) -> bytes:
    """A content with a digest of it, and of the name of its file, in a line before it; with a key, nobody without it
    can make that."""
    text = b"%b\0%b" % (os.fsencode(path.name), content)
    made = hashlib.sha256(text) if key is None else hmac.new(key, text, "sha256")
    return b"# linad %b\n%b" % (made.hexdigest().encode(), content)


def read(path: Path) -> bytes | None:
    """What `write` has kept in a file, exactly, or what `share` has kept for it; None where there is none. Anything
    else in its place is removed."""
    content = _read(path, None, _private)
    place = shared() if content is None else None
    if place is None:
        return content
    folder = place.folder / path.parent.name
    try:
        owner = place.folder.stat().st_uid
        if all(_only(owner, made.stat()) for made in (place.folder, folder)):
            return _read(folder / path.name, place.key, lambda status: _only(owner, status))
    except OSError:  # there is no such folder
        pass
    return None


def _only(owner: int, status: os.stat_result) -> bool:
    """Whether nobody else than the owner can have written what the status is of."""
    return status.st_uid == owner and not status.st_mode & 0o022


def _read(path: Path, key: bytes | None, trusted: Callable[[os.stat_result], bool]) -> bytes | None:
    """The content of a file whose status and digest are right. Of the user's own, others are removed."""
    try:
        handle = os.open(path, os.O_RDONLY | _FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP and key is None:  # a link
            remove(path)
        return None
    whole = b""
    try:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode) and trusted(status):
            with open(handle, "rb", closefd=False) as file:
                whole = file.read()
    except (OSError, MemoryError):
        return None
    finally:
        os.close(handle)
    content = whole.partition(b"\n")[2]
    if hmac.compare_digest(whole, _sealed(path, content, key)):
        return content
    if key is None:
        remove(path)
    return None


def write(path: Path, content: bytes) -> bool:
    """Keep a content in a file, at once or not at all; whether it is there now."""
    try:
        _write(path, content, None)
    except OSError as error:
        unusable(error)
        return False
    return True


def _write(path: Path, content: bytes, key: bytes | None) -> None:
    """The same; with a key for others to read."""
    temporary = ""
    try:
        _make(path.parent)  # another process may just have removed it
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=HALF)
        with os.fdopen(handle, "wb") as file:
            file.write(_sealed(path, content, key))
        if key is not None:
            path.parent.parent.chmod(0o755)
            path.parent.chmod(0o755)
            os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        if temporary:
            remove(Path(temporary))
        raise


def share(folder: Path, key: bytes) -> int:
    """Keep what the user's cache holds in a folder for others to read (see `shared`); the number of entries.

    Raises
    ------
    OSError
        Where that is not possible, or others may write to the folder.
    """
    items = stored()
    for item in items:
        for path in item.folder.iterdir():
            content = _read(path, None, _private) if path.suffix in KEPT else None
            if content is not None:
                _write(folder / item.folder.name / path.name, content, key)
    return len(items)


def remove(path: Path) -> None:
    """Remove a file, or an empty folder in its place, if that is possible."""
    with contextlib.suppress(OSError):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


# taken for good by the first who says that the folder cannot be used
_said, _said_of_shared = threading.Lock(), threading.Lock()


def unusable(error: OSError) -> None:
    """Say, once in a process, that machine code is not kept on disk."""
    place = directory()
    why = error.strerror or str(error)
    what = "there is no folder for compiled code" if place is None else f"compiled code cannot be kept in {place}"
    told = f"{what} ({why}): it stays in memory, and each process compiles anew"
    _say_once(f"{told}; set LINAD_CACHE_DIR to a folder that can be written, or LINAD_CACHE=0", _said)


def _say_once(told: str, said: threading.Lock) -> None:
    if said.acquire(blocking=False):
        file, line = _caller()
        warnings.warn_explicit(told, LinadWarning, file, line)


def _caller() -> tuple[str, int]:
    """The place in the user's program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _NOT_THE_USERS.match(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_NOT_THE_USERS = re.compile(
    r"(linad|linad_typecheck|numba|llvmlite|contextlib|functools|importlib)(\.|$)|linad_generated_"
)


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
        _mark(mark)
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
        with contextlib.suppress(OSError):
            for path in item.folder.glob(f".*{HALF}"):  # of a process that was ended
                if time.time() - path.lstat().st_mtime > PAUSE:
                    remove(path)
        total += item.size
        if total > allowed and item.folder != keep:
            shutil.rmtree(item.folder, ignore_errors=True)
            removed.append(item)
    return removed


def command(argv: Sequence[str] = ()) -> int:
    """``linad cache list | purge | dir | share FOLDER``: print what is stored, remove it, say where it is, or have
    others read it from a folder; the exit code."""
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
        case ["share", folder]:
            key = os.environ.get("LINAD_CACHE_KEY", "")
            if len(key) < SHORTEST:
                print(f"{folder} is not filled: {_KEY_NEEDED}", file=sys.stderr)
                return 2
            try:
                print(f"{_entries([None] * share(Path(folder), key.encode()))} in {folder}")
            except OSError as error:
                print(f"{folder} cannot be filled: {error.strerror or error}", file=sys.stderr)
                return 1
        case _:
            print("usage: linad cache [list | purge | dir | share FOLDER]", file=sys.stderr)
            return 2
    return 0


def _entries(items: Sequence[object]) -> str:
    return f"{len(items)} entr{'y' if len(items) == 1 else 'ies'}"


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.2f} MB"
