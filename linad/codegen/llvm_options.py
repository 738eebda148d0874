"""LLVM command-line options during the compilation of generated code."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm

KNOWN = range(17, 23)  # LLVM versions that have these options; an unknown option may terminate the process
NEAR = ("--hoist-runtime-checks", "false", "true")
STRIDES = ("--enable-mem-access-versioning", "false", "true")
REREADS = ("--enable-load-in-loop-pre", "false", "true")
TAILS = ("--tail-merge-threshold", "20", "150")
REDUCED = ("--disable-lsr", "true", "false")
ENDS = ("--epilogue-vectorization-minimum-VF", "4", "16")  # the last value is the default on x86


@contextmanager
def options_for_loops() -> Iterator[None]:
    """Set LLVM options whose defaults are wrong for short rows. They are global to the process, so they are set only
    during compilation.

    `NEAR`: a vectorised loop tests at its own entry whether the arrays it reads and writes are disjoint. By default
    LLVM hoists this test out of the enclosing loop, where it asks whether the rows of *all* iterations are disjoint.
    ``state[k, 0, :]`` and ``state[k, 1, :]`` are disjoint for each ``k`` but not for all of them, so the vectorised
    loop would never run.

    `ENDS`: the remainder after the last full vector is processed with half the width before single elements, also for
    loops with few elements per vector, such as those with exponentials: fourteen elements are three fours and a two.

    `STRIDES`: a loop over the rows of a matrix with an unknown number of columns has strided accesses. By default LLVM
    vectorises it for a single column only, tests for that at the entry, and otherwise runs the scalar loop.

    `REREADS`: a loop reloads what its previous iteration loaded one cell further. By default LLVM passes that on in a
    register, also between consecutive loops, and then vectorises neither. Where it pays off, `linad.optimise` does so
    in a form that LLVM vectorises.

    `TAILS`: a long kernel has many blocks that report an error. By default LLVM compares each with up to 150 others,
    for common last instructions, which takes a third of the time of generating machine code.

    `REDUCED`: loops keep one index for all arrays, which addresses of x86 take as it is. Strength reduction of these
    takes a third of what is left of that time, and no program of the benchmarks is slower without.
    """
    if llvm.llvm_version_info[0] not in KNOWN:
        yield
        return
    chosen = (NEAR, REREADS, STRIDES, TAILS)
    if platform.machine() in ("x86_64", "AMD64"):
        chosen = (*chosen, REDUCED, ENDS)
    for name, ours, _ in chosen:
        llvm.set_option("linad", f"{name}={ours}")
    try:
        yield
    finally:
        for name, _, usual in chosen:
            llvm.set_option("linad", f"{name}={usual}")
