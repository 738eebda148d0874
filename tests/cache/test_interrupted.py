"""Ctrl-C while Numba is imported takes effect when it is there, so that the next call finds all of it."""

import signal
import subprocess
import sys

PROGRAM = """
import importlib, os, signal, sys
import numpy
from linad.codegen import startup

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell starts in the background
real = importlib.import_module
def slow(name):
    os.kill(os.getpid(), signal.SIGINT)
    return real(name)
startup.importlib.import_module = slow
try:
    startup.import_numba()
except KeyboardInterrupt:
    print("interrupted", "numba" in sys.modules)
startup.import_numba()
del sys.modules["numba"]
try:
    startup.import_numba()
except ImportError as error:
    print(error)
"""


def test_an_interrupted_import_is_finished_first():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "interrupted True",
        "an import of Numba was interrupted in this process, which leaves it half loaded: start Python again",
    ], done.stderr
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
