"""From a live function and the types of its arguments to kernels, through the cache where it already knows them."""

from __future__ import annotations

import linecache
import logging  # noqa: F401  (see _before_fork)
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from types import FunctionType
from typing import TYPE_CHECKING

from linad_typecheck.deep import deep
from linad_typecheck.diagnostics import Diagnostic, LinadError, LinadWarning, ZeroGradientWarning, strictly
from linad_typecheck.signature import ArgStatic, Signature

from .boundary.errors import refusal, rendered
from .boundary.kernel import DONE, Kernel, Loaded, raise_at
from .boundary.live import Record, source_mark
from .boundary.objects import Given
from .boundary.records import attached, distinct, tags
from .boundary.short import VERSIONS, Short, alike, annotated, matrices, short_axes
from .codegen import cache as disk
from .optimise.environment import OFF, BrokenByPass, guarded, verifying
from .options import Options
from .progress import compiling

if TYPE_CHECKING:
    from linad_typecheck.ir.core import Program
    from linad_typecheck.signature import Checked
    from linad_typecheck.span import Span

    from .codegen import EmitOptions

# The outputs of a program: () for its values; one (leaves to differentiate by, whether values come too) per reverse
# derivative, and FORWARD in place of the second for a forward one, PATTERN for what the results depend on.
FORWARD = "forward"
EXACT = ((), "exact")  # first in a request: a partial times a zero is zero, also where it is infinite or nan
PATTERN = "pattern"
MOVED = "moved"  # a forward derivative without the value
PUSHED, PULLED = "pushed", "pulled"  # a forward or a reverse derivative in many directions at once
KINDS = ("counted", "placed", "filled", "summed")  # the entries of a Jacobian one by one (see `adjoint.entries`)
RECORD, REPLAY = "record", "replay"  # the two programs that a forward derivative comes in (see `adjoint.split`)
Level = tuple[tuple[int, ...], bool | str]
Request = tuple[Level, ...]


lock = threading.RLock()  # compiling is one at a time; a thread that takes Numba's lock, too, takes that first, as
# Numba's compiler does that compiles a call of a checked function (see `njit`)


LOADED = 256
_loaded: dict[tuple[str, str], Loaded] = {}  # machine code by entry and key, the last used last: functions made anew
# from one text, such as a lambda in a loop, with the same constants share it


# Functions to call before a fork run last registered first. That of ``logging`` takes its lock, which the import of
# Numba needs: it must come after ours, so the module is imported above, before ours is registered.
_forking = ExitStack()  # the locks that the thread which forks has taken


def _locked(count: int | None = None) -> ExitStack:
    """So many locks of Numba, where it is there, and ours, taken."""
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
    """The outcome of the front end as the cache keeps it. ``missing`` parameters need the types of a call, ``fixed``
    ones values."""

    marks: tuple[tuple[str, str, str], ...]
    signature: Signature | None
    diagnostics: tuple[Diagnostic, ...]
    missing: tuple[str, ...]
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """The kernels for arguments of certain sizes, and the shapes of arguments that have them."""

    shapes: list[tuple[int, ...]]
    sizes: Short
    kernels: dict[Request, Kernel]


