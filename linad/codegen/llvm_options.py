"""LLVM's own options while generated code is compiled."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm

KNOWN = range(17, 23)  # the versions of LLVM that have the options; one that has not may end the process
NEAR = ("--hoist-runtime-checks", "false", "true")
STRIDES = ("--enable-mem-access-versioning", "false", "true")
REREADS = ("--enable-load-in-loop-pre", "false", "true")
ENDS = ("--epilogue-vectorization-minimum-VF", "4", "16")  # the last is x86's own value


@contextmanager
def options_for_loops() -> Iterator[None]:
    """Options that are wrong for short rows otherwise, and of the process: so they are only set while we compile.

    `NEAR`: a vectorised loop asks at its own entry whether what it reads and what it writes are apart. By default LLVM
    moves the question out of the loop around, where it becomes another one: whether the rows of *all* iterations are
    apart. ``state[k, 0, :]`` and ``state[k, 1, :]`` are for each ``k``, and are not for all of them, so the loop would
    never run as vectors.

    `ENDS`: what is left over behind the last vector goes through half as wide a one if that is full, instead of one by
    one, also where a turn takes few elements at a time, as those with exponentials do: fourteen are three fours and a
    two.

    `STRIDES`: a loop over the rows of a matrix with any number of columns reads cells that far apart. By default LLVM
    makes vectors of it for one column only, tests that at the entry, and runs cell by cell where there are more.

    `REREADS`: a loop loads again what its last iteration has loaded one cell on. By default LLVM hands that on in a
    register, from loop to loop where one follows the other, and can make vectors of neither. Where it pays,
    `linad.optimise` does so in a form that LLVM makes vectors of.
    """
    if llvm.llvm_version_info[0] not in KNOWN:
        yield
        return
    chosen = (NEAR, REREADS, STRIDES)
    if platform.machine() in ("x86_64", "AMD64"):
        chosen = (*chosen, ENDS)
    for name, ours, _ in chosen:
        llvm.set_option("linad", f"{name}={ours}")
    try:
        yield
    finally:
        for name, _, usual in chosen:
            llvm.set_option("linad", f"{name}={usual}")
