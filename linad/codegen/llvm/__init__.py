"""From generated Python source to LLVM IR, without Numba's type inference and lowering.

Generated functions use a small language: typed scalars, contiguous arrays, loops over ranges, calls. Numba spends about
a millisecond of Python time per operation because it supports everything; `typing` and `lowering` support only this
language. Calls are resolved by Numba's own tables, so functions have the same meaning as in Numba, and a function that
uses anything else is left to Numba entirely (`pipeline`).
"""
