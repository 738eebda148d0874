"""Library functions: the rules for the functions of builtins, math, NumPy and SciPy.

Every file enters its rules in the engine's rule book when it is imported. Importing the package imports all of them.
"""

from . import (
    accumulating, arrays, averages, nonzero, complexes, copying, cross, diagonals, differences, einsum, extremes,
    inlining, intervals, joining, histograms,
    linalg, logsums, medians, ufunc_methods, norms, operators, selection, powers, products, padding,
    ranges, rearranging, reductions, scalars, scans, sorting, special, stop_gradient, type_tests, windows,
)  # fmt: skip
