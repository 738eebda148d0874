"""Buffers between pages that may not be accessed: what is read or written outside of one ends the process.

`guard_pages.c` takes the place of malloc in a process that is started with it (`environment`). While it is on, each
buffer that is made, of NumPy, of Numba and of the libraries under them, ends or begins at such a page.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_suffix(".c")
SIDES = (1, 2)  # buffers end at a page, or begin there
CACHED = 1024, 8  # NumPy keeps that many buffers of each size below the first


def available() -> bool:
    """Whether it can be built here: for glibc, with a compiler of C."""
    return platform.libc_ver()[0] == "glibc" and shutil.which("cc") is not None


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that has it."""
    library = folder / "guard_pages.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return {**os.environ, "LD_PRELOAD": str(library)}


@functools.cache
def preloaded() -> ctypes.CDLL | None:
    """The library, in a process that was started with it."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "guard_pages"):
        return None
    library.guarded_blocks.restype = ctypes.c_size_t
    assert library.guard_pages(1) == library.guard_pages(0) - 1 == 0  # reserves: children may have bounds of memory
    sizes, each = CACHED
    library.held = [np.empty(n, np.uint8) for n in range(sizes) for _ in range(each)]  # or they would be given out
    return library


@contextmanager
def on(side: int) -> Iterator[None]:
    """Buffers that are made in here have such pages around them."""
    library = preloaded()
    assert library is not None and library.guard_pages(side) == 0
    try:
        yield
    finally:
        library.guard_pages(0)
