"""Compiling and loading generated modules: the only place that calls `numba.njit` for them."""

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

from .direct.pipeline import DirectCompiler
from .llvm_options import options_for_loops
from .machine_code import keep
from .numba_compat import INTR_MATH, cpu_target

DEEP = 100_000  # calls; Numba goes down the tree of a function's basic blocks one by one, each a few calls of Python's
FASTMATH = {"contract", "reassoc"}  # the flags that keep nan, inf and the sign of zero


class KernelCompiler(DirectCompiler):
    """The shorter way for a kernel: a function of its own also in machine code, so that the promise holds inside."""

    noalias = apart = True


def driver(signature: str, *, fastmath: bool, cache: bool) -> Callable:
    """The decorator of the function that Python calls: compiled when the module is imported."""

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
            keep(made)
        made.compile(signature)
        made.disable_compile()
        return made

    return decorate


def kernel(*, fastmath: bool, noalias: bool) -> Callable:
    """The decorator of a function that only generated code calls.

    ``noalias`` promises that no array argument that is written overlaps another one.
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
    """Let machine code call libm's functions of today.

    Numba gives it those that its own library was linked with: of glibc, `exp`, `log` and `pow` as they were before 2.29, which look for
    errors that nobody asks about, and a jump to each.
    """
    try:
        library = ctypes.CDLL(LIBM)
    except OSError:
        return
    _ = cpu_target.target_context  # with it Numba names its own
    for name in INTR_MATH:
        if hasattr(library, name):
            llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def load(place: str | Path, text: str | None = None) -> ModuleType:
    """Import a generated module, which compiles it or takes machine code from the cache beside it.

    Parameters
    ----------
    place : path
        Its file, or its name where it is in none.
    text : str, optional
        What it says, where it is in no file.
    """
    use_newest_libm()
    name = f"linad_generated_{Path(place).stem}"
    if text is None:
        spec = importlib.util.spec_from_file_location(name, place)
    else:
        spec = importlib.util.spec_from_loader(name, _InMemory(f"<linad {place}>", text))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle and Numba's cache look for it
    try:
        with deep(DEEP), options_for_loops():
            spec.loader.exec_module(module)
        vars(module).pop("__file__", None)  # IPython's `%autoreload` would try to import it again, by its name
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _InMemory(InspectLoader):
    """The loader of a module that no folder could take."""

    def __init__(self, file: str, text: str) -> None:
        self._file, self._text = file, text

    def get_source(self, fullname: str) -> str:
        return self._text

    def exec_module(self, module: ModuleType) -> None:
        linecache.cache[self._file] = (len(self._text), None, self._text.splitlines(keepends=True), self._file)
        exec(self.source_to_code(self._text, self._file), vars(module))
