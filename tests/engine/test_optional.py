"""Values that are None on some paths: of names, of loops, and of helpers."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import load

HELPERS = """
import numpy as np

def first(x, limit):
    for k in range(len(x)):
        if x[k] > limit:
            return x[k] * 2.0
    return None

def two(x):
    if x[0] < 0.0:
        return None
    return x[0], x[1] * 2.0

def scaled(x, w):
    return x if w is None else x * w

class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next

    def put(self, value):
        old, self.next = self.next, value if value > 1.0 else None
        return old
"""
BODIES = {
    "a value that nobody uses": """\
total = x.copy()
np.sin(x, out=total) if x[0] > 0.0 else None
total.sort() if x[1] > 0.0 else None
return total.sum()""",
    "a sum": """\
total = None
for k in range(len(x)):
    term = x[k] * x[k]
    if total is None:
        total = term
    else:
        total = total + term * k
return total""",
    "a sum of arrays": """\
total = None
for k in range(len(x)):
    total = x * k if total is None else total + x * x[k]
return total.sum()""",
    "an array that is updated": """\
total = None
for k in range(len(x)):
    if total is None:
        total = np.zeros(2)
    total += x[k]
    total[0] *= 2.0
return total.sum()""",
    "the best one, and where": """\
best, at = None, None
for k in range(len(x)):
    if best is None or x[k] > best:
        best, at = x[k], k
return best * at""",
    "the one before": """\
before, total = None, 0.0
for v in x:
    if before is not None:
        total += (v - before) ** 2
    before = v
return total""",
    "a test of a loop": """\
found, k = None, 0
while found is None and k < len(x):
    if x[k] > 1.0:
        found = x[k] ** 2
    k += 1
return (0.0 if found is None else found) + x[0]""",
    "branches": """\
a = None
if x[0] > 1.0:
    a = x.copy()
elif x[1] > 5.0:
    a = x * 2.0
if a is None:
    a = x * 3.0
a[0] += 1.0
return a.sum()""",
    "a list": """\
found = None
for k in range(len(x)):
    if found is None:
        found = [x[k]]
    else:
        found.append(x[k] * 2.0)
return sum(found) if found else 0.0""",
    "truth": """\
w = None
if x[0] > 0.0:
    w = x[1]
if w:
    return w * x[0]
return x[2] if not w else w""",
    "a default": """\
w = first(x, 1.0) or 3.0
v = None
if x[0] > 0.0:
    v = x[1]
return w * (v or first(x, 100.0) or x[2])""",
    "results of helpers": """\
y = first(x, 1.0)
if y is None:
    y = 0.5
z = first(x, 100.0)
if z is not None:
    y = y + z
pair = two(x)
if pair is None:
    return y * x.sum()
a, b = pair
return a * b + (3.0 if first(x, 9.0) is None else 0.0)""",
    "passed on": """\
w = None
if x[0] > 0.0:
    w = x[1]
v = w
h = lambda u: u if v is None else u * v
return scaled(x[2], v) + h(x[1])""",
    "given to several names": """\
best, second = None, None
for v in x:
    if best is None or v > best:
        best, second = v, best
return best * (2.0 if second is None else second)""",
    "by a condition": """\
before, last = None, None
for v in x:
    before, last = (last if v > 1.0 else None), v
return x[0] if before is None else before * x[1]""",
    "in a list, a tuple, a dict and an object": """\
before, total = None, 0.0
for v in x:
    some, pair = [before, v], (before, v)
    held, node = {"a": before, "b": v}, Node(v, next=before)
    a, b = pair
    total += b if some[0] is None else some[0] * some[1]
    total += held["b"] if held["a"] is None else held["a"]
    total += 0.5 * b if a is None else a
    total += node.value if node.next is None else node.next ** 2
    before = v
return total""",
    "compared with None": """\
before, count = None, 0
for v in x:
    count += 2 if before == None else 3
    if before != None:
        count += 1
    before = v
return x[0] * count""",
    "compared with values": """\
before, held, count = None, [None] * len(x), 0
for k in range(2):
    held[k] = x[k]
for v in x:
    count += (before == v) + 2 * (before != 2.0) + 4 * (v == before) + 8 * (held[1] == before)
    before = v
return x[0] * (count + held.count(None) + 10 * held.count(x[1]) + 100 * held.index(None))""",
    "in a list that grows": """\
before, seen = None, []
for v in x:
    seen.append(before)
    seen.append(v if v > 1.0 else None)
    before = v
count = sum(1 for a in seen if a is None)
return sum(a * a for a in seen if a is not None) + count * x[0] + (0.0 if seen[-1] is None else seen[-1])""",
    "remembered in a list": """\
