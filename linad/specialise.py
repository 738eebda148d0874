"""From a live function and the types of its arguments to kernels, using the cache where possible."""

from __future__ import annotations

import linecache
import logging  # noqa: F401  (see _before_fork)
import os
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING

from linad_typecheck.deep import deep
from linad_typecheck.garbage import uncollected
from linad_typecheck.diagnostics import Diagnostic, LinadError, LinadWarning, ZeroGradientWarning, strictly
from linad_typecheck.signature import ArgStatic, Signature

from .boundary.errors import refusal, rendered
from .boundary.kernel import Kernel, Loaded
from .boundary.live import Record, source_mark
from .boundary.objects import Given
from .boundary.records import attached, distinct, tags
from .boundary.short import VERSIONS, Short, alike, annotated, matrices, short_axes
from .codegen import EmitOptions, emit
from .codegen import cache as disk
from .codegen.startup import import_numba
from .optimise.environment import OFF, BrokenByPass, guarded, verifying
from .options import Options
from .progress import compiling
from .requests import EXACT, Request, described

if TYPE_CHECKING:
    from linad_typecheck.ir.core import Program
    from linad_typecheck.signature import Checked
    from linad_typecheck.span import Span


lock = threading.RLock()  # one compilation at a time
# A thread that also takes Numba's lock takes that one first, as Numba's compiler does when it compiles a call of a
# checked function (see `njit`).


LOADED = 256
_loaded: dict[tuple[str, str], Loaded] = {}  # loaded machine code by cache entry and key, least recently used first
# Functions created repeatedly from the same text and constants, such as a lambda in a loop, share an entry.


# The functions to call before a fork run in reverse order of registration. The one of ``logging`` takes its lock, which
# the import of Numba needs, so it must run after ours. The module is therefore imported above, before ours is
# registered.
_forking = ExitStack()  # the locks that the forking thread holds


def _locked(count: int | None = None) -> ExitStack:
    """The first ``count`` locks of Numba, if it is imported, and ours, acquired in this order."""
    while True:
        others, taken = _locks_of_numba(), ExitStack()
        for one in (*others[:count], lock):
            taken.enter_context(one)
        if others == _locks_of_numba():
            return taken
        taken.close()  # Numba was imported meanwhile


def _locks_of_numba() -> tuple:
    return getattr(sys.modules.get("linad.codegen.numba_compat"), "LOCKS", ())


def _before_fork() -> None:
    """Wait until no other thread compiles: a child would find the locks taken and the tables half written, for ever."""
    _forking.push(_locked())


def _after_fork() -> None:
    _forking.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@dataclass(frozen=True)
class Front:
    """The result of the front end, as stored in the cache. ``missing``: parameters whose types are determined by a
    call. ``fixed``: parameters that are specialised by value."""

    marks: tuple[tuple[str, str, str], ...]
    signature: Signature | None
    diagnostics: tuple[Diagnostic, ...]
    missing: tuple[str, ...]
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """The kernels for arguments of certain sizes, and the most recent shapes with these sizes."""

    shapes: list[tuple[int, ...]]
    sizes: Short
    kernels: dict[Request, Kernel]


