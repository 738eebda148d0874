"""A program through the decorator, compiled, held against the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from linad import linear_grad

from .roads import Whole, close, fresh, leaves


NUMPY_1 = np.__version__.startswith("1.")  # where CPython makes float64 of a float32 and a float


def compiled_agrees(f: Callable, cases: Sequence[tuple[tuple[Any, ...], tuple[str, ...]]], single: bool = False) -> None:
    """Values and gradients of a function are those of the interpreter, for each case of arguments and updated parameters,
    and so are its exceptions; ``single`` where float32 makes them less exact."""
    checked = linear_grad(f, updates=cases[0][1])
    rounding, rounding_of_gradients = (1e-5, 1e-4) if single else (1e-12, 1e-9)
    for args, updates in cases:
        whole = Whole(f, args, updates, single=single and NUMPY_1)
        before = fresh(list(leaves(args)))
        error = whole.primal().error
        if error is not None:
            for call in (checked, checked.grad):
                with pytest.raises(type(error)):
                    call(*args)
            continue
        wrt = whole.active()
        _, found = whole.gradient(whole.derivative(wrt, True).simplified, wrt, True)
        value, pullback = checked.vjp(*args)
        expected, finals = whole.run(whole.prepared)
        if updates:
            expected = tuple(finals.values()) if expected is None else (expected, *finals.values())
        close(list(map(np.asarray, leaves(value))), list(map(np.asarray, leaves(expected))), rounding, "value")
        ours = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
        close(ours, [found[n] for n in wrt], rounding_of_gradients, f.__name__)
        again = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
        close(again, ours, 0.0, "the second pullback")
        assert all(map(np.array_equal, before, leaves(args)))