@dataclass(eq=False, repr=False)
class Specialisation:
    """A function for one set of argument types, module constants and helpers."""

    options: Options
    binding: Mapping[str, object]
    record: Record
    front: Front
    store: disk.Entry
    key: str
    checked: Checked | None = None
    kernels: dict[Short, dict[Request, Kernel]] = field(default_factory=lambda: {(): {}})
    # what calls need to know again, found by the first of them
    known: dict[object, object] = field(default_factory=dict)
    latest: Version = field(init=False)  # that of the last call

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
    def _matrices(self) -> tuple[int, ...]:
        return matrices(self.signature, [self.record.array(key).ndim for key in self.signature.hidden])

    def version(self, values: Sequence[object]) -> Version:
        """The kernels for such flat arguments."""
        seen, among = self.latest, self._matrices
        if among:
            shapes = [values[k].shape for k in among]
            if shapes != seen.shapes:
                seen = self.latest = self._version(shapes)
        return seen

    def _version(self, shapes: list[tuple[int, ...]]) -> Version:
        among = self._matrices
        sizes = (*short_axes(shapes, among), *alike(shapes, among, annotated(self.signature)))
        if sizes not in self.kernels and len(self.kernels) > VERSIONS:
            sizes = ()
        return Version(shapes, sizes, self.kernels.setdefault(sizes, {}))

    def kernel(self, request: Request, values: Sequence[object]) -> Kernel:
        """The kernel that answers a request with such flat arguments, compiled or loaded at its first call."""
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
            self.checked = checked_or_error(self.record, self.binding)
        assert self.checked.program is not None
        if not sizes:
            return self.checked.program
        from linad.optimise.scalars.size_naming import with_sizes

        return with_sizes(self.checked.program, sizes)

    def program(self, request: Request = (), sizes: Short = ()) -> Program:
        """The simplified core program that answers a request."""
        from . import pipeline
        from .adjoint.errors import NoDerivative

        if request[:1] == (EXACT,):
            from .derivatives.rule import exact_zeros
            from .optimise.scalars.zero_tests import with_zero_tests

            with exact_zeros():
                return with_zero_tests(self.program(request[1:], sizes))
        off = self.options.off
        try:
            program = pipeline.prepare(self.lowered(sizes), off=off, rules=bool(request))
            for level in request:
                wrt, value = level
                names = tuple(program.main.params[k].var.name for k in wrt)
                f = program.main
                if value in (FORWARD, MOVED, RECORD, REPLAY, PUSHED):
                    program = pipeline.tangent(program, names, off=off, value=value != MOVED)
                elif value == PATTERN:
                    program = pipeline.dependence(program, names, off=off)
                else:
                    with_value = value is True or value in KINDS
                    program = pipeline.differentiate(program, names, with_value, off=off).simplified
                if value in (PUSHED, PULLED):
                    if level is request[-1]:  # there is no other derivative that rules are for
                        program = pipeline.settled(program, off=off)
                    program = pipeline.directions(program, len(f.params), len(f.body.results) * (value == PUSHED), off)
                elif value in KINDS:
                    program = pipeline.settled(program, off=off)
                    program = pipeline.by_entries(program, len(f.params), len(f.body.results), wrt, str(value), off)
        except NoDerivative as e:
            what = re.sub(r"#\d+", "", e.what)
            raise refusal("no-gradient", f"there is no derivative of {what}", e.span) from None
        program = pipeline.settled(program, off=off)
        if request and request[-1][1] in (RECORD, REPLAY):
            f = self.lowered(sizes).main
            parts = pipeline.parted(program, len(f.params), len(f.body.results), off)
            program = parts[request[-1][1] == REPLAY]
        if self.options.update == "pure":
            from .baseline.pure import purify

            program = purify(program)
        return program if self.options.boundscheck else unchecked(program)

    def _load(self, request: Request, sizes: Short, checked: str) -> Loaded:
        if self.options.backend == "numba":
            from .codegen.startup import import_numba

            with lock:  # which a fork waits for
                import_numba()
        with _locked(1), deep():
            try:
                if self.options.backend == "interpret":
                    return _interpreted(self.program(request, sizes))
                return self._compiled(request, sizes, checked)
            except RecursionError:
                raise told_of(self.record, _too_deep(self.record).diagnostics) from None
            except BrokenByPass as broken:
                told = f"{broken}; this is a defect of linad, not of {self.record.root.__qualname__}"
                help = f"report it together with the function, please; until then, set {OFF}={broken.name}"
                raise refusal("internal-error", told, help=help) from broken

    def _largest(self, request: Request, sizes: Short, values: Sequence[object]) -> tuple[str, int, Span] | None:
        """Of the arrays that a call with these arguments makes before it starts, the largest: what it is, and its
        bytes."""
        from .codegen.memory import largest, told
        from .codegen.passes import prepare

        with lock:
            found = largest(prepare(self.program(request, sizes), self._wanted("hoisted"))[0], values)
        return None if found is None else (told(found[0]), found[1], found[0].span)

    def _wanted(self, checked: str) -> EmitOptions:
        from .codegen import EmitOptions
        from .codegen.vector_math import choice

        return EmitOptions(
            fastmath=self.options.fastmath,
            checked=checked,
            vector_math=choice() if self.options.fastmath else "libm",
            cache=self.options.cache and disk.enabled(),
            workspace=True,
            parallel=self.options.parallel,
            off=self.options.off,
        )

    def _compiled(self, request: Request, sizes: Short, checked: str) -> Loaded:
        wanted = self._wanted(checked)
        key = f"{self.key}-{disk.digest(request, sizes, wanted, target(), verifying(), guarded())}"
        store = self.store
        loaded = _loaded.pop((store.name, key), None)
        if loaded is None:
            with compiling(f"{_derivative(request)}{self.record.root.__qualname__}", wanted.cache and store.ready()):
                loaded = self._built(store, key, request, sizes, wanted)
        _loaded[store.name, key] = loaded
        while len(_loaded) > LOADED:
            del _loaded[next(iter(_loaded))]
        return loaded

    def _built(self, store: disk.Entry, key: str, request: Request, sizes: Short, wanted: EmitOptions) -> Loaded:
        from .codegen import compile, emit

        with store.locked():
            known = store.module(key)
            if known is not None:
                text, (entry, *parts) = known
                try:
                    return Loaded(compile.entry(entry, key, text, store.folder), *parts)
                except Exception:  # noqa: BLE001 - machine code of another installation raises whatever it happens to
                    store.discard(key)
            program = self.program(request, sizes)
            with _ours(self.record.root.__qualname__):
                made = emit(program, wanted)
                parts = (made.sites, made.error_words, made.again, made.workspace, made.parallel)
                kept = store.store_module(key, made.source, (made.entry, *parts))
                driver = compile.entry(made.entry, key, made.source, store.folder if kept else None)
            return Loaded(driver, *parts)


