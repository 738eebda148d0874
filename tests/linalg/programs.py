"""Functions of matrices with a number as the result; run by the tests beside it.

`CASES` says what each is given: kinds of arguments, which `running.argument` makes.
"""

# ruff: noqa
import numpy as np

def weighted(c):
    """A number that depends on every cell of a matrix in its own way."""
    s = 0.0
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            s += np.sin(c[i, j] * (1.0 + 0.3 * i - 0.2 * j))
    return s


def product(a, b):
    return weighted(a @ b)


def transposed_left(a, b):
    return weighted(a.T @ b)


def transposed_right(a, b):
    return weighted(a @ b.T)


def transposed_both(a, b):
    return weighted(np.dot(a.T, b.T))


def squared(a):
    return weighted(a @ a)


def gram(a):
    return weighted(np.matmul(a, a.T))


def chain(a, b):
    return weighted(a @ b @ a.T + b)


def matrix_vector(a, x):
    y = a @ x
    return np.dot(y, y) + y[0]


def vector_matrix(x, a):
    y = x @ a
    return np.inner(y, y) * 0.5


def bilinear(x, y, a):
    return x @ a @ y + np.vdot(a, np.outer(x, y))


def inner_of_matrices(a, b):
    return weighted(np.inner(a, b))


def solved(a, b):
    x = np.linalg.solve(a, b)
    return x @ x + np.sin(x[0])


def solved_many(a, b):
    return weighted(np.linalg.solve(a, b))


def solved_transposed(a, b):
    x = np.linalg.solve(a.T, b)
    return x @ x * x[1]


def inverse(a):
    return weighted(np.linalg.inv(a))


def determinant(a):
    d = np.linalg.det(a)
    return d * d + d


def log_determinant(a):
    sign, size = np.linalg.slogdet(a)
    return size * size + sign


def cholesky(a):
    return weighted(np.linalg.cholesky(a))


def gaussian(a, x):
    low = np.linalg.cholesky(a)
    y = np.linalg.solve(low, x)
    s = -0.5 * (y @ y)
    for i in range(len(x)):
        s -= np.log(low[i, i])
    return s


def eigenvalues(a):
    w = np.linalg.eigvalsh(a)
    s = 0.0
    for i in range(len(w)):
        s += np.sin(w[i]) * (i + 1.0)
    return s


def spectral(a):
    w, v = np.linalg.eigh(a)
    n = len(w)
    e = np.zeros((n, n))
    for i in range(n):
        e[i, i] = np.exp(0.3 * w[i])
    return weighted(v @ e @ v.T)


def singular_values(a):
    s = np.linalg.svd(a, compute_uv=False)
    total = 0.0
    for i in range(len(s)):
        total += np.sin(s[i]) * (i + 1.0)
    return total


