"""Generated Python text to LLVM, without Numba's type inference and lowering.

Generated functions are in a small language: typed scalars, contiguous arrays, loops over ranges, calls. Numba spends
about a millisecond of Python per operation, since it supports everything; `typing` and `lowering` support this
language. Calls are resolved by Numba's own tables, so functions mean what they mean to Numba, and a function that uses
anything else is left to Numba altogether (`pipeline`).
"""
