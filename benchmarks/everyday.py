"""What a gradient costs in programs as people write them: value and gradient over the program itself, both compiled by linad."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import everyday_data, everyday_grids
from benchmarks.timing import engineering, least


@dataclass(frozen=True)
class Row:
    """A program: the seconds that it takes, and those of its value and gradient."""

    name: str
    primal: float
    gradient: float

    @property
    def ratio(self) -> float:
        return self.gradient / self.primal


def function(name: str) -> Callable:
    return getattr(everyday_grids, name, None) or getattr(everyday_data, name)


def arguments(scale: float = 1.0) -> dict[str, tuple]:
    """The arguments of every program, by its name; with a ``scale`` below 1 they are smaller, and take fewer steps."""
    rng = np.random.default_rng(0)
    r, normal = rng.random, rng.normal

    def n(size: int) -> int:
        return max(4, int(size * scale))

    def definite(size: int) -> np.ndarray:
        a = normal(size=(size, size))
        return a @ a.T / size + np.eye(size)

    def some(count: int, of: int) -> np.ndarray:
        first = rng.integers(0, of, count)
        return np.stack([first, (first + rng.integers(1, of, count)) % of], axis=1)

    big, cells, wide, side = n(20_000), n(1000), n(200), n(80)
    dense, points = n(100), n(1000)
    return {
        "wave1d": (r(cells), 0.3 * r(cells), n(200)),
        "wave2d": (r((side, side)), 0.1, n(50)),
        "heat_np": (r(cells), 0.2, n(300)),
        "burgers": (r(cells), 0.1, 0.01, n(200)),
        "lorenz": (r(3), 28.0, n(5000)),
        "rk4_vdp": (r(2), 1.0, n(2000)),
        "kalman": (r(big), 0.1, 0.2),
        "mlp": (r((n(500), n(50))), r((n(50), n(60))), r(n(60))),
        "logreg": (r((n(2000), n(30))), r(n(2000)), r(n(30))),
        "softmax_ce": (r((cells, n(50))), rng.integers(0, n(50), cells)),
        "conv1d": (r(big), r(3 if scale < 1 else 9)),
        "conv2d": (r((wide, wide)), r((3, 3))),
        "lu_ikj": (definite(dense),),
        "lu_np": (definite(dense),),
        "chol_row": (definite(dense),),
        "trisolve": (definite(n(300)), r(n(300))),
        "thomas": (0.1 * r(big), r(big) + 2.0, 0.1 * r(big), r(big)),
        "jacobi": (definite(dense) + dense * np.eye(dense), r(dense), n(20)),
        "cg": (definite(dense), r(dense), min(n(20), 3) if scale < 1 else 20),
        "power": (definite(dense), n(30)),
        "verlet": (5.0 * r((n(60), 3)), r((n(60), 3)), n(10)),
        "cutoff": (8.0 * r((wide, 3)), 2.5),
        "neighbours": (r((points, 3)), some(big, points)),
        "springs": (r((points, 2)), some(big, points), r(big)),
        "dtw": (r(wide), r(wide)),
        "needleman": (r((wide, wide)),),
        "viterbi_soft": (r((n(16), n(16))), r((dense, n(16)))),
        "gp": (r(dense), r(dense), 0.3),
        "rbf": (r((n(500), 5)), r((n(30), 5)), r(n(30))),
        "kmeans": (r((cells, 4)), r((n(10), 4))),
        "histo": (r(big), r(big)),
        "interp": (r(n(500)), r(big)),
        "horner": (r(n(10)), r(n(5000))),
        "gru": (r((dense, 8)), r((8, n(20))), 0.1 * r((n(20), n(20)))),
        "option": (1.0, 0.2, normal(size=(n(500), n(50)))),
        "binomial": (1.0, 1.03, 0.2, n(300)),
        "sor2d": (r((side, side)), 1.5, n(20)),
        "redblack": (r((side, side)), n(20)),
        "rosen": (r(big),),
        "tridiag_np": (r(big),),
        "cumulative": (r(big),),
        "ising": (r((wide, wide)), 0.4),
        "matmul_ikj": (r((side, side)), r((side, side))),
        "matmul_acc": (r((side, side)), r((side, side))),
        "attention": (r((side, n(32))), r((side, n(32))), r((side, n(32)))),
        "layernorm": (r((n(500), n(64))), r(n(64))),
        "adi": (r((n(60), n(60))), 0.3, n(10)),
        "qr_gs": (r((dense, n(60))),),
        "householder": (r((side + 4, n(50))),),
    }


def measure(names: tuple[str, ...] | None = None) -> Iterator[Row]:
    """Each program in turn."""
    from linad import linear_grad, release_memory

    for name, args in arguments().items():
        if names is None or name in names:
            release_memory()  # of the programs before
            f = linear_grad(function(name))
            calls = {"primal": lambda f=f, a=args: f(*a), "gradient": lambda f=f, a=args: f.value_and_grad(*a)}
            times = least(calls)
            yield Row(name, times["primal"], times["gradient"])


def table(rows: list[Row]) -> str:
    """The section of the documents."""
    lines = [f"| {r.name} | {engineering(r.primal)} | {engineering(r.gradient)} | **{r.ratio:.2f}** |" for r in rows]
    ratios = [r.ratio for r in rows]
    counts = ", ".join(f"{sum(q <= most for q in ratios)} are at most {most}" for most in (2.5, 3.0, 3.5))
    return "\n".join([
        "## Everyday programs", "",
        f"Value and gradient over the program itself, {len(rows)} programs of `benchmarks/everyday_grids.py` and `everyday_data.py`, the least of a hundred "
        "batches of 4 ms, in turns: the median ratio is "
        f"{statistics.median(ratios):.2f}; {counts}.", "",
        "| program | primal | gradient | gradient / primal |", "|:---|---:|---:|---:|", *lines,
    ]) + "\n"  # fmt: skip
