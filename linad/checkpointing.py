"""`linad.checkpoint`: the mark of a loop whose reverse starts from snapshots of its state."""

from __future__ import annotations

from typing import Literal, TypeVar

from linad_typecheck.checkpointing import FUNCTION, misuse

T = TypeVar("T")


def checkpoint(
    over: T,
    *,
    slots: int | None = None,
    memory: str | int | None = None,
    scheme: Literal["tape", "recompute", "periodic", "bisect", "revolve"] | None = None,
) -> T:
    """Mark a loop: its derivative keeps some states and computes the steps between them again.

    In Python it gives back what it is given. In a function under `linear_grad` it stands around what a `for` runs over, or
    around the condition of a `while`::

        for t in linad.checkpoint(range(T), slots=10): ...
        while linad.checkpoint(residual > tol, memory="200MB"): ...

    What is saved is the state at the head of an iteration, found by the checker: the carried scalars and the arrays that
    the loop both reads and writes.

    Parameters
    ----------
    over : range, array or any other iterable of a `for`; bool
        What the loop runs over, or its condition.
    slots : int, optional
        How many snapshots may be held at a time, that of the first state included.
    memory : str or int, optional
        How many bytes of snapshots may be held, such as ``"200MB"``, in place of ``slots``. At least one is held.
    scheme : str, optional
        ``revolve``, the default, recomputes the fewest steps for a number of slots; ``bisect`` halves intervals, with
        about ``log2(T)`` slots; ``periodic`` keeps states at equal distances and recomputes each interval from them;
        ``recompute`` keeps the first state only; ``tape`` logs as an unmarked loop does. Without ``slots`` and
        ``memory``, ``revolve`` holds about ``sqrt(2 * T)`` snapshots, ``periodic`` ``2 * sqrt(T)``, and a loop that may end
        early, whose number of steps is not known when it begins, at most 64.

    Returns
    -------
    object
        ``over``.

    Raises
    ------
    TypeError
        Where ``over`` is a function.
    ValueError
        Where the options make no sense.
    """
    if callable(over):
        raise TypeError(f"linad.checkpoint {FUNCTION}")
    why = misuse(scheme, slots, memory)
    if why is not None:
        raise ValueError(f"linad.checkpoint {why}")
    return over
