"""The programs of `benchmarks.unseen`: derivatives along a direction against central differences of the undecorated functions."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.unseen.cases import arguments, function
from linad import linear_grad


TINY = arguments(1 / 16)
STEP = 1e-6


def moved(a: object, by: object, t: float) -> object:
    return a if by is None else a + t * by


@pytest.mark.one_in(48)
@pytest.mark.parametrize("name", TINY)
def test_gradients(name: str) -> None:
    f, args = function(name), shorter(TINY[name])
    rng = np.random.default_rng(3)
    value, found = linear_grad(f).value_and_grad(*args)
    found = list(found if isinstance(found, tuple) else (found,))
    active = [isinstance(a, float) or isinstance(a, np.ndarray) and a.dtype == float for a in args]
    by = [rng.normal(size=np.shape(a)) * np.abs(a) if on else None for a, on in zip(args, active, strict=True)]
    slope = sum(np.sum(found.pop(0) * d) for d in by if d is not None)
    ends = [f(*(moved(a, d, t) for a, d in zip(args, by, strict=True))) for t in (STEP, -STEP)]
    np.testing.assert_allclose(value, f(*args), rtol=1e-9)
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * STEP), rtol=2e-5, atol=1e-6 * max(1.0, abs(value)))


def shorter(args: tuple) -> tuple:
    """The arguments with few time steps: CPython runs the function three times."""
    return tuple(min(a, 20) if type(a) is int else a for a in args)
