"""Compiled test programs are kept in the checkout, so that a second run is fast and no run touches the user's cache."""

import gc
import os
import sys
from pathlib import Path

from .examples_of import MANY, SEED

os.environ.setdefault("LINAD_CACHE_DIR", str(Path(__file__).parents[1] / ".linad-cache"))

# Generated code that takes the long way to LLVM is slow to compile: where that happens, a test fails.
os.environ.setdefault("LINAD_FALLBACK", "error")

# Tests start some two hundred processes, each of which would otherwise compile all of linad before it begins.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# What tests are collected from stays to the end: the collector of garbage need not look through it again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def pytest_addoption(parser):
    parser.addoption("--regenerate", action="store_true", help="write generated pages and expected messages again")


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how to draw the random programs of this run again."""
    if SEED is not None:
        again = f"make test-thorough SEED={SEED} TIMES={MANY}"
        terminalreporter.write_line(f"random programs of LINAD_SEED={SEED} LINAD_EXAMPLES={MANY} ({again})")
