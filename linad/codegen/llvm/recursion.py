"""Functions that are being compiled, for those among them that call themselves, or each other in a circle.

The first `return` of a function says what it gives (a recursive one begins with a test of the stack, which returns),
and its name in machine code follows from its types: that is all that a call needs. What is called in a circle is linked
where the circle is entered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING

from numba import types

from ..numba_compat import Dispatcher, PythonFunctionDescriptor
from .source import Unsupported

if TYPE_CHECKING:
    from .typing import Types

_open: list[Open] = []  # from the outermost to the innermost; Numba's lock holds meanwhile


class Open:
    """A function on its way: its text, what is known of its types, and what others have compiled on the strength of
    that."""

    def __init__(self, state, tree: ast.FunctionDef, typing: Types) -> None:
        self.state, self.tree, self.typing = state, tree, typing
        self.relying: list[tuple[Dispatcher, tuple]] = []

    @property
    def params(self) -> list[str]:
        """The names of the parameters."""
        return [p.arg for p in self.tree.args.args]

    @property
    def result(self) -> types.Type:
        """The type of what it gives, once a `return` has been seen."""
        if not self.typing.returns:
            raise Unsupported("recursion before the first return")
        return self.typing.returns[0]

    @cached_property
    def fndesc(self) -> PythonFunctionDescriptor:
        """What a call must know."""
        state = self.state
        args = dict(zip((f"arg.{p}" for p in self.params), state.args, strict=True))
        described = SimpleNamespace(func_id=state.func_id, arg_names=self.params)
        return PythonFunctionDescriptor.from_specialized_function(
            described, args, self.result, {}, mangler=state.targetctx.mangler, inline=state.flags.forceinline,
            noalias=state.flags.noalias, abi_tags=[state.flags.get_mangle_string()],
        )  # fmt: skip

    @property
    def closed(self) -> bool:
        """Whether its instructions are there, to be linked."""
        return self.state.library is not None and self.state.library._finalized

    @contextmanager
    def typed(self) -> Iterator[None]:
        """While its types are found, and with them what it calls is compiled."""
        _open.append(self)
        try:
            yield
        finally:
            _open.pop()

    def withdraw(self) -> None:
        """It is left to Numba, and will have another name: what relies on it is compiled again."""
        for dispatcher, args in self.relying:
            dispatcher.overloads.pop(args, None)


def opened(dispatcher: Dispatcher, args: tuple) -> Open | None:
    """The function of that dispatcher, if it is being compiled on the shorter way for these types."""
    return next((o for o in _open if o.state.func_id.func is dispatcher.py_func and tuple(o.state.args) == args), None)


@contextmanager
def by_numba() -> Iterator[None]:
    """While Numba compiles a function its usual way, which is another world: nothing in it relies on what is open here.
    """
    global _open
    outside, _open = _open, []
    try:
        yield
    finally:
        _open = outside


def in_a_circle(f: FunctionType) -> bool:
    """Whether a function is called by one that it calls. Numba finds such ones by their addresses in machine code."""
    seen: set[FunctionType] = {f}
    pending = [f]
    while pending:
        g = pending.pop()
        called = (g.__globals__.get(name) for name in g.__code__.co_names)
        for h in (d.py_func for d in called if isinstance(d, Dispatcher)):
            if h is f and g is not f:
                return True
            if h not in seen:
                seen.add(h)
                pending.append(h)
    return False
