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
