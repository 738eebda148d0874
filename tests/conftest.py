"""Compiled test programs are kept in the checkout, so that a second run is fast and no run touches the user's cache."""

import gc
import os
import re
import sys
from pathlib import Path

import pytest

from .examples_of import MANY, SEED, sample

os.environ.setdefault("LINAD_CACHE_DIR", str(Path(__file__).parents[1] / ".linad-cache"))

# Generated code that takes the long way to LLVM is slow to compile: where that happens, a test fails.
os.environ.setdefault("LINAD_FALLBACK", "error")

# Tests start some two hundred processes, each of which would otherwise compile all of linad before it begins.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# What tests are collected from stays to the end: the collector of garbage need not look through it again and again.
gc.disable()


INTERNAL = re.compile(r"(^|[`( ])%[a-z_]{2,}")  # a name that only lowering knows, such as `%list 200:15`


def pytest_configure(config: pytest.Config) -> None:
    """Whatever a test lets linad report names what the user wrote."""
    from linad_typecheck.diagnostics import Diagnostic

    made = Diagnostic.__init__

    def told(self: Diagnostic, *args, **kwargs) -> None:
        made(self, *args, **kwargs)
        texts = (self.message, self.label, *self.notes, *(x.message for x in (*self.labels, *self.fixes)))
        wrong = [text for text in texts if INTERNAL.search(text)]
        assert not wrong, f"names of lowering in a message: {wrong}"

    Diagnostic.__init__ = told


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items) -> None:
    sample(items)  # before `-m` looks at the markers


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(400_000, 10, 50)  # what tests make is mostly garbage by then
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Modules with the marker `interpreted` are imported with the reference interpreter as the usual backend."""
    if isinstance(collector, pytest.Module) and "\npytestmark = pytest.mark.interpreted\n" in collector.path.read_text():
        with interpreted():
            return (yield)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.get_closest_marker("interpreted") and not item.get_closest_marker("compiled"):
        with interpreted():
            return (yield)
    return (yield)


def interpreted():
    from .kit import interpreted  # imports all of linad

    return interpreted()


def pytest_addoption(parser):
    parser.addoption("--regenerate", action="store_true", help="write generated pages and expected messages again")


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how to draw the random programs of this run again."""
    if SEED is not None:
        again = f"make test-thorough SEED={SEED} TIMES={MANY}"
        terminalreporter.write_line(f"random programs of LINAD_SEED={SEED} LINAD_EXAMPLES={MANY} ({again})")
