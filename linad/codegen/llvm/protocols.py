"""What arrays, parallel loops and recursive functions know of the function that is being lowered."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from llvmlite import ir
from numba import types


class Lowered(Protocol):
    """A function being lowered, as in `lowering.Lowering`."""

    context: Any
    builder: ir.IRBuilder
    function: ir.Function

    def at_entry(self) -> AbstractContextManager[None]: ...

    def unless(self, wrong: ir.Value, error: type, message: str) -> None: ...


class Typed(Protocol):
    """A function whose types are being inferred, as in `typing.Types`."""

    returns: list[types.Type]
