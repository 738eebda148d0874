"""What a library name means: rules for the functions of builtins, math, NumPy and SciPy.

Every file enters its rules in the rule book of the engine when it is imported; with the package, all of them are.
"""

from . import (
    accumulating, arrays, averages, choosing, cross, diagonals, differences, einsum, extremes, inlining, joining,
    less_common,
    linalg, logsums, middles, more_products, norms, operators, picking, powers, products, put_together,
    ranges, rearranging, reductions, scalars, scans, sorting, special, stop_gradient, type_tests,
)  # fmt: skip