def polar(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return weighted(u @ vt) + s[0] * s[0]


def low_rank(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    e = np.zeros((len(s), len(s)))
    e[0, 0] = s[0] * s[0]
    return weighted(u @ e @ vt)


def norms(a, x):
    n = np.linalg.norm(a) + np.linalg.norm(x) * np.linalg.norm(x, 1) + np.linalg.norm(a, 2)
    return n + np.linalg.norm(x, np.inf) + np.linalg.norm(a, "nuc") + np.linalg.norm(a, "fro")


# ------------------------------------------------------------------------------------------------------ and control flow


def powers(a, b):
    h = b.copy()
    for t in range(4):
        h = a @ h
        for i in range(h.shape[0]):
            h[i, t % 3] = np.sin(h[i, t % 3])
    return weighted(h)


def implicit_steps(a, x):
    u = x.copy()
    for t in range(3):
        u = np.linalg.solve(a, u * u)
    return u @ u


def batched(a, b):
    s = 0.0
    for k in range(a.shape[0]):
        x = np.linalg.solve(a[k], b[k])
        s += x @ x * np.linalg.det(a[k])
    return s


def operand_changes_afterwards(a, b):
    m = a.copy()
    x = np.linalg.solve(m, b)
    for i in range(len(b)):
        for j in range(len(b)):
            m[i, j] = m[i, j] * x[j]
    c = m @ a
    m[0, 0] = 0.0
    return weighted(c) + x[0] * m[1, 1]


def in_arms(a, b):
    if a[0, 0] > -10.0:
        c = a @ b
    else:
        c = np.linalg.inv(a)
    if b[0, 0] > 10.0:
        s = np.linalg.det(a)
    else:
        d = np.linalg.inv(c)
        s = weighted(d)
    return s + weighted(c)


def until_small(a, x):
    u = x.copy()
    n = 0
    while u @ u > 1e-3 and n < 5:
        u = np.linalg.solve(a, u)
        n += 1
    return weighted(np.outer(u, x))


def uneven_loops(a, x):
    s = 0.0
    for k in range(3):
        m = a.copy()
        for i in range(k):
            m = m @ a
            for j in range(3):
                m[j, i] += x[j]
        s += np.linalg.det(m) * 0.1
    return s


def step(a, u):
    return np.linalg.solve(a, u + a @ u)


def through_a_helper(a, x):
    u = x.copy()
    for t in range(2):
        u = step(a, u)
    return u @ u


def accumulated(a, b, c):
    d = c.copy()
    for k in range(2):
        e = a @ b
        for i in range(d.shape[0]):
            for j in range(d.shape[1]):
                d[i, j] += e[i, j] * d[i, j]
    return weighted(d)


# ------------------------------------------------------------------------------- the same mathematics by hand, in loops


def solve_by_hand(a, b):
    n = len(b)
    m = a.copy()
    x = b.copy()
    for k in range(n):
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            for j in range(k, n):
                m[i, j] -= f * m[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= m[i, j] * x[j]
        x[i] /= m[i, i]
    return x


def solved_by_hand(a, b):
    x = solve_by_hand(a, b)
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s + np.sin(x[0])


def product_by_hand(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return weighted(c)


def cholesky_by_hand(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return weighted(low)


def least_squares(a, b):
    x, squares, rank, s = np.linalg.lstsq(a, b, rcond=None)
    return x @ x + np.sin(x[0]) + squares[0] * rank


def least_squares_of_many(a, b):
    return weighted(np.linalg.lstsq(a, b)[0])


CASES = {
    "product": ("wide", "tall",),
    "transposed_left": ("tall", "tall",),
    "transposed_right": ("wide", "wide",),
    "transposed_both": ("wide", "tall",),
    "squared": ("square",),
    "gram": ("square",),
    "chain": ("square", "square",),
    "matrix_vector": ("wide", "vector4",),
    "vector_matrix": ("vector3", "wide",),
    "bilinear": ("vector3", "vector4", "wide",),
    "inner_of_matrices": ("wide", "wide",),
    "solved": ("square", "vector3",),
    "solved_many": ("square", "tall3",),
    "solved_transposed": ("square", "vector3",),
    "inverse": ("square",),
    "determinant": ("square",),
    "log_determinant": ("square",),
    "cholesky": ("positive",),
    "gaussian": ("positive", "vector3",),
    "eigenvalues": ("symmetric",),
    "spectral": ("symmetric",),
    "singular_values": ("wide",),
    "polar": ("tall",),
    "low_rank": ("wide",),
    "norms": ("wide", "vector3",),
    "powers": ("square", "square",),
    "implicit_steps": ("square", "vector3",),
    "batched": ("batch", "batch_vectors",),
    "operand_changes_afterwards": ("square", "vector3",),
    "in_arms": ("square", "square",),
    "until_small": ("square", "vector3",),
    "uneven_loops": ("square", "vector3",),
    "through_a_helper": ("square", "vector3",),
    "accumulated": ("wide", "tall", "square",),
    "solved_by_hand": ("square", "vector3",),
    "product_by_hand": ("wide", "tall",),
    "cholesky_by_hand": ("positive",),
    "least_squares": ("tall", "vector4"),
    "least_squares_of_many": ("tall", "tall"),
}
