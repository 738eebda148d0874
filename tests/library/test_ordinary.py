"""Library functions on ordinary arguments against the originals and differences, and on edges against the originals."""

from __future__ import annotations

import importlib
import re
import statistics
from contextlib import suppress

import numpy as np
import pytest
import scipy.interpolate
import scipy.optimize
from linad import LinadError, linear_grad

from .ordinary import EDGES, ON_EDGES, ORDINARY
from .table import SHORT

NAMES = {
    **{short: importlib.import_module(home) for home, short in SHORT.items() if home.startswith("scipy.")},
    "np": np, "statistics": statistics, "so": scipy.optimize, "sx": scipy.interpolate,
}  # fmt: skip
VALUES = {
    "x": np.array([0.7, 1.9, 0.4, 2.2, 1.1, 0.3]),
    "v": np.array([1.0, 2.0, 0.5]),
    "A": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
    "P": np.arange(48.0).reshape(6, 8) % 7 + np.linspace(0.0, 1.0, 48).reshape(6, 8),
    "u": 0.6,
    "e": np.array(EDGES),
}


@pytest.fixture
def function(tmp_path):
    """A function of an expression, with the arguments that it has."""

    def made(text):
        used = [name for name in VALUES if re.search(rf"\b{name}\b", text)]
        file = tmp_path / "written.py"
        file.write_text(f"def f({', '.join(used)}):\n    return {text}\n", encoding="utf-8")
        found = dict(NAMES)
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), found)
        return found["f"], [VALUES[name] for name in used]

    return made


@pytest.mark.one_in(25)
@pytest.mark.parametrize("text", ORDINARY)
def test_value_and_derivative(text, function):
    f, args = function(text)
    value, pull = linear_grad(f, backend="interpret").vjp(*args)
    expected = np.asarray(f(*args))
    assert np.shape(value) == expected.shape
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape) + 1.3
    gradients = pull(weights if expected.ndim else float(weights))
    gradients = gradients if len(args) > 1 else (gradients,)
    rng, h = np.random.default_rng(0), 1e-6
    along = [rng.standard_normal(np.shape(a)) for a in args]
    near = lambda s: np.sum(f(*(a + s * h * d for a, d in zip(args, along, strict=True))) * weights)
    slope = (near(1.0) - near(-1.0)) / (2.0 * h)
    assert abs(sum(np.sum(g * d) for g, d in zip(gradients, along, strict=True)) - slope) <= 1e-4 * (1.0 + abs(slope))


@pytest.mark.one_in(9)
@pytest.mark.parametrize("text", ON_EDGES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_value_on_edges(text, function):
    f, args = function(text)
    np.testing.assert_allclose(linear_grad(f, backend="interpret")(*args), f(*args), rtol=1e-9, atol=1e-300)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("text", [t for t in ORDINARY if re.search(r"\b[xvAP]\b", t)])
def test_dtype_of_results_of_float32(text, function):
    """It is that of the original, or the function takes float64 only."""
    f, args = function(text)
    args = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args]
    with suppress(LinadError):
        found = linear_grad(f, backend="interpret")(*args)
        assert np.asarray(found).dtype == np.asarray(f(*args)).dtype
