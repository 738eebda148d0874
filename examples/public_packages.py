"""Ten functions of public packages, differentiated as they are: imported from where they are installed, and not changed.

    pip install pvlib fluids ht chemicals seawater pymap3d quantecon transforms3d radvel lmfit
    python examples/public_packages.py

Each gradient is compared with central differences along a direction. A package that is not installed is named and left out.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import numpy as np
from linad import linear_grad


class Row(NamedTuple):
    """A function, the licence of its package, and what it is called with."""

    function: str
    licence: str
    what: str
    arguments: tuple[object, ...]


POINTS = np.array([0.7, 1.1, 1.6, 2.4])
ROWS = (
    Row("pvlib.temperature.sapm_module", "BSD-3-Clause", "temperature of a photovoltaic module by irradiance, air and wind",
        (np.array([400.0, 800.0, 950.0]), np.array([12.0, 25.0, 31.0]), np.array([1.5, 3.0, 0.5]), -3.47, -0.0594)),
    Row("fluids.packed_tower.Robbins", "MIT", "pressure drop of a packed column", (12.2, 2.03, 1000.0, 1.1853, 0.001, 2.0)),
    Row("ht.conv_supercritical.Nu_McAdams", "MIT", "heat transfer to a supercritical fluid", (1e5, 1.2)),
    Row("chemicals.iapws.iapws95_dAr_ddelta", "MIT", "residual Helmholtz energy of water", (1.1, 0.8)),
    Row("seawater.eos80.ptmp", "MIT", "potential temperature of sea water",
        (np.array([34.5, 34.7, 35.2]), np.array([28.0, 20.0, 12.0]), np.array([10.0, 250.0, 900.0]), 0.0)),
    Row("pymap3d.ecef.geodetic2ecef", "BSD-2-Clause", "position on the earth in Cartesian coordinates", (42.0, -82.0, 200.0)),
    Row("quantecon.gini_coefficient", "MIT", "inequality of incomes, under `@njit`", (np.array([1.3, 0.4, 2.2, 5.1, 0.9]),)),
    Row("transforms3d.quaternions.quat2mat", "BSD-2-Clause", "rotation matrix of a quaternion", (np.array([0.5, 0.1, -0.7, 0.4]),)),
    Row("radvel.likelihood.loglike_jitter", "MIT", "log-likelihood of radial velocities",
        (np.array([0.4, -1.2, 0.7]), np.array([0.9, 1.1, 1.4]), 0.3)),
    Row("lmfit.lineshapes.skewed_gaussian", "BSD-3-Clause", "line of a spectrum", (POINTS, 2.0, 1.2, 0.8, 0.6)),
)  # fmt: skip


def function_of(row: Row) -> object:
    """The function, imported.

    Raises
    ------
    ImportError
        Where the package is not installed.
    """
    module, _, name = row.function.rpartition(".")
    return getattr(import_module(module), name)


def difference(row: Row) -> tuple[float, float]:
    """The derivative of a weighted sum of the results along a direction: by linad, and by differences."""
    plain = function_of(row)
    called = getattr(plain, "py_func", plain)
    moving = [k for k, a in enumerate(row.arguments) if isinstance(a, (float, np.ndarray))]
    draw = np.random.default_rng(1)
    along = {k: draw.uniform(-1.0, 1.0, np.shape(row.arguments[k])) * (1.0 + np.abs(row.arguments[k])) * 1e-2 for k in moving}

    def shifted(h: float) -> float:
        given = [a + h * along[k] if k in along else a for k, a in enumerate(row.arguments)]
        return float(sum(np.sum(np.cos(1.0 + j) * np.asarray(p)) for j, p in enumerate(parts(called(*given)))))

    value, pull = linear_grad(plain).vjp(*row.arguments)
    found = parts(value)
    weights = [np.full(np.shape(p), np.cos(1.0 + j)) for j, p in enumerate(found)]
    cotangent = tuple(as_given(w, p) for w, p in zip(weights, found, strict=True))
    bars = pull(cotangent if isinstance(value, tuple) else cotangent[0])
    ours = sum(float(np.sum(np.asarray(bar) * along[k])) for k, bar in zip(moving, bars, strict=False))
    return ours, (shifted(1e-4) - shifted(-1e-4)) / 2e-4


def parts(value: object) -> list[object]:
    """The parts of a result."""
    return list(value) if isinstance(value, tuple) else [value]


def as_given(weight: np.ndarray, part: object) -> object:
    """A cotangent of the type of a part."""
    return weight if isinstance(part, np.ndarray) else float(weight)


def main() -> None:
    for row in ROWS:
        try:
            ours, theirs = difference(row)
        except ImportError as missing:
            print(f"{row.function:42} left out: {missing}")
            continue
        print(f"{row.function:42} {row.licence:14} {ours:+.8e}  differences {theirs:+.8e}")


if __name__ == "__main__":
    main()
