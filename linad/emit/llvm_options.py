"""LLVM's own options while generated code is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm

NEAR = "--hoist-runtime-checks"
KNOWN = range(17, 23)  # the versions of LLVM that have the option; one that has not may end the process


@contextmanager
def checks_near_loops() -> Iterator[None]:
    """A vectorised loop asks at its own entry whether what it reads and what it writes are apart.

    By default LLVM moves the question out of the loop around, where it becomes another one: whether the rows of *all* iterations are
    apart. ``state[k, 0, :]`` and ``state[k, 1, :]`` are for each ``k``, and are not for all of them, so the loop would never run as
    vectors. The option is one of the process, so it is only set while we compile.
    """
    if llvm.llvm_version_info[0] not in KNOWN:
        yield
        return
    llvm.set_option("linad", f"{NEAR}=false")
    try:
        yield
    finally:
        llvm.set_option("linad", f"{NEAR}=true")
