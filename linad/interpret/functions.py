"""Registry of the functions that programs refer to by key: those declared by `linad.rule`. Keys are unique across
processes."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

FUNCTIONS: WeakValueDictionary[str, Any] = WeakValueDictionary()
