"""`try` around calls of helpers that raise: what a handler sees is what Python leaves it."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import HEADER, load
from ..two_roads import differences

HELPERS = """
class Singular(np.linalg.LinAlgError):
    pass
def nonzero(v):
    if v < 0.0:
        raise Singular("zero")
    return v
def positive(v):
    if v < 0.0:
        raise ValueError("negative")
    return v * v

def low(v, k):
    w = positive(v) + 1.0
    if w > 3.0:
        raise KeyError(k)
    return w * positive(w)

def total(v, least):
    s, k = 0.0, 0
    for w in v:
        if w < least:
            raise ValueError("too small")
        if w > 1.5:
            s += positive(w - least)
        else:
            s += w * w
    while s > 0.1 and k < 2:
        s = s * positive(v[k]) if v[k] < 9.0 else s - 1.0
        k += 1
    return s
def squares(v, most):
    out = np.zeros(len(v))
    for i in range(len(v)):
        if v[i] > most:
            raise KeyError(i)
        out[i] = v[i] ** 2
    return out if most > 0.0 else v * 2.0
def first_below(a, i):
    while a[i] > -1.0:
        i += 1
    if a[i + 1] < 0.0:
        raise KeyError(i)
    return a[i] * i

def next_to(a, i): return a[i] * a[i + 1]
def known(name):
    if name == "a":
        return 1.0
    raise KeyError(name)
def entered(xs, v):
    xs.append(v)
    return positive(v)
def stored(a, i, v):
    a[i] = v
    return positive(v)
"""
ACCEPTED = {
    "derived from NumPy's": "s = 0.0\nfor v in x:\n    try:\n        s += nonzero(v)\n    except np.linalg.LinAlgError:\n        s += 3.0 * v\nreturn s",
    "derived from NumPy's, as what that is": "s = 0.0\nfor v in x:\n    try:\n        s += nonzero(v)\n    except ValueError:\n        s += 3.0 * v\nreturn s",
    "a raise": "s = 0.0\nfor v in x:\n    try:\n        s += positive(v)\n    except ValueError as e:\n        s += 3.0 * v\nreturn s",
    "in calls": "s = 0.0\nfor k, v in enumerate(x):\n    try:\n        t = low(v, k)\n        s += t * t\n    except (ValueError, LookupError):\n        s += v\n"
    "    else:\n        s += 1.0\nreturn s",
    "an index": "s = 0.0\nfor i in range(len(x)):\n    try:\n        s += next_to(x, i)\n    except IndexError:\n        s += x[i]\nreturn s",
    "always or never": "s = 0.0\nfor name in ('a', 'b'):\n    try:\n        w = known(name)\n    except KeyError:\n        w = x[1]\n    s += w * x[0]\nreturn s",
    "in a loop": "s = 0.0\nfor k in (-2.0, -1.0, 0.0):\n    try:\n        s += total(x[2:], k) + total(x, k)\n    except ValueError:\n        s += x[0] * k\nreturn s",
    "in a loop that makes an array": "s = 0.0\nfor k in (3.0, 1.0, -2.0):\n    try:\n        y = squares(x, k)\n    except KeyError:\n        y = 3.0 * x\n    s += (y * x).sum()\nreturn s",
    "in a loop that does not end": "s = 0.0\nfor i in range(len(x) + 1):\n    try:\n        s += first_below(x, i)\n    except IndexError:\n        s += x[0] * i\nreturn s",
    "another one later": "def g(v, i):\n    w = positive(v)\n    if i > 0 and w > -1.0:\n        assert v > 0.0\n    return w\ns = 0.0\nfor i in range(len(x)):\n    try:\n        s += g(x[i], i)\n    except ValueError:\n        s += i * x[i]\nreturn s",
    "a root": "from scipy.optimize import brentq\ns = 0.0\nfor v in x:\n    try:\n        s += brentq(lambda t: t * t * t - v, 0.0, 2.0)\n    except ValueError:\n        s += v\nreturn s",
    "a fit": "from scipy.optimize import curve_fit\ntry:\n    p, c = curve_fit(lambda t, a, b: a * t + b, np.arange(4.0), x)\nexcept RuntimeError:\n    p = x[:2]\nreturn p[0] * p[1] ** 2",
    "a missing key": "d = {}\nfor i in range(len(x)):\n    try:\n        d[i % 2] += x[i]\n    except KeyError:\n        d[i % 2] = 2.0 * x[i]\nreturn d[0] * d[1]",
    "a method of a list": "xs, s = [1.0], 0.0\nfor v in x:\n    try:\n        s += v\n        w = xs.pop()\n    except IndexError:\n        w = v\n    s += w\nreturn s",
}
REFUSED = {
    "a list that is changed": "xs, s = [], 0.0\nfor v in x:\n    try:\n        s += entered(xs, v)\n    except ValueError:\n        s += len(xs)\nreturn s",
    "an array that is changed": "a, s = np.zeros(9), 0.0\nfor i in range(len(x)):\n    try:\n        s += stored(a, i, x[i])\n    except ValueError:\n        s += a[i]\nreturn s",
    "an item that is taken": "xs, s = [0, 1, 2], 0.0\nfor v in x[:3]:\n    try:\n        k = 4 // xs.pop()\n    except ZeroDivisionError:\n        k = len(xs)\n    s += k * v\nreturn s",
    "a name": "s, a = 0.0, 7\nfor i in range(len(x)):\n    try:\n        k = (a := i) + 4 // i\n    except ZeroDivisionError:\n        k = a\n    s += k * x[i]\nreturn s",
}


def made(body: str):
    indented = body.replace("\n", "\n    ")
    return load(f"{HEADER}{HELPERS}\ndef f(x):\n    {indented}\n")


@pytest.mark.parametrize("name", ACCEPTED)
def test_handlers_run_where_they_do_in_python(name):
    plain, x = made(ACCEPTED[name]), np.array([0.5, -1.2, 2.0, 0.3])
    f = linear_grad(plain, backend="interpret")
    assert f(x) == pytest.approx(plain(x)) and np.allclose(f.grad(x), differences(plain, x), atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_changes_before_an_exception_are_refused(name):
    with pytest.raises(LinadError, match="`try` whose block may raise what it catches"):
        linear_grad(made(REFUSED[name]), backend="interpret")(np.ones(4))


def test_what_does_not_converge_here_is_told_to_no_handler():
    body = "from scipy.optimize import root_scalar\ntry:\n    return root_scalar(lambda t: t * t + x[0], x0=1.0, x1=2.0).root\nexcept Exception:\n    return 0.0"
    f = linear_grad(made(body), backend="interpret")
    assert f(np.array([-4.0])) == pytest.approx(2.0)
    with pytest.raises(RuntimeError, match="Failed to converge"):  # SciPy returns a number
        f(np.ones(1))