memo = [None] * 7
def fib(n):
    if n < 2:
        return x[n]
    if memo[n] is None:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]
return fib(6)""",
    "in a list at computed positions": """\
best, second, total = [None] * 3, [None] * len(x), 0.0
for i in range(6):
    k, v = (2 * i) % 3, x[i % 3] * (i + 1)
    last = best[k]
    total += v if last is None else v * last
    if second[k] is None or v > second[k]:
        second[k] = v
    best[k] = v
return total + sum(v * v for v in second if v is not None)""",
    "in a list of lists": """\
table = [[None] * 3 for _ in range(3)]
def cost(i, j):
    if i < 0 or j < 0:
        return 0.0
    if table[i][j] is None:
        table[i][j] = x[(i * j) % 3] + max(cost(i - 1, j), cost(i, j - 1))
    return table[i][j]
rows = [[None] * 3 for _ in range(2)]
for i in range(2):
    row = rows[i]
    for j in range(3):
        row[j] = 0 if i == 0 else x[j] * (1 - rows[0][j])
return cost(2, 2) + sum(rows[1])""",
    "pairs in a list": """\
held = [None] * 5
for i in range(1, 4):
    held[i] = (x[i % 3], i)
total = 0.0
for pair in held:
    if pair is not None:
        v, i = pair
        total += v * v * i
return total""",
    "in arrays, sums and indices": """\
a = b = k = None
for i, v in enumerate(x):
    if a is None or v > a:
        a, b, k = v, a, i
b = a if b is None else b
z = np.outer(x, x)
total = np.array([a] * 2 + [b]).sum() + np.array((a,) * 3) @ x + (x + [a, b, a])[1] + np.sum([[a, b], (b, 1.0)], axis=0)[0]
return total + sum([a, b]) + sum((b, a)) + max([a, b]) * min((a, b)) + any([a, b]) * x[0] + z[(k, 0)] + z[[k, 0], [0, k]].sum()""",
    "in a comprehension, in pairs, a deque and a dict": """\
from collections import deque
found = [None if v > 1.0 else v for v in x]
pairs, last, of, some = [(i, None) for i in range(3)], deque(found, maxlen=2), {}, x[0] if x[0] > 1.0 else None
pairs[1] = (5, x[1])
for i, v in enumerate(found):
    of[i % 2] = v
    last.append(of.setdefault(i + 1, v))
    if v in (None, x[2]) or v in found[i + 1:]:
        pairs[i] = (i, x[i] * 2.0)
k, first = pairs[0]
a, b, c = last.popleft(), of.get(7, some), of[1]
return sum((i + 2) * (v or x[0]) for i, v in enumerate((a, b, c, first, pairs[1][1])) if v is not None) + k""",
    "given by a star, and removed": """\
def given(*values, **more):
    return sum(v * v for v in (*values, *more.values()) if v is not None) + len(values)
some = x[0] if x[0] > 1.0 else None
held = [some, 2.0, None]
held.remove(some)
return given(*(some, 2.0), some, x[1], last=some) + len(held)""",
    "as a bound of a part that is stored or deleted": """\
some, bound = [v * v for v in x] * 2, None if x[0] > 1.0 else 1
some[bound:2] = [x[0], 3.0, x[1]]
del some[:bound]
return sum(v * (i + 1) for i, v in enumerate(some)) + x[0]""",
    "as a bound of a slice": """\
lo, hi, step = (None, 2, None) if x[0] > 1.0 else (1, None, 2)
back = None if x[0] > 1.0 else -2
cut = slice(lo, hi)
return np.sum(x[lo:hi] ** 2) + 2.0 * np.sum(x[cut]) + np.sum(x[::step]) + x[back::-1][0] + x[:back:-1][-1]""",
    "an attribute and the result of a method": """\
node, total = Node(0.0), 0.0
for v in x:
    old = node.put(v)
    total += v if old is None else v * old
