"""Functions that programs name by keys: those that `linad.rule` declares. No other function ever has the same key, nor
has one of another process."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

FUNCTIONS: WeakValueDictionary[str, Any] = WeakValueDictionary()
