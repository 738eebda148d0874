"""Values that derivatives treat as constants."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ..structures import map_leaves

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """Return the same value, which derivatives treat as a constant.

    Parameters
    ----------
    x : scalar, ndarray, or a tuple or record of them

    Returns
    -------
    value
        The value of `x`; arrays are copied. Inside a checked function its tangent and its cotangent are zero.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def straight(x: float) -> float:
    ...     return x * linad.stop_gradient(x)
    >>> straight.value_and_grad(3.0)
    (9.0, 3.0)
    """
    return map_leaves(_stopped, x)


def _stopped(leaf: Any) -> Any:
    """A leaf without its derivative. Leaves that carry a derivative, such as those of `linad.baseline`, have a method
    for this."""
    if isinstance(leaf, np.ndarray):
        return leaf.copy()
    stop = getattr(type(leaf), "__stop_gradient__", None)
    return leaf if stop is None else stop(leaf)
