"""How the functions that generated code calls are compiled."""

from __future__ import annotations

from numba import njit

from ..codegen.cache import entry, own_text
from ..codegen.llvm.pipeline import DirectCompiler
from ..codegen.machine_code import keep


class HelperCompiler(DirectCompiler):
    """The direct compilation pipeline for helpers that it supports; Numba's own for the others, compiled once and
    cached."""

    generated = False


_kept = entry("linad", own_text())
_kept.touch()


def _compiled(**options):
    """Numba's decorator for helpers.

    Functions that generated code calls take seconds to compile, so each is compiled and cached apart from the kernels
    that call it. Private helpers are compiled together with their caller.
    """
    options |= {"error_model": "numpy", "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def decorate(f):
        if f.__name__.startswith("_"):
            return njit(pipeline_class=HelperCompiler, **options)(f)
        made = njit(**options)(f)
        keep(made, _kept.folder, f.__name__, own_text())
        made.apart = True
        return made

    return decorate


jit = _compiled(fastmath={"contract", "reassoc"})
exact = _compiled()
