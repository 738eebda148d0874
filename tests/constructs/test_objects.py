"""Operators with an array or one of NumPy's numbers on the left of an object: NumPy comes first, unless the class says otherwise."""

import numpy as np
import pytest

from linad import LinadError, linear_grad

from ..kit import HEADER, executed, load
from ..two_roads import differences

OBJECTS = """
import numpy as np

class Plain:
    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        return other * self.v * 2.0

    def __neg__(self):
        return Plain(self.v * -3.0)

    def __pos__(self):
        return self

class Converted(Plain):
    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.v)

class Apart(Plain):
    __array_ufunc__ = None
"""


@pytest.mark.parametrize(
    ("expression", "accepted"),
    [("x[0] * Plain(x[1])", True), ("2.0 * Converted(x[1])", True), ("(x * Apart(x)).sum()", True), ("x[0] * -Plain(x[1])", True), ("2.0 * +Plain(x[2])", True),
     ("x[0] * Converted(x[1])", False), ("(x * Plain(x)).sum()", False)],
)  # fmt: skip
def test_operators_that_numpy_keeps_to_itself(expression, accepted):
    plain = load(f"{OBJECTS}\ndef f(x):\n    return {expression}\n")
    x, f = np.array([1.0, 2.0, 3.0]), linear_grad(plain, backend="interpret")
    if accepted:
        assert f(x) == plain(x)
    else:
        with pytest.raises(LinadError, match="of which NumPy makes an array"):
            f(x)


BOUND = """
class Base:
    SCALE = 2.0
    def __init__(self, k, w=1.0):
        self.k = k
        self.w = w
        self.history = []
    def value(self, x): return self.SCALE * x * self.k * self.w
    def __mul__(self, o): return type(self)(self.k * o, self.w)
    def __add__(self, o): return self.__class__(self.k + o.k, self.w)
    def __getitem__(self, i): return (self.k, self.w)[i]
    def __len__(self): return 2
    def __lt__(self, o): return self.k < o.k
    def __eq__(self, o): return self.k == o.k
    def __iter__(self):
        yield self.k
        yield self.w
    @staticmethod
    def twice(x): return 2.0 * x
    @classmethod
    def of(cls, x): return cls(x)
class Child(Base):
    SCALE = 3.0
    def value(self, x): return super().value(x) + 1.0
HELD = Child(1.5, 2.0)
def made(x, of=Base): return of(x[0]).k
def used(x, o=HELD): return o.value(x[1])
def changed(x):
    b = Base(x[0])
    h, b.k = b.value, b.k * x[1]
    r, b = h(x[2]), Base(1.0)
    return r + sum([f(x[1]) for f in [Base(v).value for v in x]])
def called(f, x): return f(x)
def holds(x):
    b = Base(x[0])
    b.own = [b]
    b.k = x[1]
    return b.own[0].k
"""


@pytest.mark.parametrize(
    "expression",
    ["(Base(x[0]) * 2.0).k", "(Base(x[0]) + Child(x[1])).value(x[2])", "(HELD * x[0]).value(x[1])", "(HELD + Base(x[0])).k", "HELD[0] * x[0] * len(HELD)",
     "x[0] * sum([v for v in HELD])", "x[0] if Base(x[0]) < Base(x[1]) else x[1]", "x[0] if Base(x[0]) > HELD else x[1]", "x[0] if HELD == Child(x[1]) else x[2]",
     "type(HELD)(x[0]).value(x[1])", "x[0] * len(type(HELD).__name__) * len(HELD.__class__.__name__)", "made(x) * made(x, Child) * used(x) + used(x, Base(x[2]))",
     "changed(x)", "called(Child(x[0]).value, x[1]) * called(Base.twice, x[2])", "called(Child.of, x[0]).value(x[1]) + called(Base(x[0]).twice, x[1])"],
)  # fmt: skip
def test_methods_by_which_classes_define_operators(expression):
    plain = load(f"{HEADER}{BOUND}\ndef f(x):\n    return {expression}\n")
    x, f = np.array([1.0, 2.0, 3.0]), linear_grad(plain, backend="interpret")
    assert f(x) == pytest.approx(plain(x))
    assert np.allclose(f.grad(x), differences(plain, x), atol=1e-6)


