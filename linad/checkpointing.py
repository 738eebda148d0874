"""`linad.checkpoint`: the mark of a loop whose reverse starts from snapshots of its state, or of a function that is run
again."""

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
    """Mark a loop: its derivative keeps some states and computes the steps between them again.

    In Python it gives back what it is given. In a function under `linear_grad` it stands around what a `for` runs over,
    or around the condition of a `while`::

        for t in linad.checkpoint(range(T), slots=10): ...
        while linad.checkpoint(residual > tol, memory="200MB"): ...

    What is saved is the state at the head of an iteration, found by the checker: the carried scalars and the arrays
    that the loop both reads and writes.

    Parameters
    ----------
    over : range, array or any other iterable of a `for`; bool; function
        What the loop runs over, or its condition. Or a function: where a checked function calls the result, nothing of
        what the call computes is kept, and the reverse sweep runs it again from its arguments.
    slots : int, optional
        How many snapshots may be held at a time, that of the first state included.
    memory : str or int, optional
        How many bytes of snapshots may be held, such as ``"200MB"``, in place of ``slots``. At least one is held.
    scheme : str, optional
        ``revolve``, the default, recomputes the fewest steps for a number of slots; ``bisect`` halves intervals, with
        about ``log2(T)`` slots; ``periodic`` keeps states at equal distances and recomputes each interval from them;
        ``recompute`` keeps the first state only; ``tape`` logs as an unmarked loop does. Without ``slots`` and
        ``memory``, ``revolve`` holds about ``sqrt(2 * T)`` snapshots, ``periodic`` ``2 * sqrt(T)``, and a loop that may
        end early, whose number of steps is not known when it begins, at most 64.

    Returns
    -------
    object
        ``over``; of a function, one that does the same.

    Raises
    ------
    TypeError
        Where options are given with a function.
    ValueError
        Where the options make no sense: `slots` below 1, an unknown scheme, `slots` together with `memory`.

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
    """A function under `checkpoint`: it does what the function does, and has its derivatives."""

    __linad_again__ = True  # calls of it inside checked functions are run again in the reverse sweep

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
