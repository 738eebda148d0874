"""CPython as the oracle of every test: the undecorated function on scalars that follow the declared deviations."""

from .compare import Ended, attempt, difference
from .rebind import run, shimmed

__all__ = ["Ended", "attempt", "difference", "run", "shimmed"]
