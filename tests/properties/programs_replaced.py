"""Names that loops, branches and helpers give other arrays, while the first array stays in use: it is copied, and nobody can tell."""

# fmt: off
import numpy as np

W = np.array([1.0, 0.5, 2.0])


def accelerated(x0, b: float):
    x = x0.copy()
    y = x
    for _ in range(3):
        new = y - 0.1 * y**3
        y = new + b * (new - x)
        x = new
    return x, y


def from_row(a):
    v = a[0]
    for i in range(1, len(a)):
        v = v * a[i]
    return v


def nested(u, v):
    for _ in range(2):
        for _ in range(2):
            u = u * v
        v = v + 1.0
    return u.sum() + v.sum()


def from_module(u):
    s = W
    for _ in range(2):
        s = s * u
    return s.sum()


def local_in_one_arm(x, c: float):
    a = x * 2.0
    b = a
    if c > 0.0:
        b = b * 3.0
    return a @ b


def views_of_the_first(x, c: float):
    a = x * 2.0
    d = a[1:]
    if c > 0.0:
        d = a[:-1]
        a = a * 3.0
    if c > 0.5:
        p = (a[::-1], c)
        a = d * 2.0
    else:
        p = (a, 1.0)
    return a.sum() * d[0] * p[1] + p[0][0]


def view_known_in_one_arm(x, c: float):
    a = x * 2.0
    if c > 0.0:
        d = a[::-1]
        a = a * 3.0
    return a.sum() * d[0]


def step(u, k: float):
    if k > 1.0:
        return u
    for _ in range(2):
        u = u + k * u * u
    return u


def by_helper(u, k: float):
    for _ in range(2):
        u = step(u, k)
    return u.sum()


def helper_of_an_argument(x, k: float):
    y = step(x, k)
    return y @ x


def helper_of_a_local(x, k: float):
    a = x * 2.0
    y = step(a, k)
    return y @ a


U, V = np.array([0.7, 1.3, 0.4]), np.array([0.3, 0.9, 1.1])
A = np.array([[0.5, 1.5], [2.0, 0.25], [1.1, 0.9]])
CASES = {
    "accelerated": [((U, 0.3), ())],
    "from_row": [((A,), ())],
    "nested": [((U, V), ())],
    "from_module": [((U,), ())],
    "local_in_one_arm": [((U, 1.0), ()), ((U, -1.0), ())],
    "views_of_the_first": [((U, c), ()) for c in (1.0, 0.2, -1.0)],
    "view_known_in_one_arm": [((U, 1.0), ()), ((U, -1.0), ())],
    "by_helper": [((U, 0.2), ()), ((U, 2.0), ())],
    "helper_of_an_argument": [((U, 0.2), ()), ((U, 2.0), ())],
    "helper_of_a_local": [((U, 0.2), ()), ((U, 2.0), ())],
}
