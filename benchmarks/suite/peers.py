"""JAX and PyTorch on the suite, where they are installed."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.suite.problems import Problem


def available(problem: Problem) -> dict[str, Callable[[Problem], Callable[[], tuple]]]:
    return {}
