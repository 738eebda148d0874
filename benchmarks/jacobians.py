"""Jacobians and products with Hessians, in one run with the strict C primal, after checking them against references.

Three tables: Jacobians of ADBench's hand and bundle adjustment over the primal in C, compiled without ``-ffast-math``;
the product with a Hessian over the gradient; a dense Jacobian in one sweep against one pullback for each result.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import jacobian_programs as programs
from benchmarks.adbench import native
from benchmarks.suite import problems
from benchmarks.timing import engineering, least

DATA = Path(__file__).parents[1] / "examples" / "data"
# the camera, the point and the pixel that ADBench's own files repeat (see examples/data/README.md)
CAMERA = (-0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426, -8.51887, 0.087812,
          0.002739)  # fmt: skip
POINT, PIXEL = (7.203245, 0.001144, 3.023326), (271.760969, 834.209256)

Calls = dict[str, Callable[[], object]]


@dataclass(frozen=True)
class Row:
    """Least seconds of calls that took turns, the two whose ratio counts, and what it is to be at most."""

    name: str
    times: dict[str, float]
    over: tuple[str, str]
    target: str

    @property
    def ratio(self) -> float:
        return self.times[self.over[0]] / self.times[self.over[1]]


def _agree(what: str, found: Any, wanted: Any) -> None:
    error = np.abs(found - wanted).max() / np.abs(wanted).max()
    if not error <= 1e-11:
        raise AssertionError(f"{what}: differs by {error:.1e}")


def _load(name: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"{name}.npz") as z:
        return {k: z[k] for k in z.files}


def hand(kind: str) -> Calls:
    """The Jacobian by the 26 parameters of a pose."""
    import linad

    m, case, wanted = _load("hand_model_small"), _load(f"hand_{kind}_small_c100"), _load(f"hand_{kind}_small_c100.ref")
    model = [m[k] for k in ("parents", "base_relatives", "inverse_base_absolutes", "base_positions", "weights")]
    theta, seen, points = (case[k] for k in ("theta", "correspondences", "points"))
    more = [case["us"]] if kind == "complicated" else []
    triangles = [m["triangles"]] if more else []
    flat = native.primal("hand", (theta, *more, *model, *triangles, seen, points))
    matrices = native.primal("hand_matrices", (theta, *model, seen, points))
    f = linad.linear_grad(getattr(programs, f"hand_{kind}"))
    args = (theta, *more, *model, seen, points, *triangles)
    jacobian = linad.jacfwd(f)
    value = 0.5 * np.sum(wanted["err"] ** 2)
    _agree("hand in C", flat(), value)
    _agree("hand", f(*args), wanted["err"])
    _agree("hand, Jacobian", jacobian(*args).reshape(-1, 26), wanted["J_theta"])
    if kind == "simple":
        _agree("hand in C by matrices", matrices(), value)
    return {
        "C": flat,
        "C by matrices": matrices,
        "primal": lambda: f(*args),
        "Jacobian": lambda: jacobian(*args),
    }


def observed(n: int, m: int, p: int, seed: int) -> tuple[np.ndarray, ...]:
    """Cameras, points, weights, pixels and who has seen what, as in examples/data/README.md."""
    rng = np.random.default_rng(seed)
    cams = CAMERA * (1.0 + 0.05 * rng.standard_normal((n, 11)))
    points = POINT + 0.5 * rng.standard_normal((m, 3))
    weights = rng.uniform(0.2, 1.0, p)
    i = np.arange(p)
    pixels = PIXEL * (1.0 + 0.1 * rng.standard_normal((p, 2)))
    return cams, points, weights, pixels, np.stack([i % n, (7 * i + i // m) % m], axis=1)


def bundle(n: int = 49, m: int = 7776, p: int = 31843) -> Calls:
    """The Jacobian of all residuals by cameras, points and weights as three CSR matrices."""
    import linad

    small, wanted = _load("ba_gen0_n5_m20_p100"), _load("ba_gen0_n5_m20_p100.ref")
    f = linad.linear_grad(programs.residuals)
    few = (small["cams"], small["X"], small["w"], small["feats"], small["obs"].astype(np.int64))
    whole = np.concatenate([a.toarray() for a in linad.jacobian(f, (0, 1, 2), sparsity=True)(*few)], axis=1)
    camera, point = few[4].T
    for i in range(len(camera)):
        columns = [*(11 * camera[i] + np.arange(11)), *(55 + 3 * point[i] + np.arange(3)), 115 + i]
        _agree("bundle adjustment, Jacobian", whole[2 * i : 2 * i + 2, columns], wanted["J"][i])
    _agree("bundle adjustment, all of it", np.sum(whole[:200] ** 2), wanted["J_sqsum"])

    args = observed(n, m, p, 1)
    value = native.primal("ba", args)
    _agree("bundle adjustment in C", np.float64(value()), 0.5 * sum(np.sum(e**2) for e in f(*args)))
    given = linad.jacobian(f, (0, 1, 2), sparsity=linad.sparsity(f, (0, 1, 2))(*args))
    found = linad.jacobian(f, (0, 1, 2), sparsity=True)
    swept = linad.jacobian(f, (0, 1, 2), "fwd", linad.sparsity(f, (0, 1, 2))(*args))
    return {
        "C": value,
        "primal": lambda: f(*args),
        "Jacobian": lambda: given(*args),
        "pattern found": lambda: found(*args),
        "by colours": lambda: swept(*args),
    }


SECOND = {
    "heat": (1000, 500), "n_body": (40, 20), "gmm": (1000,), "reaction": (100, 50), "gauss_seidel": (1000, 100),
    "lstm": (200,), "hmm": (1000,), "black_scholes": (10_000,), "bundle": (20_000,), "csr": (10_000,),
}  # fmt: skip


def second_order(name: str) -> Calls:
    """A gradient of the suite, and the product of the Hessian with a vector."""
    import linad

    p = getattr(problems, name)(*SECOND[name])
    f = linad.linear_grad(wrt=p.wrt)(p.function)
    rng = np.random.default_rng(0)

    def tangent(name: str, a: Any) -> Any:
        if isinstance(a, np.ndarray) and a.dtype.kind == "f" or isinstance(a, float):
            return (rng.normal(size=np.shape(a)) if name in p.wrt else np.zeros(np.shape(a)))[()]
        return None

    along = tuple(tangent(n, a) for n, a in zip(inspect.signature(p.function).parameters, p.args))
    return {"gradient": lambda: f.value_and_grad(*p.args), "product": lambda: f.hvp(p.args, along)}


def few_results(name: str) -> Calls:
    """A dense Jacobian in reverse mode, and one pullback for each result."""
    import linad

    rng = np.random.default_rng(0)
    args: tuple[Any, ...] = {
        "network": (rng.normal(size=50), rng.normal(size=(64, 50)) / 8, rng.normal(size=64),
                    rng.normal(size=(16, 64)) / 8, rng.normal(size=16)),
        "wave": (0.2 * rng.random(128), rng.normal(size=128), 50),
        "reactions": (rng.random(16), 200),
    }[name]  # fmt: skip
    f = linad.linear_grad(wrt=0)(getattr(programs, name))
    jacobian = linad.jacrev(f)
    rows = np.eye(len(f(*args)))

    def pulled() -> np.ndarray:
        _, pullback = f.vjp(*args)
        return np.stack([pullback(row)[0] for row in rows])

    _agree(name, jacobian(*args), pulled())
    return {"one sweep": lambda: jacobian(*args), "pullbacks": pulled}


def rows() -> Iterator[tuple[str, Callable[[], Calls], tuple[str, str], str]]:
    """What is measured: its name, how it is made, the ratio that counts, and its target."""
    for kind, target in (("simple", "4.1"), ("complicated", "7.0")):
        make = lambda kind=kind: hand(kind)  # noqa: E731
        yield f"HAND {kind}, 26 columns", make, ("Jacobian", "C by matrices"), f"at most {target}"
    yield "BA as CSR, 31,843 observations", bundle, ("Jacobian", "C"), "at most 2.15"
    for name in SECOND:
        yield f"hvp of {name}", lambda name=name: second_order(name), ("product", "gradient"), "at most 3"
    for name in ("network", "wave", "reactions"):
        yield f"Jacobian of {name}", lambda name=name: few_results(name), ("pullbacks", "one sweep"), "at least 3"


def measure() -> Iterator[Row]:
    """Each row in turn, in time of the processor: all of them run on one thread."""
    for name, make, over, target in rows():
        yield Row(name, least(make(), rounds=40, clock=time.thread_time), over, target)


def table(found: list[Row]) -> str:
    """The rows as Markdown."""
    lines = ["## Jacobians and Hessians", "", "| | times | ratio | of | target |", "|:---|:---|---:|:---|:---|"]
    for r in found:
        times = ", ".join(f"{name} {engineering(t)}" for name, t in r.times.items())
        lines.append(f"| {r.name} | {times} | **{r.ratio:.2f}** | {' / '.join(r.over)} | {r.target} |")
    return "\n".join(lines) + "\n"