def _derivative(request: Request) -> str:
    """A description of the requested outputs, which precedes the name in messages."""
    if len(request) > 1 and request[0] != EXACT:
        return "a higher derivative of "
    if request[:1] == (EXACT,):
        return _derivative(request[1:])
    words = {
        FORWARD: "the tangent of ",
        MOVED: "the tangent of ",
        PUSHED: "tangents of ",
        RECORD: "the log of ",
        REPLAY: "the linear part of ",
        PATTERN: "the pattern of ",
        **dict.fromkeys(KINDS, "the Jacobian of "),
    }
    return "".join(words.get(value, "the gradient of ") for _, value in request)  # type: ignore[arg-type]


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """What goes wrong inside is a defect of linad and is told as one, in a line."""
    try:
        yield
    except (LinadError, LinadWarning, BrokenByPass, MemoryError, OSError, ImportError):
        # a warning may be an error, an ImportError says what to install
        raise
    except Exception as error:  # noqa: BLE001 - Numba raises whatever it happens to
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        cause = next((line for line in lines if "nopython mode pipeline" not in line), "no message")
        told = f"no machine code for {name}, which is a defect of linad, not of the function: {type(error).__name__}: {cause}"
        raise refusal("internal-error", told, help="report it together with the function, please") from None


def _interpreted(program: Program) -> Loaded:
    from .interpret import CoreError, run

    def driver(*values: object) -> tuple[object, ...]:
        try:
            return (DONE, *run(program, values[:-1], in_place=True).results)
        except CoreError as error:
            raise_at(error.kind, error.message, error.span)

    return Loaded(driver, (), 1)


