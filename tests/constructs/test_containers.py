"""Lists of lists, heaps, deques, dicts and sets with computed keys: values, exceptions and gradients are those of Python."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from linad import LinadError, linear_grad
from linad.baseline import dual
from linad.oracle import attempt, difference
from linad_typecheck.engine.hashed import start_of

from ..examples_of import seeds
from ..properties.roads import Whole, close, everything
from ..sources import Seeded, Source
from ..kit import load
from ..two_roads import differences
from .programs_containers import PROGRAMS, REFUSED

FULL = ("matmul", "adjacency", "memo loop", "moving", "dijkstra")  # on all roads


def given(text: str, args: tuple) -> Whole:
    return Whole(load(f"import math\nimport numpy as np\n{text}"), args)


def agrees(whole: Whole) -> None:
    """The value or the exception of Python, and the gradient by reverse mode against dual numbers."""
    ended = whole.primal()
    if ended.error is not None:
        whole.raises(ended.error, (True,))
        return
    wrt = whole.active()
    if wrt:
        _, found = whole.gradient(whole.derivative(wrt, True, after=False).simplified, wrt, True)
        close([found[n] for n in wrt], whole.expected(dual), whole.tolerance, "gradient")


@cache
def known(name: str) -> Whole:
    """A program of `PROGRAMS`, which is lowered once for several tests."""
    return given(*PROGRAMS[name])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_python(name):
    whole = known(name)
    assert not whole.errors_of_decorating()
    ours = attempt(lambda: whole.run(whole.lowered))
    assert difference(everything(attempt(whole.oracle)), everything(ours), rtol=1e-9, atol=1e-12) is None


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_as_in_python(name):
    whole = known(name)
    assert not whole.errors
    agrees(whole)


@pytest.mark.thorough
@pytest.mark.parametrize("name", FULL)
def test_programs_on_all_roads(name):
    known(name).holds(order=2, thorough=False)


@pytest.mark.parametrize("name", REFUSED)
def test_uncertain_identity_is_refused(name):
    assert given(*REFUSED[name]).checked.program is None


def test_dicts_in_a_list_for_each_length():
    """The keys and the values of a dict that is appended are filled in later: the function is compiled for each n."""
    f = load("""
from collections import defaultdict
def f(p, n):
    best, sums = [{"a": p[0], "b": p[1]}], [defaultdict(float) for _ in range(n + 1)]
    for t in range(1, n):
        best.append({})
        for y in ("a", "b"):
            best[t][y] = max(best[t - 1][k] * p[2] for k in ("a", "b"))
    sums[0][0] = 1.0
    for i in range(n):
        for k, v in sums[i].items():
            sums[i + 1][k + 1] += v * p[i]
            sums[i + 1][k] += v * (1 - p[i])
    return max(best[-1].values()) + sums[n][1]
""")
    g, p = linear_grad(f, backend="interpret"), np.array([0.5, 0.6, 0.7])
    assert g(p, 3) == pytest.approx(f(p, 3), rel=1e-12)
    np.testing.assert_allclose(g.grad(p, 3), differences(f, p, 3), rtol=1e-6)


def test_a_deque_is_an_array_in_numpy():
    text = """\
import collections
def f(x, n):
    q = collections.deque(maxlen=3)
    for k in range(n):
        q.append(x[k] * x[0])
    return np.array(q).sum() * np.mean(q) + np.dot(q, q) + np.array([q, q])[1, 0]
"""
    plain, x = load(f"import numpy as np\n{text}"), np.array([0.5, 0.25, 1.5, 0.75])
    f = linear_grad(plain, backend="interpret")
    np.testing.assert_allclose(f(x, 4), plain(x, 4))
    np.testing.assert_allclose(f.grad(x, 4), differences(plain, x, 4), rtol=1e-6)


MADE = {
    "list": "[a for a in x]", "grown": "grown(x)", "deque": "collections.deque(grown(x))", "dict": "keyed(x)"
}  # fmt: skip
CHANGED_ON_THE_WAY = """
c.append(c.pop())
c.append(c.pop() * 2.0 + c.pop())
c.append(c[0] + c.pop())
c.extend([c.pop(), c.pop()])
s += c[0] * c.pop() + c[0]
s += sum(c) + c.pop() * len(c)
s += c.pop() + len(c) * c.pop()
s += taking(c, c.pop())
c[0] = c.pop() * 2.0
c[0] += c.pop()
c.insert(0, c.pop(1))
c.append(c.popleft())
c.appendleft(c.pop() + c[0])
s += c[int(c.popleft() * 0.0)]
heapq.heapify(c); heapq.heappush(c, heapq.heappop(c))
heapq.heapify(c); heapq.heappush(c, heapq.heappop(c) + 2.0 * heapq.heappop(c))
heapq.heapify(c); s += heapq.heapreplace(c, heapq.heappop(c) + c[0])
c[7] = c.pop(0)
c[1] = c.pop(2) + c.pop(1)
s += c.get(9, c.pop(2)) + len(c)
s += c.setdefault(8, c.pop(1)) * len(c)
c[3] += c.pop(1) * len(c)
""".strip().split("\n")
HELPERS = """
import collections, heapq

def grown(x):
    c = []
    for a in x:
        c.append(a)
    return c

def keyed(x):
    c = {}
    for k in range(len(x)):
        c[k] = x[k]
    return c

def taking(c, a):
    return c[0] * a + len(c)

