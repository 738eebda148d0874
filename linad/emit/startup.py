"""A quicker first call: Numba asks for SciPy's BLAS when it is used, not when it starts.

Loading compiled code makes Numba import its array functions, which import `scipy.linalg` only to see whether BLAS is
there: over half of what a warm start costs beyond ``import numba``. Whether SciPy is installed answers that question too;
BLAS itself is still looked up by `numba.np.linalg.ensure_blas` in each function that calls it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec


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
