"""Alternative differentiation back ends, kept as baselines for measurement and to check the compiled derivative.

``graph``: operator overloading that builds a graph of nodes. ``tape``: operator overloading that appends to an indexed
list. ``dual``: forward mode with dual numbers. These three run the user's undecorated function. ``pure``: the generated
adjoint with each in-place update replaced by a fresh array.
"""

from . import whole_arrays  # noqa: F401 - enters what arrays do as wholes
