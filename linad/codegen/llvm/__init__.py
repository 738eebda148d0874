"""Generated Python text to LLVM, without Numba's type inference and lowering: what a statement means is known here.

Generated functions are of a small language: typed scalars, arrays that are contiguous, loops over ranges, calls. Numba
spends about a millisecond of Python on an operation, as it has to find out what everything could be; `typing` and
`lowering` do what the language needs. Calls are resolved by Numba's own tables, so functions mean what they mean to
Numba, and a function that uses anything else is left to Numba altogether (`pipeline`).
"""
