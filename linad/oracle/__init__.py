"""CPython as the test oracle: it runs the undecorated function on scalars that implement the declared deviations."""

from .compare import Ended, attempt, difference
from .rebind import run, shimmed

__all__ = ["Ended", "attempt", "difference", "run", "shimmed"]