return total""",
}
POINTS = [np.array(p) for p in ([0.5, 2.0, 3.0], [1.5, 6.0, -3.0], [-1.5, 6.5, -3.0], [-1.5, -6.0, -3.0])]


def _loaded(body):
    return load(HELPERS + "\ndef f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", BODIES)
def test_is_what_it_is_in_python(case):
    plain = _loaded(BODIES[case])
    f = linear_grad(plain, backend="interpret")
    for x in POINTS:
        np.testing.assert_allclose(f(x), plain(x), rtol=1e-12)
        expected = [(plain(x + h) - plain(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(f.grad(x), expected, rtol=1e-5, atol=1e-6)


def test_compiled():
    f, plain = linear_grad(_loaded(BODIES["the best one, and where"])), _loaded(BODIES["the best one, and where"])
    assert [f(x) for x in POINTS] == [plain(x) for x in POINTS]
    assert f.grad(POINTS[0]).tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("use", ["w * 2.0", "np.sum(w)", "max(w, 1.0)", "w"])
def test_none_where_it_cannot_be_used_raises(use):
    f = linear_grad(_loaded(f"w = None\nif x[0] > 1.0:\n    w = x[1]\nreturn {use}"), backend="interpret")
    assert np.isfinite(f(POINTS[1]))
    with pytest.raises(TypeError, match="`w` is None here"):
        f(POINTS[0])


@pytest.mark.parametrize("use", ["sum(seen)", "np.array(seen).sum()", "np.mean(seen)", "sorted(seen)[0]"])
def test_none_in_a_list_that_numbers_are_made_of_raises(use):
    made = "seen = []\nfor v in x:\n    seen.append(v if v > w else None)"
    body = "".join(f"    {line}\n" for line in f"{made}\nreturn {use}".split("\n"))
    plain = load(f"import numpy as np\ndef f(x, w):\n{body}")
    f = linear_grad(plain, backend="interpret")
    assert f(POINTS[1], -9.0) == pytest.approx(plain(POINTS[1], -9.0))
    with pytest.raises(TypeError, match="an item of the list is None here"):
        f(POINTS[1], 2.0)


RESULTS = {
    "ints and floats": "if x[0] > 1.0:\n    return np.array([1, 0, 0])\nreturn x * 2.0",
    "single and double": "if x[0] > 1.0:\n    return x.astype(np.float32)\nreturn x * 2.0",
    "a number and an array of rank 0": "if x[0] > 1.0:\n    return np.asarray(x.sum())\nreturn x[1] * 2.0",
    "parts": "if x[0] > 1.0:\n    return np.array([1, 2]), x[0]\nreturn x[:2], np.array(3.0) * x[1]",
}


@pytest.mark.parametrize("case", RESULTS)
def test_results_meet_in_one_dtype(case):
    plain = _loaded(RESULTS[case])
    f, parts = linear_grad(plain, backend="interpret"), lambda v: v if isinstance(v, tuple) else (v,)
    for x in POINTS[:2]:
        for ours, theirs in zip(parts(f(x)), parts(plain(x)), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    ours, tangent = f.jvp((POINTS[0],), (np.ones(3),))
    ends = [np.concatenate([np.ravel(p) for p in parts(plain(POINTS[0] + h))]) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(np.concatenate([np.ravel(p) for p in parts(tangent)]), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_results_that_a_caller_may_update_do_not_meet():
    text = "def g(x):\n    if x[0] > 1.0:\n        return np.array([1, 0, 2])\n    return x * x\n"
    with pytest.raises(LinadError, match="one path returns array of int64 of rank 1"):
        linear_grad(load(f"import numpy as np\n\n{text}\ndef f(x):\n    y = g(x)\n    y[0] += 1.5\n    return y.sum()\n"))(POINTS[0])


def test_a_part_of_a_result_that_is_none_is_told_of_at_once():
    with pytest.raises(LinadError, match=r"one path returns \(np.float64, None\) and another"):
        linear_grad(_loaded("if x[0] > 1.0:\n    return x[1], None\nreturn x[1], x"))(POINTS[0])


def none_of_few(x, twice=False):
    if x.shape[0] < 3:
        return None
    y = x * x[0]
    if twice:
        return y * 2.0
    return y


def none_between(x):
    if x[0] > 1.0:
        return x[0] * x[1]
    if x[0] > 0.5:
        return None
    return x[1] ** 2


@pytest.mark.parametrize(("f", "here", "none"), [
    (none_of_few, np.array([1.5, 2.0, 3.0]), np.array([1.5, 2.0])),
    (none_between, np.array([0.25, 2.0]), np.array([0.75, 2.0])),
])  # fmt: skip
def test_a_result_that_is_none_on_a_path_raises_there(f, here, none):
    g = linear_grad(f, backend="interpret")
    assert np.allclose(g(here), f(here)) and f(none) is None
    weights = np.ones_like(f(here))
    wanted = [np.sum(weights * (f(here + e) - f(here - e))) / 2e-6 for e in 1e-6 * np.eye(here.size)]
    assert np.allclose(g.vjp(here)[1](weights)[0], wanted, atol=1e-6)
    for call in (g, g.vjp):
        with pytest.raises(TypeError, match=f"`{f.__name__}` returns None here, and an? "):
            call(none)
