"""Programs that editors are shown."""

HEAD = """\
import math
import numpy as np
from jaxtyping import Float64
from linad import linear_grad

C = 0.5


def scale(a, w):
    for i in range(len(a)):
        a[i] = a[i] * w + 1.0


"""

GOOD = (
    HEAD
    + '''\
@linear_grad
def kernel(x: Float64[np.ndarray, "n"], w: float) -> float:
    u = x.copy()
    v = np.zeros(len(x))
    scale(u, w)
    for t in range(3):
        for i in range(1, len(x) - 1):
            d = C * (u[i - 1] - 2.0 * u[i] + u[i + 1])
            if d > 0.0:
                d = math.tanh(d)
            v[i] = u[i] + w * d
        u, v = v, u
    s = 0.0
    for i in range(len(x)):
        s += u[i] ** 2 / (1.0 + x[i] ** 2)
    return math.sqrt(s)
'''
)

MOVED = (
    HEAD
    + '''\
@linear_grad(strict=True)
def moved(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = u
    v[0] = 1.0
    return u[0] + v[1]
'''
)
