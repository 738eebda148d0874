"""Work in processes of their own, for the commands that run for hours: what a crash or a lack of memory ends is a
batch alone."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOM = 1 << 30  # bytes that a child may take beyond what importing everything took


class Slow(BaseException):
    """What took longer than the alarm clock allows."""


def in_child(run: Callable[[], Any], room: int = ROOM) -> tuple[Any, int]:
    """What a function gives (as JSON has it) in a child with a bound of memory, and the status with which the child
    ended."""
    out, inside = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        status = 1
        try:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
            with os.fdopen(inside, "w") as pipe:
                json.dump(run(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(inside)
    with os.fdopen(out) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return (json.loads(told) if told and not status else None), status


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """`Slow` is raised in what takes longer than that, in time of the processor, or ten times as long on the clock:
    the machine may have other work."""

    def slow(*_: object) -> None:
        raise Slow(f"longer than {seconds} s")

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, 10 * seconds))
    before = [signal.signal(number, slow) for _, number, _ in timers]
    for timer, _, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, _, _ in timers:
            signal.setitimer(timer, 0)
        for (_, number, _), handler in zip(timers, before, strict=True):
            signal.signal(number, handler)
