"""Time-stepping programs with marked loops. ``CK(x)`` is ``linad.checkpoint(x, <options>)``, or ``x`` without a mark.

All are functions of an array ``x``, an int ``T`` and a float ``w``.
"""

HEAD = """
import numpy as np
import linad
from linad import linear_grad
from jaxtyping import Float64, Int64


def mirror(v, k):
    for i in range(len(v)):
        v[i] = v[i] * (1.0 - 0.1 * v[k])


def fall(a: float, k: int) -> float:
    if k <= 0:
        return a
    return np.sin(a * fall(0.5 * a, k - 1))


def f(x: Float64[np.ndarray, "n"], T: int, w: float) -> float:
"""

BODIES: dict[str, str] = {}

BODIES["in place"] = """
    u = x.copy()
    s = 0.0
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] * w + u[i - 1])
        s += u[0]
    return s
"""

BODIES["carried scalar"] = """
    a = w
    b = 1.0
    for t in CK(range(T)):
        a = np.tanh(a * x[t % len(x)] + b)
        b = b * 0.9 + a * w
    return a * b
"""

BODIES["swap"] = """
    u = x.copy()
    v = np.zeros(len(x))
    for t in CK(range(T)):
        for i in range(len(u)):
            v[i] = u[i] + 0.1 * w * (u[i - 1] * u[i] - 2.0 * u[i])
        u, v = v, u
    s = 0.0
    for i in range(len(u)):
        s += u[i] * u[i] + 0.3 * v[i]
    return s
"""

BODIES["new array each step"] = """
    u = x.copy()
    for t in CK(range(T)):
        new = np.zeros(len(u))
        for i in range(len(u)):
            new[i] = np.cos(u[i] * w) + u[i - 1]
        u = new
    return u[0] * u[1]
"""

BODIES["record"] = """
    u = x.copy()
    out = np.zeros(T + 1)
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = u[i] * np.cos(u[i - 1] * w)
        out[t] = u[0] * u[2]
    s = 0.0
    for t in range(T):
        s += out[t] * out[t]
    return s
"""

BODIES["forcing that changes later"] = """
    u = x.copy()
    force = np.zeros(len(x))
    for i in range(len(x)):
        force[i] = x[i] * w
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] + force[i] * force[i - 1])
    for i in range(len(x)):
        force[i] = u[i] * force[i]
    return force[0] * force[1]
"""

BODIES["step and negative range"] = """
    u = x.copy()
    for t in CK(range(3 * T, 1, -2)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] * w + 0.01 * t)
    return u[0] + u[1]
"""

BODIES["over an array"] = """
    u = x.copy()
    a = 0.1
    for i, e in CK(enumerate(x)):
        a = np.sin(a + e * u[i - 1])
        u[i] = a * w
    return a * u[0]
"""

BODIES["break"] = """
    u = x.copy()
    s = 0.0
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = u[i] * (1.2 + 0.1 * np.sin(w + u[i - 1]))
        s += u[0]
        if u[1] > 3.0:
            break
    return s * u[0]
"""

BODIES["early return"] = """
    u = x.copy()
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = u[i] * (1.2 + 0.1 * np.sin(w + u[i - 1]))
        if u[1] > 2.0:
            return u[0] * u[2]
    return u[1]
"""

BODIES["continue and else"] = """
    a = w
    for t in CK(range(T)):
        if t % 3 == 1:
            continue
        a = np.sin(a * x[t % len(x)] + 1.0)
        if a > 0.999:
            break
    else:
        a = a * 2.0
    return a * a
"""

BODIES["while"] = """
    u = x.copy()
    k = 0
    while CK(k < T and u[0] < 5.0):
        for i in range(len(u)):
            u[i] = u[i] * (1.1 + 0.1 * np.cos(w * u[i - 1]))
        k += 1
    return u[0] * u[1]
"""

BODIES["while on a float"] = """
    a = w
    b = 0.0
    while CK(a < 8.0):
        a = a * (1.1 + 0.05 * np.sin(a + x[0]))
        b += a * x[1]
    return b * a
"""

BODIES["nested"] = """
    u = x.copy()
    s = 0.0
    for t in CK(range(T)):
        v = u.copy()
        for k in CK(range(5)):
            for i in range(len(v)):
                v[i] = np.sin(v[i] * w + v[i - 1])
        for i in range(len(u)):
            u[i] = 0.5 * (u[i] + v[i] * v[i])
        s += u[0]
    return s
"""

BODIES["nested, one state"] = """
    u = x.copy()
    for t in CK(range(T)):
        for k in CK(range(4)):
            for i in range(len(u)):
                u[i] = np.sin(u[i] * w + u[i - 1])
        u[0] = u[0] * u[1]
    return u[0] + u[2]
"""

