"""Code generation: from the optimised core to readable Numba source, and from there to machine code."""

from .module import Generated, emit
from .options import EmitOptions
from .error_sites import Site

__all__ = ["EmitOptions", "Generated", "Site", "emit"]
