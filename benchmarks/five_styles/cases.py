"""What the programs are given."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import rows, steps

ROOMS = (rows, steps)
STYLES = {
    "loops": "loops",
    "outside": "scratch outside",
    "vectors": "NumPy style",
    "helpers": "helpers",
    "counters": "counters",
}
WHAT = {
    "mixture": "spherical Gaussians",
    "triangle": "product with a packed triangle",
    "softmax": "softmax regression",
    "layer": "a layer of a network",
    "attention": "attention to some keys",
    "machine": "factorisation machine",
    "form": "quadratic forms",
    "cosine": "cosines",
    "substitution": "forward substitution",
    "normals": "projections to length one",
    "recurrent": "recurrent network",
    "filter": "linear filter",
    "hidden": "hidden Markov model",
    "species": "competing species",
    "pendulums": "coupled pendulums",
    "portfolio": "portfolio that drifts",
    "rods": "rods that cool",
    "window": "moving window",
    "horner": "polynomial",
    "words": "means of words",
}


def function(name: str, style: str) -> Callable:
    """A program in a style, as its user wrote it."""
    return next(found for room in ROOMS if (found := vars(room).get(f"{name}_{style}")) is not None)


def arguments(tiny: bool = False) -> dict[str, tuple]:
    """The arguments of every program, whatever its style."""
    rng = np.random.default_rng(3)
    n, d, K = (5, 4, 3) if tiny else (500, 16, 8)
    wide = 5 if tiny else 32
    x, seen = rng.normal(size=(n, d)), rng.integers(0, 6, n)
    centres, square, vec = rng.normal(size=(K, d)), rng.normal(size=(d, d)) / d, rng.normal(size=d)
    lower = np.tril(rng.normal(size=(d, d)) / d) + 2.0 * np.eye(d)
    stochastic = rng.dirichlet(np.ones(d), d)
    return {
        "mixture": (x, rng.normal(size=K), centres),
        "triangle": (x, rng.normal(size=d * (d + 1) // 2)),
        "softmax": (x, centres, rng.integers(0, K, n)),
        "layer": (x, centres, rng.normal(size=K)),
        "attention": (x, centres, rng.normal(size=(K, d))),
        "machine": (x, vec, 0.3 * centres),
        "form": (x, vec, square),
        "cosine": (x, centres),
        "substitution": (x, lower),
        "normals": (x, vec / np.sqrt(vec @ vec)),
        "recurrent": (x, square, vec),
        "filter": (rng.normal(size=n), square, vec, 0.1 * rng.normal(size=d)),
        "hidden": (seen, stochastic, rng.dirichlet(np.ones(6), d)),
        "species": (rng.random(d) + 0.5, rng.random(d), rng.random((d, d)) / d, 0.01, n),
        "pendulums": (rng.normal(size=wide), rng.normal(size=wide), 0.5, 0.05, n // 2),
        "portfolio": (0.02 * rng.normal(size=(n, d)), rng.dirichlet(np.ones(d)), 0.1),
        "rods": (rng.normal(size=(max(n // 20, 2), 2 * wide)), 0.4 * rng.random(2 * wide), 20),
        "window": (rng.normal(size=4 * n), vec / d),
        "horner": (rng.random(4 * n), rng.random(d // 2 if not tiny else d)),
        "words": (seen, rng.normal(size=(6, 2 * d)), rng.normal(size=2 * d), 4),
    }