@dataclass(eq=False, repr=False)
class Specialisation:
    """A function specialised for argument types, module constants and helpers."""

    options: Options
    binding: Mapping[str, object]
    record: Record
    front: Front
    store: disk.Entry
    key: str
    checked: Checked | None = None
    kernels: dict[Short, dict[Request, Kernel]] = field(default_factory=lambda: {(): {}})
    # facts that calls need repeatedly, computed on first use
    known: dict[object, object] = field(default_factory=dict)
    latest: Version = field(init=False)  # the version used by the last call

    def __post_init__(self) -> None:
        self.latest = Version([], (), self.kernels[()])

    def __repr__(self) -> str:
        return f"<specialisation {self.key} of {self.record.root.__qualname__}>"

    @property
    def complete(self) -> bool:
        """Whether the types of all parameters are known."""
        return self.front.signature is not None and not self.front.missing

    @property
    def signature(self) -> Signature:
        assert self.front.signature is not None
        return self.front.signature

    @cached_property
    def matrices(self) -> tuple[int, ...]:
        """The flat arguments whose shapes determine the version."""
        return matrices(self.signature, [self.record.array(key).ndim for key in self.signature.hidden])

    def version(self, values: Sequence[object]) -> Version:
        """The kernels for such flat arguments."""
        seen, among = self.latest, self.matrices
        if among:
            shapes = [values[k].shape for k in among]
            if shapes != seen.shapes:
                seen = self.latest = self._version(shapes)
        return seen

    def _version(self, shapes: list[tuple[int, ...]]) -> Version:
        among = self.matrices
        sizes = (*short_axes(shapes, among), *alike(shapes, among, annotated(self.signature)))
        if sizes not in self.kernels and len(self.kernels) > VERSIONS:
            sizes = ()
        return Version(shapes, sizes, self.kernels.setdefault(sizes, {}))

    def kernel(self, request: Request, values: Sequence[object]) -> Kernel:
        """The kernel for a request and such flat arguments. It is compiled or loaded at its first call."""
        version = self.version(values)
        return version.kernels.get(request) or self._kernel(request, version.sizes)

    def any_size(self, request: Request) -> Kernel:
        """The kernel that answers a request with arguments of any sizes."""
        return self.kernels[()].get(request) or self._kernel(request, ())

    def _kernel(self, request: Request, sizes: Short) -> Kernel:
        with lock:
            made = Kernel(partial(self._load, request, sizes), partial(self._largest, request, sizes))
            return self.kernels[sizes].setdefault(request, made)

    def lowered(self, sizes: Short) -> Program:
        """The lowered core program, for arguments of these sizes."""
        if self.checked is None:
            self.checked = checked_or_error(self.record, self.binding, self.options)
        assert self.checked.program is not None
        if not sizes:
            return self.checked.program
        return _programs().with_sizes(self.checked.program, sizes)

    def program(self, request: Request = (), sizes: Short = ()) -> Program:
        """The simplified core program that answers a request."""
        return _programs().answer(self.lowered(()), request, self.options, sizes)

    @uncollected()
    def _load(self, request: Request, sizes: Short, checked: str) -> Loaded:
        if self.options.backend == "numba":
            with lock:  # which a fork waits for
                import_numba()
        with _locked(1), deep():
            try:
                if self.options.backend == "interpret":
                    return _programs().interpreted(self.program(request, sizes))
                return self._compiled(request, sizes, checked)
            except RecursionError:
                raise checker_error(self.record, _too_deep(self.record).diagnostics) from None
            except BrokenByPass as broken:
                told = f"{broken}; this is a defect of linad, not of {self.record.root.__qualname__}"
                help = f"report it together with the function, please; until then, set {OFF}={broken.name}"
                raise refusal("internal-error", told, help=help) from broken

    def _largest(self, request: Request, sizes: Short, values: Sequence[object]) -> tuple[str, int, Span] | None:
        """The largest array that a call with these arguments allocates before it starts: the message about it, its
        bytes and its position."""
        with lock:
            return _programs().largest_array(self.program(request, sizes), self._wanted(request, "hoisted"), values)

    def _wanted(self, request: Request, checked: str) -> EmitOptions:
        return EmitOptions(
            fastmath=self.options.fastmath,
            checked=checked,
            vector_math=_machine().choice() if self.options.fastmath else "libm",
            cache=self.options.cache and disk.enabled(),
            workspace=True,
            parallel=self.options.parallel,
            exact=EXACT in request,
            off=self.options.off,
        )

    def _compiled(self, request: Request, sizes: Short, checked: str) -> Loaded:
        wanted = self._wanted(request, checked)
        key = f"{self.key}-{disk.digest(request, sizes, wanted, _machine().target(), verifying(), guarded())}"
        store = self.store
        loaded = _loaded.pop((store.name, key), None)
        if loaded is None:
            with compiling(f"{described(request)}{self.record.root.__qualname__}", wanted.cache and store.ready()):
                loaded = self._built(store, key, request, sizes, wanted)
        _loaded[store.name, key] = loaded
        while len(_loaded) > LOADED:
            del _loaded[next(iter(_loaded))]
        return loaded

    def _built(self, store: disk.Entry, key: str, request: Request, sizes: Short, wanted: EmitOptions) -> Loaded:
        entry = _machine().compile.entry
        with store.locked():
            known = store.module(key)
            if known is not None:
                text, (name, *parts) = known
                try:
                    return Loaded(entry(name, key, text, store.folder), *parts)
                except Exception:  # noqa: BLE001 - machine code of another installation raises whatever it happens to
                    store.discard(key)
            program = self.program(request, sizes)
            with _ours(self.record.root.__qualname__):
                made = emit(program, wanted)
                parts = (made.sites, made.error_words, made.again, made.workspace, made.parallel)
                kept = store.store_module(key, made.source, (made.entry, *parts))
                driver = entry(made.entry, key, made.source, store.folder if kept else None)
            return Loaded(driver, *parts)


def _programs() -> ModuleType:
    """The module that differentiates; not imported if all kernels are in the cache."""
    from . import programs

    return programs


