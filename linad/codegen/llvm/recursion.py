"""Functions that are being compiled, so that (mutually) recursive ones can call each other.

The first `return` of a function gives its result type (a recursive function starts with a stack check, which returns),
and its symbol name follows from its types: a call needs nothing else. Functions called recursively are linked where the
recursion is entered.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import FunctionType, SimpleNamespace

from numba import types

from ..numba_compat import Dispatcher, PythonFunctionDescriptor
from .protocols import Typed
from .source import Unsupported

_open: list[Open] = []  # outermost first; protected by Numba's lock


class Open:
    """A function being compiled: its source, the types known so far, and compiled functions that rely on them."""

    def __init__(self, state, tree: ast.FunctionDef, typing: Typed) -> None:
        self.state, self.tree, self.typing = state, tree, typing
        self.relying: list[tuple[Dispatcher, tuple]] = []

    @property
    def params(self) -> list[str]:
        """The names of the parameters."""
        return [p.arg for p in self.tree.args.args]

    @property
    def result(self) -> types.Type:
        """The result type, once a `return` has been seen."""
        if not self.typing.returns:
            raise Unsupported("recursion before the first return")
        return self.typing.returns[0]

    @cached_property
    def fndesc(self) -> PythonFunctionDescriptor:
        """The function descriptor that a call needs."""
        state = self.state
        args = dict(zip((f"arg.{p}" for p in self.params), state.args, strict=True))
        described = SimpleNamespace(func_id=state.func_id, arg_names=self.params)
        return PythonFunctionDescriptor.from_specialized_function(
            described, args, self.result, {}, mangler=state.targetctx.mangler, inline=state.flags.forceinline,
            noalias=state.flags.noalias, abi_tags=[state.flags.get_mangle_string()],
        )  # fmt: skip

    @property
    def closed(self) -> bool:
        """Whether its IR is available for linking."""
        return self.state.library is not None and self.state.library._finalized

    @contextmanager
    def typed(self) -> Iterator[None]:
        """The context in which its types are inferred, and its callees compiled."""
        _open.append(self)
        try:
            yield
        finally:
            _open.pop()

    def withdraw(self) -> None:
        """The function is left to Numba and gets another symbol name: everything that relies on it is compiled again.
        """
        for dispatcher, args in self.relying:
            dispatcher.overloads.pop(args, None)


def opened(dispatcher: Dispatcher, args: tuple) -> Open | None:
    """The function of a dispatcher, if it is being compiled on the short path for these types."""
    return next((o for o in _open if o.state.func_id.func is dispatcher.py_func and tuple(o.state.args) == args), None)


@contextmanager
def by_numba() -> Iterator[None]:
    """The context in which Numba compiles a function on its usual path, which cannot rely on functions that are open
    here."""
    global _open
    outside, _open = _open, []
    try:
        yield
    finally:
        _open = outside


def in_a_circle(f: FunctionType) -> bool:
    """Whether a function is part of a recursion. Numba refers to such functions by their addresses in machine code."""
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