"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("change", CHANGED_ON_THE_WAY)
def test_what_an_argument_changes_is_changed_or_refused(change, made):
    """The object of a method or call is looked at after its arguments are evaluated, as Python does."""
    ends = "sum(c.values()) + c[4] * len(c)" if made == "dict" else "sum(c) + 2.0 * c[0] + 3.0 * c[len(c) - 1]"
    text = f"{HELPERS}def f(x):\n    c, s = {MADE[made]}, 1.0\n    {change}\n    return s * 0.5 + {ends}\n"
    plain, x = load(f"import numpy as np\n{text}"), np.array([0.5, 0.25, 1.5, 0.75, 2.0])
    try:
        expected = plain(x)
    except Exception:  # no method of this container
        return
    try:
        assert linear_grad(plain, backend="interpret")(x) == pytest.approx(expected, rel=1e-12)
    except LinadError as error:
        assert "inside an expression that uses it" in str(error)
        assert not change.startswith("c.append") and "heappop(c))" not in change, error


@pytest.mark.parametrize("key", [0, 1, -7, 2**40 + 3, -(2**62), (3, -4), (2**50, 1, 5)])
def test_known_keys_start_where_the_prelude_looks(key):
    if isinstance(key, tuple):
        last = f"{key[-1]} + k"
        text = f"def f(x, k):\n    d = {{{key}: x, {(5,) * len(key)}: 1.0}}\n    return d[{', '.join(map(str, key[:-1]))}, {last}]\n"
        agrees(given(text, (1.5, 0)))
    else:
        agrees(given(f"def f(x, k):\n    d = {{{key}: x, 5: 1.0}}\n    return d[k]\n", (1.5, key)))
    assert 0 <= start_of(key, 7) < 8


# ------------------------------------------------------------------------------------------------------ random programs

HEAD = """
import heapq
from bisect import bisect_left, insort
from collections import defaultdict, deque

def note(rows, i, v):
    rows[i].append(v)
    return len(rows[i])

def scaled(rows, c):
    return [[v * c for v in row] for row in rows]

def f(x, c, n):
    s, k = 0.0, n
    rows = [[x[0] * (i + j) for j in range(i + 1)] for i in range(n)]
    grid = [[c * i + j for j in range(n)] for i in range(n)]
    d, e, seen = {}, defaultdict(float), set()
    heap, q, xs = [(c, 0)], deque([c, x[0]]), [c]
"""
END = """    for i in range(n):
        s += sum(rows[i]) * (i + 1) + sum(grid[i]) * 0.5 + d.get(i, c) + len(seen)
    return s + sum(e.values()) + heap[0][0] + sum(q) + sum(xs) * 0.1 + len(heap) + len(rows)
"""


def statements(source: Source, depth: int) -> Iterator[str]:
    for _ in range(source.number(2, 5)):
        i, j = (source.pick(("0", "1", "n - 1", "k % n", "-1")) for _ in range(2))
        v = source.pick(("c", "s", "x[0] * c", f"grid[{i}][{j}]", f"rows[{j}][0]", f"e[{j}]", "q[0]", "xs[-1]"))
        if depth and source.number(0, 3) == 0:
            yield source.pick((f"if {v} > 1.0:", "for k in range(2):", "for k in range(n):"))
            yield from (f"    {line}" for line in statements(source, depth - 1))
            continue
        yield source.pick((
            f"rows[{i}].append({v})", f"grid[{i}][{j}] = {v}", f"grid[{i}][{j}] += {v} * 0.5", f"k = note(rows, {i}, {v})",
            f"rows[{i}] = [{v}, c]", "rows.append([c, s])", f"rows = scaled(rows, 0.5)", f"row = rows[{i}]; s += row[0]",
            f"row = grid[{i}]; row[{j}] = {v}", f"for row in grid: row[{j}] *= 0.5", f"s += sum(rows[{i}]) + max(grid[{j}])",
            f"grid[{i}], grid[{j}] = grid[{j}], grid[{i}]", f"grid.append(grid[{i}][:])", f"rows[{i}].extend([c, {v}])",
            f"other = grid[:]; s += other[{i}][{j}]", f"rows[{i}].sort()", f"s += rows.pop()[0]; rows.append([{v}])",
            f"d[k] = {v}", f"d[k % 3] = d.get(k % 3, c) + {v}", f"e[k * 7] += {v}", f"seen.add(k * 3 % 5)", "seen.discard(k)",
            f"if k in d: s += d[k]", f"if k in seen: s += {v}", "for a, b in d.items(): s += a * b", f"d.pop(k, {v})",
            f"heapq.heappush(heap, ({v}, k))", f"s += heapq.heappushpop(heap, ({v}, k))[0]", f"q.append({v})",
            f"q.appendleft({v})", f"s += q.pop(); q.append({v})", f"s += q.popleft(); q.append(c)", f"insort(xs, {v})",
            f"k = bisect_left(xs, {v})", f"xs.sort(key=lambda v: -v)", f"s += min(xs, key=lambda v: abs(v - c))",
        ))  # fmt: skip


def program(seed: int) -> str:
    return HEAD + "".join(f"    {line}\n" for line in statements(Seeded(seed), 1)) + END


@pytest.mark.one_in(2)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(2))
def test_random_programs(seed):
    found = Whole(load(program(seed)), (np.array([0.5, -1.0]), 1.3, 3))
    if found.checked.program is not None:
        agrees(found)
