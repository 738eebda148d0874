"""The reference interpreter of the core: value semantics on NumPy scalars and arrays, exact step counts."""

from .machine import run
from .outcome import WEIGHTS, CoreError, CoreFault, Outcome, StepLimit

__all__ = ["WEIGHTS", "CoreError", "CoreFault", "Outcome", "StepLimit", "run"]
