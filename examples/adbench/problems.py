"""Inputs and reference results of the ADBench problems: shipped ones, files of a folder, and seeded random ones.

Files are read from `examples/data` and from the folder that the environment variable ``ADBENCH_DATA`` names.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gmm_model import wishart_constant

from . import bundle, gmm, hand, lstm

FOLDERS = [Path(__file__).parents[1] / "data"]
FOLDERS += [Path(folder) for folder in [os.environ.get("ADBENCH_DATA")] if folder]


@dataclass(frozen=True)
class Problem:
    """A function in several styles, with arguments.

    Attributes
    ----------
    name
        What the problem is called: its kind and its sizes.
    styles
        The decorated functions, by style. All have the same arguments and results.
    args
        The arguments.
    active
        How many of the first arguments the gradient is taken by.
    reference
        Value and gradient as another program found them, where there are such.
    """

    name: str
    styles: dict[str, Callable[..., Any]]
    args: tuple
    active: int
    reference: tuple[Any, ...] | None = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        return self.name.split("_")[0]


def found(name: str) -> dict[str, np.ndarray] | None:
    """The arrays of a file, None where no folder has it."""
    for folder in FOLDERS:
        if (path := folder / f"{name}.npz").exists():
            with np.load(path) as file:
                return {key: file[key] for key in file.files}
    return None


def _taken(name: str, *keys: str) -> tuple | None:
    reference = found(f"{name}.ref")
    return None if reference is None else tuple(reference[key] for key in keys)


def _file(name: str) -> dict[str, np.ndarray]:
    if (arrays := found(name)) is None:
        raise FileNotFoundError(f"no {name}.npz in {', '.join(map(str, FOLDERS))}")
    return arrays


GMM = {"loops": gmm.loops, "loops, scratch outside": gmm.outside, "NumPy": gmm.arrays}


def _mixture(name: str, alphas, means, icf, x, gamma: float, m: int, reference: tuple | None) -> Problem:
    k, d = means.shape
    rest = x, gamma, m, wishart_constant(d, k, gamma, m), 1.0
    return Problem(name, GMM, (alphas, means, icf, *rest), 3, reference)


def gmm_file(name: str) -> Problem:
    """A mixture of a file; the single point of the largest one is repeated."""
    z = _file(name)
    x = np.ascontiguousarray(np.broadcast_to(z["x"], (int(z["n"]), z["x"].shape[1])))
    reference = _taken(name, "f", "g_alphas", "g_means", "g_icf")
    return _mixture(name, z["alphas"], z["means"], z["icf"], x, float(z["gamma"]), int(z["m"]), reference)


def gmm_random(n: int, d: int, k: int, seed: int = 0) -> Problem:
    """A random mixture."""
    rng = np.random.default_rng(seed)
    alphas, means = rng.standard_normal(k), rng.uniform(0, 1, (k, d))
    icf, x = rng.standard_normal((k, d * (d + 1) // 2)), rng.standard_normal((n, d))
    return _mixture(f"gmm_n{n}_d{d}_K{k}", alphas, means, icf, x, 1.0, 0, None)


LSTM = {"loops": lstm.loops, "NumPy": lstm.arrays}


def lstm_file(name: str) -> Problem:
    z = _file(name)
    args = z["main_params"], z["extra_params"], z["state"], z["sequence"].astype(np.float64)
    return Problem(name, LSTM, args, 2, _taken(name, "f", "g_main_params", "g_extra_params"))


def lstm_random(layers: int, c: int, b: int = 14, seed: int = 0) -> Problem:
    """A random network that reads random bits."""
    rng = np.random.default_rng(seed)
    main, extra, state = rng.random((2 * layers, 4 * b)), rng.random((3, b)), rng.random((2 * layers, b))
    sequence = rng.integers(0, 2, (c, b)).astype(np.float64)
    return Problem(f"lstm_l{layers}_c{c}", LSTM, (main, extra, state, sequence), 2)


BUNDLE = {"loops": bundle.loops, "3-vectors": bundle.vectors, "NumPy": bundle.arrays}
# The camera, the point and the pixel that ADBench's own files repeat.
CAMERA = np.array([
    -0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426, -8.51887, 0.087812, 0.002739,
])  # fmt: skip
POINT = np.array([7.203245, 0.001144, 3.023326])
PIXEL = np.array([271.760969, 834.209256])


def bundle_file(name: str) -> Problem:
    z = _file(name)
    args = z["cams"], z["X"], z["w"], z["feats"], z["obs"].astype(np.int64)
    return Problem(name, BUNDLE, args, 3, _taken(name, "s", "gs_cams", "gs_X", "gs_w"))


def bundle_random(n: int, m: int, p: int, seed: int = 1) -> Problem:
    """Cameras and points around one of each, so that a mixed-up index shows."""
    rng = np.random.default_rng(seed)
    cameras = CAMERA * (1.0 + 0.05 * rng.standard_normal((n, 11)))
    points = POINT + 0.5 * rng.standard_normal((m, 3))
    weights = rng.uniform(0.2, 1.0, p)
    i = np.arange(p)
    obs = np.stack([i % n, (7 * i + i // m) % m], 1)
    pixels = PIXEL * (1.0 + 0.1 * rng.standard_normal((p, 2)))
    return Problem(f"ba_n{n}_m{m}_p{p}", BUNDLE, (cameras, points, weights, pixels, obs), 3)


HAND_SIMPLE = {"loops": hand.simple_loops, "NumPy": hand.simple_arrays}
HAND_COMPLICATED = {"loops": hand.complicated_loops, "NumPy": hand.complicated_arrays}


def hand_file(name: str) -> Problem:
    """A pose of the hand whose size the name has."""
    z, model = _file(name), _file("hand_model_big" if "_big_" in name else "hand_model_small")
    rest = [model[k] for k in ("parents", "base_relatives", "inverse_base_absolutes", "base_positions", "weights")]
    if "complicated" in name:
        args = (z["theta"], z["us"], *rest, model["triangles"], z["correspondences"], z["points"])
        return Problem(name, HAND_COMPLICATED, args, 2, _taken(name, "s", "gs_theta", "gs_us"))
    args = (z["theta"], *rest, z["correspondences"], z["points"])
    return Problem(name, HAND_SIMPLE, args, 1, _taken(name, "s", "gs_theta"))


def from_file(name: str) -> Problem:
    """The problem of a file, by its name."""
    kinds = {"gmm": gmm_file, "lstm": lstm_file, "ba": bundle_file, "hand": hand_file}
    return kinds[name.split("_")[0]](name)


SHIPPED = (
    "gmm_1k_d2_K5", "gmm_1k_d10_K25", "lstm_l2_c1024", "ba_gen0_n5_m20_p100", "hand_simple_small_c100",
    "hand_complicated_small_c100",
)  # fmt: skip
ELSEWHERE = (
    "gmm_test_d2_K3_n1", "gmm_1k_d32_K100", "gmm_10k_d10_K25", "gmm_2.5M_d2_K5", "lstm_l2_c4096", "lstm_l4_c1024",
    "lstm_l4_c4096", "ba_test_n2_m10_p10", "ba_gen1_n49_m7776_p31843", "hand_test_simple_c2", "hand_test_complicated_c2",
    "hand_complicated_small_c800", "hand_simple_big_c800",
)  # fmt: skip


def available() -> list[str]:
    """The names of the problems that have files here, shipped ones first."""
    return [*SHIPPED, *(name for name in ELSEWHERE if found(name) is not None)]


def errors(problem: Problem, value: float, gradient: Any) -> tuple[float, float]:
    """How far value and gradient are from the reference: relative to the value, and to the largest entry of each part."""
    assert problem.reference is not None
    wanted, *parts = problem.reference
    given = gradient if isinstance(gradient, tuple) else (gradient,)
    worst = max(
        float(np.max(np.abs(got - want)) / np.max(np.abs(want))) for got, want in zip(given, parts, strict=True)
    )
    return abs(value - float(wanted)) / abs(float(wanted)), worst
