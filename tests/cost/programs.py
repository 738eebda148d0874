"""Python functions whose costs are known beforehand, and the way from a Python function to its prepared core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from linad_typecheck.ir.core import Program

from linad import derive, linear_grad
from linad.decorator import LinearGrad
from linad.pipeline import prepare
from linad.specialise import checked_or_error


def core_of(f: Callable[..., Any], *args: Any) -> tuple[Program, list[object]]:
    """The prepared core of a function, and the flat values of its arguments."""
    checked = f if isinstance(f, LinearGrad) else linear_grad(f)
    arguments = checked._arguments(args, {})
    s = checked.specialisation(arguments)
    found = s.checked or checked_or_error(s.record, s.binding, s.options)
    return prepare(found.program), derive.flat_values(s, arguments)


def prefix_sums(x):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        s = s + x[i]
        y[i] = s
    t = 0.0
    for i in range(len(x)):
        t += y[i] * y[i]
    return t


def squares(x):
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i] ** 2
    t = 0.0
    for i in range(len(y)):
        t += y[i]
    return t


def gauss_seidel(x, b):
    u = x.copy()
    n = len(u)
    for _ in range(4):
        for i in range(1, n - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1]) + b[i] * u[i] * u[i]
    t = 0.0
    for i in range(n):
        t += u[i]
    return t


def time_stepping(x):
    n = len(x)
    u = x.copy()
    v = np.zeros(n)
    for _ in range(5):
        for i in range(1, n - 1):
            v[i] = 0.5 * u[i - 1] + 0.5 * u[i + 1] - 0.1 * u[i] ** 2
        u, v = v, u
    s = 0.0
    for i in range(n):
        s += u[i]
    return s


def newton(a):
    y = a
    while abs(y * y - a) > 1e-9:
        y = 0.5 * (y + a / y)
    return y * y * y


def cholesky(a):
    n = a.shape[0]
    m = a.copy()
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                m[i, j] -= m[i, k] * m[j, k]
        d = np.sqrt(m[j, j])
        for i in range(j, n):
            m[i, j] = m[i, j] / d
    s = 0.0
    for i in range(n):
        s += m[i, i]
    return s


def mixing(x):
    """Each cell is read many times between two writes to it: putting back what was overwritten takes fewer words."""
    v = x.copy()
    n = len(v)
    for _ in range(3):
        for i in range(n):
            e = 0.0
            for k in range(n):
                e += v[i] * v[k]
            v[i] = e / n
    s = 0.0
    for i in range(n):
        s += v[i]
    return s
