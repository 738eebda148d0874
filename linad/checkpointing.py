"""`linad.checkpoint`: mark a loop whose reverse starts from snapshots of its state, or a function that is run again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from linad_typecheck.checkpointing import misuse

from .boundary.entities import compiled_of, rules_of, underlying
from .pickling import portable

T = TypeVar("T")


def checkpoint(
    over: T,
    *,
    slots: int | None = None,
    memory: str | int | None = None,
    scheme: Literal["tape", "recompute", "periodic", "bisect", "revolve"] | None = None,
) -> T:
    """Mark a loop, so that its derivative saves only some states and recomputes the steps between them.

    In Python, the argument is returned unchanged. In a function under `linear_grad`, it encloses the iterable of a
    `for` loop or the condition of a `while` loop::

        for t in linad.checkpoint(range(T), slots=10): ...
        while linad.checkpoint(residual > tol, memory="200MB"): ...

    A snapshot saves the state at the start of an iteration, as determined by the checker: the carried scalars, and the
    arrays that the loop both reads and writes.

    Parameters
    ----------
    over : range, array or any other iterable of a `for`; bool; function
        The iterable of the loop, or its condition. Alternatively, a function: if a checked function calls the result,
        nothing that the call computes is saved, and the reverse sweep runs it again from its arguments.
    slots : int, optional
        The maximum number of snapshots at a time, including that of the first state.
    memory : str or int, optional
        The maximum size of all snapshots in bytes, such as ``"200MB"``, instead of ``slots``. At least one snapshot is
        kept.
    scheme : str, optional
        ``revolve``, the default, recomputes the fewest steps for a given number of slots; ``bisect`` halves intervals,
        with about ``log2(T)`` slots; ``periodic`` saves states at equal distances and recomputes each interval from
        them; ``recompute`` saves only the first state; ``tape`` logs like an unmarked loop. Without ``slots`` and
        ``memory``, ``revolve`` keeps about ``sqrt(2 * T)`` snapshots and ``periodic`` ``2 * sqrt(T)``; a loop with an
        early exit, whose number of steps is not known in advance, keeps at most 64.

    Returns
    -------
    object
        ``over``; for a function, an equivalent function.

    Raises
    ------
    TypeError
        If options are given with a function.
    ValueError
        If the options are invalid: `slots` below 1, an unknown scheme, or `slots` together with `memory`.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def logistic(x: float, r: float, steps: int) -> float:
    ...     for _ in linad.checkpoint(range(steps), slots=10):
    ...         x = r * x * (1.0 - x)
    ...     return x
    >>> logistic.grad(0.5, 3.0, 2)
    (0.0, -0.1875)
    """
    if callable(over):
        if (slots, memory, scheme) != (None, None, None):
            raise TypeError("linad.checkpoint takes no options with a function: its arguments are the one snapshot")
        return RunAgain(over)  # type: ignore[return-value]
    why = misuse(scheme, slots, memory)
    if why is not None:
        raise ValueError(f"linad.checkpoint {why}")
    return over


class RunAgain:
    """A function under `checkpoint`: it behaves like the function and has the same derivatives."""

    __linad_again__ = True  # calls inside checked functions are run again in the reverse sweep

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function

    def __linad_source__(self) -> object:
        return underlying(self.__wrapped__)

    def __linad_rule__(self) -> object:
        return rules_of(self.__wrapped__)

    def __linad_compiled__(self) -> object:
        return compiled_of(self.__wrapped__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return f"linad.checkpoint({self.__wrapped__!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return checkpoint, (portable(self.__wrapped__),)