def test_an_object_that_holds_itself_is_refused():
    with pytest.raises(LinadError, match="an object that holds itself"):
        linear_grad(load(f"{HEADER}{BOUND}\ndef f(x):\n    return holds(x)\n"), backend="interpret")(np.ones(3))


def test_unpacking_and_arguments_that_are_classes():
    names = executed(f"{HEADER}{BOUND}\ndef f(x, of):\n    a, b = of(x[0])\n    c, *d = HELD\n    return a * b * c * d[0]\n", {"__name__": "objects"})
    f, x = linear_grad(names["f"], backend="interpret"), np.array([1.0, 2.0])
    for of in (names["Base"], names["Child"]):
        assert f(x, of) == names["f"](x, of)


COMPARED = """
class Part:
    def __init__(self, k, w):
        self.k, self.w = k, w

    def __eq__(self, other):
        return self.k == other.k

    def __lt__(self, other):
        return self.w < other.w

    def __ge__(self, limit):
        return self.w >= limit

def f(x):
    parts, s = [Part(1, x[0]), Part(2, x[1]), Part(1, x[2])], 0.0
    for a in parts:
        for b in parts:
            if a == b and not a != b:
                s += a.w * b.w
            if a < b or b > a:
                s += b.w
        if a >= 0.5:
            s += a.w ** 2
    return s if Part(2, 0.0) in parts else 0.0
"""


def test_comparisons_by_the_class():
    f, x = load(COMPARED), np.array([0.3, 1.2, -0.7])
    g = linear_grad(f, backend="interpret")
    assert g(x) == pytest.approx(f(x))
    ends = [[f(x + h * e) for h in (1e-6, -1e-6)] for e in np.eye(3)]
    np.testing.assert_allclose(g.grad(x), [(a - b) / 2e-6 for a, b in ends], rtol=1e-6)


IN_PLACE = """
class Total:
    def __init__(self):
        self.s, self.n = 0.0, 0

    def __iadd__(self, a):
        self.s += a
        self.n += 1
        return self

    def __add__(self, a):
        return self.s + 10.0 * a

class Holder:
    def __init__(self):
        self.total = Total()

def f(x):
    t, h = Total(), Holder()
    u = t
    for a in x:
        t += a * a
        h.total += a
    return t.s * u.n + (t + x[0]) * u.s + h.total.s ** 2
"""


def test_augmented_assignment_by_the_class():
    f, x = load(IN_PLACE), np.array([0.3, 1.2, -0.7])
    g = linear_grad(f, backend="interpret")
    assert g(x) == pytest.approx(f(x)) and np.allclose(g.grad(x), differences(f, x), atol=1e-6)


OF_THE_CLASS = """
from dataclasses import dataclass, field, replace

class Spring:
    k, n = 2.0, 0
    def __init__(self, v):
        self.v = v
    def force(self):
        self.n += 1
        return 100.0 if self.k is None else self.v * self.k

class Stiff(Spring):
    k = 3.0
    def soften(self):
        self.k = 1.5

@dataclass
class Box:
    a: float
    b: float = 2.0
    held: list = field(default_factory=list)
    area: float = field(init=False, default=1.5)
    def __post_init__(self):
        self.area = self.a * self.b

class Crate(Box):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.twice = 2.0 * b

def f(x):
    s, t = Spring(x[0]), Stiff(x[1])
    y = s.force() + t.force() + s.force() * s.n
    t.soften()
    p = Box(x[0], held=[x[1]])
    q, r, c = replace(p, a=x[2]), type(p)(x[1], x[2]), Crate(x[0], x[1])
    q.held.append(3.0)
    q.b = 7.0
    return y + t.force() * Stiff.k + p.area * q.area + sum(p.held) + p.b * r.area + c.twice * c.area
"""


def test_what_the_class_defines_for_its_objects():
    f, x = load(OF_THE_CLASS), np.array([0.3, 1.2, -0.7])
    g = linear_grad(f, backend="interpret")
    assert g(x) == pytest.approx(f(x)) and np.allclose(g.grad(x), differences(f, x), atol=1e-6)