BODIES["inside an unmarked loop"] = """
    s = 0.0
    u = x.copy()
    for k in range(3):
        for t in CK(range(T)):
            for i in range(len(u)):
                u[i] = np.sin(u[i] * w + u[i - 1])
        s = np.cos(s + u[0])
    return s * u[1]
"""

BODIES["inside a loop over samples"] = """
    s = 0.0
    for k in range(len(x)):
        a = x[k]
        for t in CK(range(T)):
            a = np.sin(a * w + 0.3)
        s += a * a
    return s
"""

BODIES["in an arm"] = """
    u = x.copy()
    s = 1.0
    if w > 0.1:
        f2 = x.copy()
        for i in range(len(f2)):
            f2[i] = f2[i] * w
        for t in CK(range(T)):
            for i in range(len(u)):
                u[i] = np.sin(u[i] * f2[i] + u[i - 1])
        s = u[0] * f2[1]
    else:
        s = u[1]
    for i in range(len(u)):
        u[i] = u[i] * s
    return u[0] + u[1]
"""

BODIES["inside a while"] = """
    u = x.copy()
    s = 0.2
    while s < 2.0:
        for t in CK(range(T)):
            for i in range(len(u)):
                u[i] = np.sin(u[i] * w + u[i - 1])
        s = s * 1.5 + u[0] * u[0]
    return s * u[1]
"""

BODIES["calls"] = """
    u = x.copy()
    s = 0.0
    for t in CK(range(T)):
        mirror(u, t % len(u))
        s += np.sin(w * u[0]) * s
        s += u[1]
    return s
"""

BODIES["recursion in a step"] = """
    a = w
    for t in CK(range(T)):
        a = fall(a + x[t % len(x)], 3) + a * x[0]
    return a
"""

BODIES["ints and bools"] = """
    a = w
    k = 0
    up = True
    for t in CK(range(T)):
        if up:
            a = a * x[k]
        else:
            a = a + x[k] * x[k]
        k = (k * 5 + 1) % len(x)
        up = a < 1.0
    return a
"""

BODIES["int array"] = """
    at = np.zeros(len(x), dtype=np.int64)
    a = w
    for t in CK(range(T)):
        k = at[t % len(x)]
        a = np.sin(a + x[k])
        at[(t + 1) % len(x)] = (k + 2) % len(x)
    return a
"""

BODIES["matrix"] = """
    m = np.zeros((len(x), 3))
    for i in range(len(x)):
        for j in range(3):
            m[i, j] = x[i] * (1.0 + j)
    for t in CK(range(T)):
        for i in range(len(x)):
            for j in range(3):
                m[i, j] = np.sin(m[i - 1, j] * w + m[i, j - 1])
    return m[0, 0] * m[1, 2]
"""

BODIES["no state"] = """
    s = 0.0
    for t in CK(range(T)):
        s += np.sin(x[t % len(x)] * w)
    return s
"""

BODIES["used before and after"] = """
    u = x.copy()
    for i in range(len(u)):
        u[i] = u[i] * u[i]
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.sin(u[i] * w + u[i - 1])
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = np.cos(u[i] * w + u[i - 1])
    s = 0.0
    for i in range(len(u)):
        s += np.exp(u[i])
    return s
"""

BODIES["locals of a step"] = """
    u = x.copy()
    for t in CK(range(T)):
        flux = np.zeros(len(u) + 1)
        for i in range(1, len(u)):
            flux[i] = w * (u[i - 1] - u[i]) * u[i]
        for i in range(len(u)):
            u[i] = u[i] + 0.1 * (flux[i] - flux[i + 1])
    return u[0] * u[1]
"""

BODIES["size zero"] = """
    u = np.zeros(0)
    a = w
    for t in CK(range(T)):
        for i in range(len(u)):
            u[i] = u[i] * a
        a = np.sin(a * x[0])
    return a
"""

BODIES["a size that changes"] = """
    u = x.copy()
    s = w
    for t in CK(range(T)):
        if t % 3 == 2:
            u = np.sin(u[1:] * s)
        else:
            u = np.sin(np.concatenate((u, x)) * w)
        s = np.cos(s + u[0] * u[-1])
    return s * np.sum(u)
"""

BODIES["first made in the loop"] = """
    s = 0.0
    for t in CK(range(T)):
        if t == 0:
            before = np.outer(x, x) * w
        else:
            before = np.sin(before) * x + 0.1 * t
        s += before[0, 1] * before[1, 0]
    return s
"""

BODIES["a size that changes until"] = """
    u = x.copy()
    rows = np.outer(x, x)
    k = 0
    while CK(k < T):
        u = np.sin(np.append(u, w * u[k]))
        rows = np.cos(np.vstack((rows, u[:len(x)] * rows[-1])))
        k += 1
    return np.sum(u * u) + np.sum(rows[-1])
"""
