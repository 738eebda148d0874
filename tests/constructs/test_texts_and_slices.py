"""What other people's code does around its numbers: slices as values, texts that are put together, logs."""

import numpy as np
import pytest

from linad import LinadError, LinadWarning, linear_grad

from ..kit import load
from ..two_roads import agree, program

X = np.arange(12.0).reshape(3, 4) ** 1.5
BODIES = {
    "a tuple of slices": """\
def at(sl, axis):
    return (slice(None),) * axis + (sl,) + (...,)

def f(x):
    y = x.copy()
    y[at(slice(0, 2), 1)] = 0.0
    y[(..., 0)] *= 2.0
    s = slice(1, None)
    return y.sum() * s.start + x[s, s].sum() + x[0][s].sum() + sum((1.0, 2.0, 3.0)[s])
""",
    "a list of slices": """\
def ends(y, axis):
    low, high = [slice(None)] * y.ndim, [slice(None)] * y.ndim
    low[axis], high[axis] = slice(1, None), slice(None, -1)
    return y[tuple(low)] - y[tuple(high)]

def f(x):
    return (ends(x, 0) ** 2).sum() + (ends(x, -1) ** 3).sum()
""",
    "bounds that are computed": """\
def f(x):
    total = 0.0
    for k in range(len(x)):
        total += (x[slice(k, k + 2)] ** 2).sum() + x[slice(None, None, -1), 0][k]
    return total
""",
    "spread out": """\
def f(x):
    i = (0, 1)
    return x[(*i,)] * x[(*(k + 1 for k in i),)] + max(*(x[0, k] for k in range(3)))
""",
    "questions about dtypes and classes": """\
def f(x):
    numbers = (int, float)
    if isinstance(x.dtype, tuple) or isinstance(np.float64, str) or isinstance(np.sin, (list, tuple)) or not isinstance(slice(1), slice):
        return x.sum()
    return x.sum() * 2.0 if isinstance(x[0, 0], numbers) else x.sum() * 3.0
""",
    "questions that helpers answer": """\
NUMBERS = (int, float) + (np.floating,)

def is_number(v):
    if isinstance(v, NUMBERS):
        return True
    return False

def rank_and_size(v):
    return v.ndim, v.shape[0]

def f(x):
    rank, size = rank_and_size(x)
    if is_number(x) or rank == 3:
        return "a text"
    given = not is_number(x[0, 0])
    if given:
        return "a text"
    return x.sum(axis=rank - 1)[size - 1] * rank_and_size(x[0])[0] + (x[0, 0] if rank == 2 else x[0, 0, 0])
""",
    "a generator that is unpacked": """\
def f(x):
    a, b = (v[:, None] * 2.0 for v in (x[0], x[1]))
    k = 3.0
    c, d = (k * v for k, v in zip((1.0, 2.0), x[0]))
    return (a * b).sum() + c * d * k
""",
    "classes of the module": """\
import abc
import enum

class Kind(enum.Enum):
    A = 1

class Base:
    pass

class Derived(Base):
    def __init__(self, v):
        self.v = v

class Like(abc.ABC):
    pass

Like.register(np.ndarray)
CLASSES = (Kind, (str, Base))

def f(x, kind=Kind.A):
    made, total = Derived(x), 0.0
    total += 1.0 * isinstance(made, Base) + 2.0 * isinstance(made, CLASSES) + 4.0 * isinstance(made, Like)
    total += 8.0 * isinstance(x, Base) + 16.0 * isinstance(x, CLASSES) + 32.0 * isinstance(x, Like)
    return (64.0 * isinstance(kind, Kind) + 128.0 * isinstance(kind, CLASSES) + total) * x.sum()
""",
    "messages": """\
def f(x):
    message = f"shape {x.shape}, {x[0, 0]}" + " and " + str(x[0, 1])
    other, third = "got %s" % x[0, 0], "{} cells".format(x.sum())
    if len(x) > 5:
        raise ValueError(message)
    if len(x) > 6:
        raise ValueError(other + third)
    return x.sum()
""",
    "logs": """\
import logging
from scipy import constants

log = logging.getLogger(__name__)

def f(x):
    log.info("cells: %s", x)
    logging.debug(f"{x.sum()}")
    return x.sum() * constants.speed_of_light
""",
}