def _machine() -> ModuleType:
    """The module that imports Numba."""
    from .codegen import machine

    return machine


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """Report any other exception raised inside as a defect of linad, in one line."""
    try:
        yield
    except (LinadError, LinadWarning, BrokenByPass, MemoryError, OSError, ImportError):
        # a warning may be raised as an error; an ImportError says what to install
        raise
    except Exception as error:  # noqa: BLE001 - Numba raises whatever it happens to
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        cause = next((line for line in lines if "nopython mode pipeline" not in line), "no message")
        told = f"no machine code for {name}, which is a defect of linad, not of the function"
        told = f"{told}: {type(error).__name__}: {cause}"
        raise refusal("internal-error", told, help="report it together with the function, please") from None


def specialise(
    f: FunctionType,
    options: Options,
    binding: Mapping[str, object],
    surroundings: Mapping[str, object],
    early: bool = False,
) -> Specialisation:
    """Run the front end, or take its result from the cache.

    Raises
    ------
    LinadError
        With all errors of the function and of the functions that it calls.
    NotYet
        At decoration (``early``), if a name is looked up that the module binds further down.
    """

    def record() -> Record:
        given = {
            name: bound.value.value
            for name, bound in binding.items()
            if isinstance(bound, ArgStatic) and isinstance(bound.value, Given)
        }
        return Record(f, options.updates, options.wrt, surroundings, given, early)

    entry = record().entry()
    folder = disk.digest(source_mark(entry), options.code(), sorted(binding.items()), disk.versions())
    store = disk.entry(f.__name__, folder, options.cache)

    def kept(found: Record) -> disk.Entry:
        """The cache entry for kernels; in memory if the function calls compiled functions, which other processes do not
        have."""
        return disk.entry(f.__name__, folder, False) if found.calls_compiled() else store

    for key, outcome in store.fronts():
        front, again = Front(*outcome), record()
        if again.replay(front.marks):
            again.early = False
            if front.signature is not None and tags(front.signature):
                signature = attached(front.signature, again.classes(binding.values()))
                if signature is None:
                    continue
                front = replace(front, signature=signature)
            issue_warnings(again, options, front.diagnostics)
            return Specialisation(options, binding, again, front, kept(again), key)
    fresh = record()
    checked = checked_or_error(fresh, binding, options)
    fresh.early = False
    store = kept(fresh)
    front = Front(fresh.marks(), checked.signature, checked.diagnostics, checked.missing, checked.fixed)
    key = disk.digest(front.marks)
    if front.signature is None or distinct(front.signature):
        store.store_front(key, (front.marks, front.signature, front.diagnostics, front.missing, front.fixed))
    issue_warnings(fresh, options, front.diagnostics)
    return Specialisation(options, binding, fresh, front, store, key, checked)


def checked_or_error(record: Record, binding: Mapping[str, object], options: Options) -> Checked:
    """Run the checker on the recorded function.

    Raises
    ------
    LinadError
        If a diagnostic is an error.
    """
    from linad_typecheck.check import check

    try:
        checked = check(replace(record.entry(), lengths=options.lengths), binding)
    except RecursionError:
        checked = _too_deep(record)
    if any(d.severity == "error" for d in checked.diagnostics):
        raise checker_error(record, checked.diagnostics)
    return checked


def _too_deep(record: Record) -> Checked:
    from linad_typecheck.findings import too_deep

    return too_deep(record.entry())


def checker_error(record: Record, diagnostics: tuple[Diagnostic, ...]) -> LinadError:
    """The error for the diagnostics of a function and its callees, with their source lines."""
    texts = {s.source.name: s.source.text for s in record.reached()}
    return LinadError(diagnostics, rendered(diagnostics, texts))


_warned: dict[object, object] = {}  # like a module's `__warningregistry__`: the warnings already shown


def issue_warnings(record: Record, options: Options, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Issue the checker's warnings as Python warnings, each once per process, unless a comment on the line suppresses
    them.

    Raises
    ------
    LinadError
        If the option ``strict`` turns a warning into an error.
    """
    from linad_typecheck.checking.suppress import silenced

    warned = [
        d
        for d in diagnostics
        if d.severity == "warning" and not silenced(d.slug, linecache.getline(d.span.file, d.span.line))
    ]
    errors = tuple(d for d in map(strictly, warned) if d.severity == "error") if options.strict else ()
    if errors:
        raise checker_error(record, errors)
    for d in warned:
        category = ZeroGradientWarning if d.slug == "zero-gradient" else LinadWarning
        text, line = f"{d.message} [{d.code} {d.slug}]", max(d.span.line, 1)
        warnings.warn_explicit(text, category, d.span.file, line, registry=_warned)
