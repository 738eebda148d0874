"""Compile and load generated modules; nothing else calls `numba.njit` for them."""

from __future__ import annotations

import ctypes
import importlib.util
import linecache
import sys
from collections.abc import Callable
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path
from types import FunctionType, ModuleType

import llvmlite.binding as llvm
from linad_typecheck.deep import deep
from numba import njit

from .llvm.library import forget_instructions
from .llvm.pipeline import DirectCompiler
from .interrupts import held_back
from .llvm_options import options_for_loops
from .machine_code import keep
from .numba_compat import INTR_MATH, Dispatcher, cpu_target, global_compiler_lock
from .options import GENERATED

# recursion depth: Numba walks the tree of a function's basic blocks recursively, with several Python calls per block
DEEP = 100_000
FASTMATH = {"contract", "reassoc"}  # the flags that preserve nan, inf and the sign of zero


class KernelCompiler(DirectCompiler):
    """The short compilation pipeline for kernels, which are not inlined, so that their no-alias arguments stay
    effective."""

    noalias = apart = True


def driver(signature: str, *, fastmath: bool, cache: bool) -> Callable:
    """The decorator of the function that Python calls; it is compiled when the module is imported."""

    def decorate(f: FunctionType) -> Callable:
        made = njit(
            error_model="numpy",
            nogil=True,
            fastmath=FASTMATH if fastmath else False,
            no_cfunc_wrapper=True,
            pipeline_class=DirectCompiler,
        )(f)
        if made is f:  # NUMBA_DISABLE_JIT
            return f
        if cache:
            module = f.__globals__["__loader__"]
            keep(made, module.folder, f"{module.name}.{f.__name__}", module.text)
        made.compile(signature)
        made.disable_compile()
        return made

    return decorate


def kernel(*, fastmath: bool, noalias: bool) -> Callable:
    """The decorator of functions that only generated code calls.

    ``noalias`` promises that no written array argument overlaps another one.
    """
    return njit(
        error_model="numpy",
        nogil=True,
        fastmath=FASTMATH if fastmath else False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=KernelCompiler if noalias else DirectCompiler,
    )


LIBM = "libm.so.6"  # of glibc


@cache
def use_newest_libm() -> None:
    """Make machine code call the current versions of libm's functions.

    Numba links the versions that its own library was linked with. For glibc these are `exp`, `log` and `pow` from
    before 2.29, which set errno and go through an additional jump.
    """
    try:
        library = ctypes.CDLL(LIBM)
    except OSError:
        return
    _ = cpu_target.target_context  # this registers Numba's own symbols first
    for name in INTR_MATH:
        if hasattr(library, name):
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def load(name: str, text: str, folder: Path | None = None) -> ModuleType:
    """Execute the source of a generated module, which compiles it or loads cached machine code. Ctrl-C is deferred
    until the end.

    Parameters
    ----------
    name : str
        The name of the module, for error messages.
    text : str
        Its source.
    folder : path, optional
        The cache folder of its machine code.
    """
    loader = _Generated(name, text, folder)
    spec = importlib.util.spec_from_loader(f"{GENERATED}{name}", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    with held_back():
        use_newest_libm()
        sys.modules[spec.name] = module  # unpickling machine code looks here
        linecache.cache[loader.file] = (len(text), None, text.splitlines(keepends=True), loader.file)
        try:
            with deep(DEEP), options_for_loops():
                loader.exec_module(module)
        finally:  # its functions keep what they need
            linecache.cache.pop(loader.file, None)
            del sys.modules[spec.name]
    return module


def entry(function: str, name: str, text: str, folder: Path | None = None) -> Callable:
    """The function of a generated module that Python calls. Nothing else of the module is kept.

    Compiled functions hold the globals of their module in a way that Python's garbage collector does not see: as long
    as the function is among them, neither it nor its machine code can be freed.
    """
    names = vars(load(name, text, folder))
    found = names[function]
    if isinstance(found, Dispatcher):  # plain Python functions (NUMBA_DISABLE_JIT) look names up when they run
        names.clear()
        with held_back(), global_compiler_lock:
            for made in found.overloads.values():
                forget_instructions(made.library)
    return found


class _Generated(InspectLoader):
    """The loader of a module whose source is in memory."""

    def __init__(self, name: str, text: str, folder: Path | None) -> None:
        self.name, self.text, self.folder = name, text, folder
        self.file = f"<linad {name}>"

    def get_source(self, fullname: str) -> str:
        return self.text

    def exec_module(self, module: ModuleType) -> None:
        exec(self.source_to_code(self.text, self.file), vars(module))
