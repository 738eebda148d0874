"""The reference interpreter of the core: value semantics on NumPy scalars and arrays, with exact step counts."""

from .outcome import WEIGHTS, CoreError, CoreFault, Outcome, StepLimit
from .running import run

__all__ = ["WEIGHTS", "CoreError", "CoreFault", "Outcome", "StepLimit", "run"]
