"""The command ``linad doctor``: a report on this machine for bug reports, and the time that first gradients take."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence

from . import __version__
from .codegen import cache
from .optimise.environment import disabled
from .show.command import printed
from .timings import report as stages

_PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "jaxtyping")


def report() -> Iterator[tuple[str, str]]:
    """The report, as pairs of a heading and its value."""
    yield "linad", __version__
    yield "python", f"{platform.python_version()} ({sys.platform}, {platform.machine()})"
    for name in _PACKAGES:
        yield name, _version(name)
    yield "compiler", _compiler()
    yield "processor", _processor()
    yield "threading layer", _threading()
    yield "cache", f"{cache.place_text()}{'' if cache.enabled() else ' (off: LINAD_CACHE=0)'}"
    if disabled():
        yield "passes off", ", ".join(disabled())
    items = cache.stored()
    yield "cache size", f"{len(items)} entries, {sum(s.size for s in items) / 2**20:.2f} MB"


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _compiler() -> str:
    """Whether the installed Numba has everything that compilation needs."""
    try:
        from .codegen import numba_compat

        numba_compat.check()
    except ImportError as error:
        return str(error)
    return f"supported ({numba_compat.SUPPORTED})"


def _processor() -> str:
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name()


def _threading() -> str:
    """The threading layers of Numba that can be loaded, best first."""
    from importlib import import_module

    found = []
    for layer, module in (("tbb", "tbbpool"), ("omp", "omppool"), ("workqueue", "workqueue")):
        try:
            import_module(f"numba.np.ufunc.{module}")
        except ImportError:
            continue
        found.append(layer)
    return ", ".join(found) or "none"


def command(argv: Sequence[str] = ()) -> int:
    """Run ``linad doctor [--timings FILE::FUNCTION]``: print the report, or the stages of a first gradient. Return the
    exit code."""
    match list(argv):
        case []:
            lines = (f"{heading:<16} {found}" for heading, found in report())
        case ["--timings", place]:
            return printed("doctor", stages(place))
        case _:
            print("usage: linad doctor [--timings FILE::FUNCTION]", file=sys.stderr)
            return 2
    for line in lines:
        print(line)
    return 0
