"""Small NumPy loop programs that everybody writes, and none was written with a differentiation tool in mind.

Each takes one float vector and returns a number. The same text is handed to every tool; only the name `np` is bound to
the tool's own NumPy. Arrays are copied by a loop, the one way that every tool has a word for. The first line of a docstring
is the row's title in the table.
"""

import numpy as np


def horner(x):
    """scalar recurrence"""
    s = 0.0
    for i in range(len(x)):
        s = 0.7 * s + x[i] * x[i]
    return s


def prefix_sum(x):
    """`v[i] += v[i-1]`"""
    v = np.zeros(len(x))
    for i in range(len(x)):
        v[i] = x[i]
    for i in range(1, len(v)):
        v[i] += v[i - 1]
    s = 0.0
    for i in range(len(v)):
        s += v[i] * v[i]
    return s


def sine_in_place(x):
    """`v[i] = sin(v[i])`, reused"""
    v = np.zeros(len(x))
    for i in range(len(x)):
        v[i] = x[i]
    for i in range(len(v)):
        v[i] = np.sin(v[i])
    s = 0.0
    for i in range(len(v)):
        s += v[i] * v[i]
    return s


def heat_swap(x):
    """heat equation, two buffers swapped"""
    n = len(x)
    u = np.zeros(n)
    w = np.zeros(n)
    for i in range(n):
        u[i] = x[i]
        w[i] = x[i]
    for t in range(4):
        for i in range(1, n - 1):
            w[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + 0.01 * u[i] * u[i]
        u, w = w, u
    s = 0.0
    for i in range(n):
        s += u[i] * u[i]
    return s


def gauss_seidel(x):
    """Gauss-Seidel sweeps in place"""
    n = len(x)
    u = np.zeros(n)
    for i in range(n):
        u[i] = x[i]
    for t in range(3):
        for i in range(1, n - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1]) - 0.1 * u[i] * u[i]
    s = 0.0
    for i in range(n):
        s += u[i] * u[i]
    return s


def converge(x):
    """`while` until converged"""
    s = 0.0
    for i in range(len(x)):
        a = 1.0 + x[i] * x[i]
        r = a
        while abs(r * r - a) > 1e-12 * a:
            r = 0.5 * (r + a / r)
        s += r
    return s


def early_exit(x):
    """`break`, `continue`, early `return`"""
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        if s > 2.0:
            break
        s += x[i] * x[i]
    if s < 1.0:
        return 3.0 * s
    return s * s


def hmm_forward(x):
    """forward algorithm of a hidden Markov model"""
    n = len(x)
    a = np.zeros(2)
    b = np.zeros(2)
    a[0] = 0.6
    a[1] = 0.4
    log_likelihood = 0.0
    for t in range(n):
        for j in range(2):
            b[j] = (0.8 * a[j] + 0.2 * a[1 - j]) * np.exp(-0.5 * (x[t] - j) ** 2)
        total = b[0] + b[1]
        for j in range(2):
            a[j] = b[j] / total
        log_likelihood += np.log(total)
    return log_likelihood


def cholesky(x):
    """Cholesky factor in place, by loops"""
    n = len(x)
    m = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            m[i, j] = x[i] * x[j]
        m[i, i] += 2.0
    log_det = 0.0
    for j in range(n):
        for k in range(j):
            m[j, j] -= m[j, k] * m[j, k]
        m[j, j] = np.sqrt(m[j, j])
        log_det += np.log(m[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                m[i, j] -= m[i, k] * m[j, k]
            m[i, j] = m[i, j] / m[j, j]
    return log_det


def second_name(x):
    """second name for one array, then updated"""
    v = np.zeros(len(x))
    for i in range(len(x)):
        v[i] = x[i]
    a = v
    a[0] = 2.0 * x[1]
    return v[0] * v[0] + a[1]


def out_of_range(x):
    """index out of range"""
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i + 1]
    return s


PROGRAMS = (
    horner,
    prefix_sum,
    sine_in_place,
    heat_swap,
    gauss_seidel,
    converge,
    early_exit,
    hmm_forward,
    cholesky,
    second_name,
    out_of_range,
)