PROTOCOLS = """
import functools
import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

@dataclass(order=True)
class P:
    a: float
    b: int = field(default=0, compare=False)
@dataclass
class Part:
    name: str
    at: P
    held: list = field(default_factory=list)
    left: float | None = None
@dataclass(eq=False)
class Alone:
    a: float
class Pair(NamedTuple):
    a: float
    b: int
@functools.total_ordering
class Total:
    def __init__(self, k): self.k = k
    def __eq__(self, o): return self.k == o.k if isinstance(o, Total) else NotImplemented
    def __lt__(self, o): return self.k < o.k
class Half(Total):
    def __init__(self, k): self.k = k
    def __eq__(self, o): return True
    def __gt__(self, o): return True
    def __radd__(self, o): return 7.0
    def __add__(self, o): return 5.0
class Grid:
    def __init__(self, n): self.d = np.zeros((n, n))
    def __getitem__(self, at): return self.d[at[0], at[1]]
    def __setitem__(self, at, v): self.d[at[0], at[1]] = v
    def __delitem__(self, k): self.d[k] = 0.0
    def __contains__(self, v): return bool(0.0 <= v <= 1.0)
    def __bool__(self): return len(self.d) > 2
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n
class Odd:
    def __eq__(self, o): return False
def each(x, use): return sum([use(i, v) for i, v in enumerate(x)])
"""


@pytest.mark.parametrize(
    "body",
    [
        "return each(x, lambda i, v: v * ((P(v) == P(x[1], i)) + 2 * (P(v) != P(x[1])) + 4 * (P(i, 0) < P(1, 1)) + 8 * (P(i) >= P(2))))",
        "parts = [Part('a', P(1.0)), Part('b', P(2.0), [1], 3.0)]; k = parts.index(Part('b', P(2.0, 5), [1], 3.0));"
        " return x[k] * (parts[0] == Part('a', P(1.0))) + (parts[0] == P(1.0)) + (parts[0] == ('a', 1)) + (Part('a', P(1.0), left=1.0) != parts[0])",
        "a = Odd(); return x[0] * (a in (a,)) + x[1] * ([a] == [a]) + x[2] * ((a, 1) == (a, 1)) + (a == a)",
        "a, b = Alone(1.0), Alone(1.0); c = a; return x[0] * (1 + (a == b) + 2 * (a == c) + 4 * (b in [a, c]))",
        "seen = []\nfor i in range(6):\n    if P(i % 3) not in seen:\n        seen.append(P(i % 3, i))\nreturn x[seen.index(P(2.0))] + seen.count(P(1.0, 7))",
        "return each(x, lambda i, v: v * ((Pair(v, 1) == (x[1], 1)) + 2 * (Pair(i, 1) < Pair(1, 2)) + 4 * (Pair(i, 2) in [Pair(1, 2)])))",
        "ps = sorted([P(v, i) for i, v in enumerate(x)], reverse=True); return sum([k * p.a + p.b for k, p in enumerate(ps)]) + max(ps).a + min(ps).a",
        "ts = [Total(v) for v in x]; ts.sort(); h = []\nfor t in ts:\n    heapq.heappush(h, Total(-t.k))\n"
        "return sum([k * t.k for k, t in enumerate(ts)]) + heapq.heappop(h).k + x[0] * (Total(1) >= Total(1)) + x[1] * (Total(1) > Total(2)) + (Total(1) == 3)",
        "g = Grid(3); g[1, 2] = x[0]; g[1, 2] *= x[1]; g[0, 0], g[2, 2] = x[1], x[2]; del g[2]; return g.d.sum() * (0.5 in g) + (x[0] if 3.0 in g else x[1])",
        "g, h = Grid(3), Grid(2); k = h or g; m = g and h; return x[0] * len(k.d) + x[1] * len(m.d) + (x[2] if not h else x[0])",
        "c = Countdown(3); s = next(c) * x[0]\nfor k in c:\n    s += x[k]\n    if k == 1:\n        break\nreturn s + sum(c) + next(c, 5.0) + sum([x[k] for k in Countdown(3)])",
        "return x[0] if Total(1) == None else x[1] * (1 if Total(2) != None else 2) + x[2] * (Alone(1.0) == None)",
        "return x[0] * (Total(1) == Half(2)) + x[1] * (1 + (Total(2) < Half(1))) + x[2] * (Half(1) == Total(3))",
        "cs = []\nfor v in x:\n    cs.append(Total(v))\nreturn sum([c.k * c.k for c in cs])",
    ],
)  # fmt: skip
def test_protocols(body):
    body = body.replace("; ", "\n").replace("\n", "\n    ")
    plain = load(f"{HEADER}{PROTOCOLS}\ndef f(x):\n    {body}\n")
    f, x = linear_grad(plain, backend="interpret"), np.array([0.5, 1.5, 2.0])
    assert f(x) == pytest.approx(plain(x))


