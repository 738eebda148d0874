"""What several threads do to the library at one time."""

import sys
import threading
import time

import pytest

import linad
from linad.boundary.workspace import Pool


@pytest.fixture
def switching():
    """Threads take turns at almost every instruction."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_pools_that_come_and_go_while_others_are_counted(switching):
    raised, until = [], time.monotonic() + 0.5
    many = [Pool(("f64",)) for _ in range(1000)]

    def run(step):
        try:
            while time.monotonic() < until:
                step()
        except RuntimeError as error:
            raised.append(error)

    steps = (lambda: [Pool(("f64",)) for _ in range(10)], linad.release_memory, lambda: many[0].give([], True))
    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert raised == []