@pytest.mark.parametrize("case", BODIES)
def test_means_what_it_means_in_python(case):
    plain = load("import numpy as np\n" + BODIES[case])
    f = linear_grad(plain, backend="interpret")
    np.testing.assert_allclose(f(X), plain(X), rtol=1e-12)
    way = np.cos(X)
    ends = [plain(X + h * way) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose((f.grad(X) * way).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def test_a_text_that_is_put_together_is_no_number():
    with pytest.raises(LinadError, match="but this is `f'{x.shape}'`"):
        linear_grad(load("def f(x):\n    return x.sum() + f'{x.shape}'\n"))(X)


TOLD = ("t == '3'", "'3' != t", "t in ('3', '4')", "(t, 1) == ('3', 1)", "str(n) == '3'", "'%d' % n == '3'")


@pytest.mark.parametrize("test", TOLD)
def test_a_text_that_is_put_together_equals_no_other_for_certain(test):
    text = f"def f(x: float, n: int):\n    t = f'{{n}}'\n    return x if {test} else 0.0\n"
    with pytest.raises(LinadError, match="not known when the function is compiled|`in` cannot be used|is of scalars"):
        linear_grad(load(text), backend="interpret")(2.0, 3)
    if "t" in test.split():
        known = load(text.replace("{n}", "{3}"))
        assert linear_grad(known, backend="interpret")(2.0, 3) == known(2.0, 3)


@pytest.mark.parametrize("value", ["KEPT", "f'{x}'"])
def test_what_is_not_known_of_a_value_is_no_answer(value):
    text = "class Kept(list):\n    pass\n\nKEPT = Kept()\n\ndef f(x):\n    kept = VALUE\n    return x.sum() if isinstance(kept, (list, str)) else 2.0\n"
    with pytest.raises(LinadError, match="cannot be used in a differentiated function"):
        linear_grad(load(text.replace("VALUE", value)))(X)


def test_a_printed_line_may_be_left_out():
    with pytest.warns(LinadWarning, match="this `print` has no effect"):
        assert linear_grad(load("def f(x):\n    print(x)\n    return x.sum()\n"), backend="interpret")(X) == X.sum()


def test_a_log_of_a_module_that_is_only_read(tmp_path):
    agree(tmp_path, program("import logging\nlog = logging.getLogger(__name__)", 'log.debug("%s", x)\nreturn float(x.sum())'), np.ones(3))


ARRANGED = """\
import itertools
from itertools import combinations_with_replacement as pairs
import scipy.sparse as sparse

def f(x, order=1):
    if sparse.issparse(x) or np.ma.is_masked(x) or x.dtype == np.float16 or order == (1,):
        return 0.0
    total, numbers = np.squeeze(x).sum() + np.squeeze(x[None]).sum(), range(3)
    for i, j in itertools.product(numbers, (0, 1)):
        total += x[i, j] * x[j, i]
    for i, j in pairs(range(3), 2):
        total += x[i, 0] * x[j, 0] ** 2
    for powers in itertools.product(*((range(order + 1),) * 2)):
        total += x[0, 0] ** powers[0] * x[1, 1] ** powers[1]
    for v in itertools.chain((1.0, 2.0), [x[0, 0]]):
        total += v * x[0, 1]
    return total + x.reshape(x.shape + (1,) * x.ndim).sum() + len([None] * order)
"""


def test_what_itertools_arranges():
    plain = load("import numpy as np\n" + ARRANGED)
    f, way = linear_grad(plain, backend="interpret"), np.cos(X)
    np.testing.assert_allclose(f(X), plain(X), rtol=1e-12)
    np.testing.assert_allclose(f(X, 2), plain(X, 2), rtol=1e-12)
    ends = [plain(X + h * way) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose((f.grad(X) * way).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-5)
    with pytest.raises(ValueError, match="left out no axis when it was compiled, and axis 0 has one cell"):
        linear_grad(load("import numpy as np\ndef f(x):\n    return np.squeeze(x).sum()\n"), backend="interpret")(X[:1])