@pytest.mark.parametrize(
    ("body", "told"),
    [("return x[0] if Truth(x[0]) else x[1]", "`__bool__` returns a bool"),
     ("return x[0] if P(1.0) < Alone(1.0) else 0.0", "a comparison is of scalars")],
)  # fmt: skip
def test_protocols_that_raise(body, told):
    truth = "class Truth:\n    def __init__(self, v): self.v = v\n    def __bool__(self): return self.v > 0\n"
    plain = load(f"{HEADER}{PROTOCOLS}{truth}\ndef f(x):\n    {body}\n")
    with pytest.raises(TypeError):
        plain(np.ones(3))
    with pytest.raises(LinadError, match=told):
        linear_grad(plain, backend="interpret")(np.ones(3))


COPIES = """
import copy

class Model:
    def __init__(self, a):
        self.a, self.seen, self.next = a, [a[0]], None
"""


@pytest.mark.parametrize(
    "body",
    [
        "xs = [x.copy(), x * 2.0]; ys = copy.deepcopy(xs); ys[0][0] = 5.0; return (xs[0] * ys[0]).sum()",
        "xs = [x[0], [x[1], x[2]]]; ys = copy.copy(xs); zs = copy.deepcopy(xs); xs[1][0] = 9.0;"
        " return ys[1][0] + zs[1][0] * x[0]",
        "a = Model(x.copy()); b = copy.deepcopy(a); c = copy.copy(a); b.a[0] = 7.0; a.seen.append(2.0);"
        " return a.a[0] * b.a[0] + len(c.seen) * len(b.seen)",
        "d = {'a': x.copy(), 'b': x[0]}; e = copy.deepcopy(d); e['a'][1] = 0.0; e['b'] = 2.0;"
        " return (d['a'] * e['a']).sum() + d['b'] * e['b']",
        "xs = [v for v in x]; ys, zs = copy.copy(xs), copy.deepcopy(xs); xs.append(x[1]); ys[0] = 5.0;"
        " return sum(xs) * len(ys) + sum(zs) * ys[0]",
        "s = {1, 2}; t = copy.copy(s); t.add(3); return x[0] * len(s) * len(t)",
    ],
)  # fmt: skip
def test_copies(body):
    plain = load(f"{HEADER}{COPIES}\ndef f(x):\n    {body}\n")
    f, x = linear_grad(plain, backend="interpret"), np.array([0.5, 1.5, 2.0])
    assert f(x) == pytest.approx(plain(x)) and np.allclose(f.grad(x), differences(plain, x), atol=1e-5)


def test_a_deep_copy_of_what_is_held_twice_is_refused():
    body = "    a = x.copy()\n    xs = copy.deepcopy([a, a])\n    return xs[0].sum()\n"
    plain = load(f"{HEADER}{COPIES}\ndef f(x):\n{body}")
    with pytest.raises(LinadError, match="may hold an array or an object twice"):
        linear_grad(plain, backend="interpret")(np.ones(2))


@pytest.mark.parametrize("state", ["a[0] += 1.0", "c.append(t)", "o.a = t"])
def test_vectorized_functions_that_change_what_they_capture_are_refused(state):
    """NumPy calls them once more than there are elements, for the dtype."""
    inner = f"    def g(t):\n        {state}\n        return t * a[0]\n"
    body = f"    a, c, o = x.copy(), [], Model(x.copy())\n{inner}    return np.vectorize(g)(x).sum()\n"
    with pytest.raises(LinadError, match="which changes what it captures, for each element"):
        linear_grad(load(f"{HEADER}{COPIES}\ndef f(x):\n{body}"), backend="interpret")(np.ones(3))