@cache
def target() -> tuple[str, ...]:
    """The compiler that code is compiled by and the processor it is compiled for."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    from .codegen.numba_compat import config

    name = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES if config.CPU_FEATURES is not None else llvm.get_host_cpu_features().flatten()
    return (numba.__version__, llvmlite.__version__, str(name), str(features))


def specialise(
    f: FunctionType,
    options: Options,
    binding: Mapping[str, object],
    surroundings: Mapping[str, object],
    early: bool = False,
) -> Specialisation:
    """Run the front end, or take its outcome from the cache.

    Raises
    ------
    LinadError
        With every error of the function and of what it calls.
    NotYet
        At decoration (``early``), where a name is looked up that the module binds further down.
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
        """Where kernels are kept: not on disk with calls of compiled functions, which other processes do not have."""
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
            tell(again, options, front.diagnostics)
            return Specialisation(options, binding, again, front, kept(again), key)
    fresh = record()
    checked = checked_or_error(fresh, binding)
    fresh.early = False
    store = kept(fresh)
    front = Front(fresh.marks(), checked.signature, checked.diagnostics, checked.missing, checked.fixed)
    key = disk.digest(front.marks)
    if front.signature is None or distinct(front.signature):
        store.store_front(key, (front.marks, front.signature, front.diagnostics, front.missing, front.fixed))
    tell(fresh, options, front.diagnostics)
    return Specialisation(options, binding, fresh, front, store, key, checked)


def unchecked(program: Program) -> Program:
    """The program without index tests, for those who asked for that."""
    from linad_typecheck.ir.core import AddTo, Block, Load, Stmt, Store
    from linad_typecheck.ir.rewrite import rebuild

    def without(s: Stmt) -> Stmt:
        s = rebuild(s, lambda a: a, block=within)
        return replace(s, checked=False) if isinstance(s, (Load, Store, AddTo)) else s

    def within(b: Block) -> Block:
        return Block(tuple(map(without, b.stmts)), b.results)

    functions = {name: replace(f, body=within(f.body)) for name, f in program.functions.items()}
    return replace(program, functions=functions)


def checked_or_error(record: Record, binding: Mapping[str, object]) -> Checked:
    """The checked function.

    Raises
    ------
    LinadError
        Where a diagnostic is an error.
    """
    from linad_typecheck.check import check

    try:
        checked = check(record.entry(), binding)
    except RecursionError:
        checked = _too_deep(record)
    if any(d.severity == "error" for d in checked.diagnostics):
        raise told_of(record, checked.diagnostics)
    return checked


def _too_deep(record: Record) -> Checked:
    from linad_typecheck.findings import too_deep

    return too_deep(record.entry())


def told_of(record: Record, diagnostics: tuple[Diagnostic, ...]) -> LinadError:
    """The error with diagnostics of a function and of what it calls, at their lines."""
    texts = {s.source.name: s.source.text for s in record.reached()}
    return LinadError(diagnostics, rendered(diagnostics, texts))


_warned: dict[object, object] = {}  # as `__warningregistry__` of a module: what was shown already


def tell(record: Record, options: Options, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Issue what the checker only warns of as Python warnings, each once in a process; comments silence them here too.

    Raises
    ------
    LinadError
        Where the option ``strict`` takes one for an error.
    """
    from linad_typecheck.checking.suppress import silenced

    warned = [
        d
        for d in diagnostics
        if d.severity == "warning" and not silenced(d.slug, linecache.getline(d.span.file, d.span.line))
    ]
    errors = tuple(d for d in map(strictly, warned) if d.severity == "error") if options.strict else ()
    if errors:
        raise told_of(record, errors)
    for d in warned:
        category = ZeroGradientWarning if d.slug == "zero-gradient" else LinadWarning
        text, line = f"{d.message} [{d.code} {d.slug}]", max(d.span.line, 1)
        warnings.warn_explicit(text, category, d.span.file, line, registry=_warned)
