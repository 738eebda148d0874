"""`scipy.spatial.transform.Rotation`: values against SciPy, directions against differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as R

from linad import linear_grad


X = np.random.default_rng(3).uniform(0.2, 0.9, 6)
CALLS = {
    "rotvec": lambda x: R.from_rotvec(x[:3]).as_matrix() @ x[3:],
    "rotvec, small": lambda x: R.from_rotvec(1e-4 * x[:3]).as_rotvec() * 1e4 + R.from_rotvec(0.0 * x[:3]).as_rotvec(),
    "inverse, degrees": lambda x: R.from_rotvec(x[:3], degrees=True).apply(x[3:], inverse=True),
    "extrinsic": lambda x: R.from_euler("xyz", x[:3]).apply(x[3:]),
    "intrinsic": lambda x: R.from_euler("ZXZ", 50.0 * x[:3], degrees=True).as_quat(),
    "one axis": lambda x: (
        R.from_euler("y", x[0]).as_rotvec(degrees=True)
        + R.from_euler("z", x[:, None]).magnitude().sum()
        + R.from_euler("z", x[:1]).magnitude()
    ),
    "angles": lambda x: np.stack([R.from_rotvec(x[:3]).as_euler(s) for s in ("xyz", "zxz", "ZYX", "XZX")]),
    "gimbal lock": lambda x: R.from_euler("XYZ", [x[0], np.pi / 2, 0.0]).as_euler("XYZ")[:1],
    "products": lambda x: (R.from_rotvec(x[:3]) * R.from_euler("zyx", x[3:]).inv()).as_rotvec(),
    "matrix": lambda x: R.from_matrix(R.from_rotvec(3.0 * x[:3]).as_matrix()).as_quat(canonical=True),
    "matrix, not orthogonal": lambda x: R.from_matrix(np.eye(3) + 0.1 * np.outer(x[:3], x[3:])).as_rotvec(),
    "quaternion": lambda x: R.from_quat(x[:4], scalar_first=True).as_quat(scalar_first=True) + R.identity().magnitude(),
    "stack": lambda x: (R.from_rotvec(np.outer(x, x[:3])) * R.from_euler("xyz", np.outer(x, x[3:]))).apply(x[:3]),
    "stack, matrices": lambda x: R.from_matrix(R.from_rotvec(np.outer(x, x[:3])).inv().as_matrix()).as_euler("zyx"),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", CALLS)
def test_rotations(name):
    f = CALLS[name]
    g = linear_grad(f, backend="interpret", cache=False)
    d = np.linspace(-1.0, 1.0, 6)
    value, tangent = g.jvp((X,), (d,))
    np.testing.assert_allclose(value, f(X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(tangent, (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6, rtol=1e-6, atol=1e-6)
