"""A quicker first call, and one that Ctrl-C may end: Numba asks for SciPy's BLAS when it is used, not when it starts.

Loading compiled code makes Numba import its array functions, which import `scipy.linalg` only to see whether BLAS is
there: over half of what a warm start costs beyond ``import numba``. Whether SciPy is installed answers that question too;
BLAS itself is still looked up by `numba.np.linalg.ensure_blas` in each function that calls it.
"""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType


def spare_scipy() -> None:
    """Import Numba's array functions without SciPy, where both are installed and neither is imported yet."""
    if "numba.np.arraymath" in sys.modules or "scipy.linalg" in sys.modules or find_spec("scipy") is None:
        return
    import numba.np.linalg as linalg

    ensure_blas = getattr(linalg, "ensure_blas", None)
    if ensure_blas is None:
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = ensure_blas
        module = sys.modules.get("numba.np.arraymath")
        if module is not None and hasattr(module, "ensure_blas"):
            module.ensure_blas = ensure_blas


def import_numba() -> None:
    """Import Numba whole: an import that Ctrl-C ends leaves parts behind, with which no later one succeeds, so it waits.

    Raises
    ------
    ImportError
        Where another import of Numba has been ended like that before.
    """
    if "numba" in sys.modules:
        return
    if "numba.core" in sys.modules:
        raise ImportError("an import of Numba was interrupted in this process, which leaves it half loaded: start Python again")
    with _later():
        importlib.import_module("numba")


@contextmanager
def _later() -> Iterator[None]:
    """Ctrl-C inside takes effect afterwards."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda *given: pressed.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed and callable(before):
            before(*pressed[0])
