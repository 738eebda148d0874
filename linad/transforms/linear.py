"""Linear functions at a point, as `vjp`, `linearize` and `linear_transpose` return them, and transforms of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from .. import derive
from ..boundary.objects import PARTIALS
from ..composed import by_position, holding
from ..transformed import once

if TYPE_CHECKING:
    from linad_typecheck.engine.values import Transform

    from ..function import CheckedFunction

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Linear:
    """A linear function, possibly under transforms, as it is written inside checked functions.

    Attributes
    ----------
    function : CheckedFunction
        The function that it is derived from.
    held : tuple
        The arguments of that function, one for each parameter.
    text : str
        The linear function, in terms of ``_function`` and ``...``, which stands for the arguments.
    names : tuple of str
        The parameters of the linear function.
    transforms : tuple of Transform
        The transforms, innermost first.
    """

    function: CheckedFunction[..., Any]
    held: tuple[Any, ...]
    text: str
    names: tuple[str, ...]
    transforms: tuple[Transform, ...] = ()

    def __call__(self, *args: Any) -> Any:
        if len(args) != len(self.names):
            raise TypeError(f"{self!r}: expected {len(self.names)} arguments, got {len(args)}")
        every = self.given(args)
        return derive.call_exactly(self.program.specialisation(every), every)

    def given(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of `program`."""
        return (*self.held, *args)

    @property
    def program(self) -> CheckedFunction[..., Any]:
        """The checked function of the held arguments and those of the linear function. Its derivatives are by the
        latter."""
        key = (Linear, self.text, self.names, self.transforms)
        make = lambda: holding(by_position(self.function), self.text, self.names, self.transforms)
        return once(self.function._transforms, key, make)

    @functools.cached_property
    def applied(self) -> functools.partial[Any]:
        """The program with the held arguments, which checked functions call."""
        return functools.partial(self.program, *self.held)

    def under(self, transform: Transform) -> Linear:
        """The linear function under one more transform."""
        return replace(self, transforms=(*self.transforms, transform))

    def __reduce__(self) -> tuple[object, ...]:
        return Linear, (self.function, self.held, self.text, self.names, self.transforms)

    def __repr__(self) -> str:
        of = "".join(f"{t.kind} of " for t in reversed(self.transforms))
        return f"<{of}the linear function of {self.function.__name__} by {', '.join(self.names)}>"


_KINDS: dict[type, Callable[[Any], Linear]] = {}


def enter(kind: type[T], written: Callable[[T], Linear]) -> None:
    """Let objects of a class be transformed, and called by checked functions, as linear functions."""
    _KINDS[kind] = written
    PARTIALS[kind] = lambda f: linear(f).applied


def linear(f: Any) -> Linear | None:
    """A linear function as transforms see it, the same object each time; None for any other function."""
    if isinstance(f, Linear):
        return f
    written = _KINDS.get(type(f))
    return None if written is None else once(vars(f), "_linear", lambda: written(f))


def unused(names: tuple[str, ...], function: CheckedFunction[..., Any]) -> tuple[str, ...]:
    """Names for the parameters of a linear function, which differ from those of the function."""
    taken = function._parameters.parameters
    return tuple(next(n for k in range(len(taken) + 1) if (n := "_" * k + name) not in taken) for name in names)


def _pullback(f: derive.Pullback) -> Linear:
    return Linear(f.function, f.arguments, "_linad.vjp(_function, ...)[1]", unused(("cotangent",), f.function))


enter(derive.Pullback, _pullback)
PARTIALS[Linear] = lambda f: f.applied
