"""Random programs that bind, exchange, replace and update arrays under several names: what is accepted means what it means to Python,
and an argument that Python would change is never accepted."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ..examples_of import seeds
from ..kit import load
from .roads import Whole

SEEDS = seeds(80)
X = np.array([0.7, 1.3, 0.4])


BIND, REPLACE, SWAP, STORE, ADD, SHIFT, READ, CALL, CHOOSE, LOOP, BRANCH = range(11)
OFTEN = (30, 15, 5, 10, 4, 4, 4, 4, 4, 10, 10)
UPDATES = {STORE, ADD, SHIFT}


def statements(r: random.Random, depth: int, names: list[str], helpers: list[str], updates: bool) -> list[str]:
    out: list[str] = []
    weights = [w if updates or k not in UPDATES else 0 for k, w in enumerate(OFTEN)]
    for _ in range(r.randint(1, 4)):
        t, s, u = (r.choice(names) for _ in range(3))
        match r.choices(range(11), weights)[0]:
            case 0:
                out.append(f"{t} = {s}")
            case 1:
                out.append(f"{t} = {s} * 0.5 + {u}")
            case 2:
                out.append(f"{t}, {s} = {s}, {t}")
            case 3:
                out.append(f"{t}[{r.randint(0, 2)}] = {r.choice(['1.5', 'y', s + '[1]'])}")
            case 4:
                out.append(f"{t} += {s}")
            case 5:
                out.append(f"{t}[1:] = {s}[:-1]")
            case 6:
                out.append(f"tot += {t}[0] * {s}[2]")
            case 7 if helpers:
                out.append(f"{t} = {r.choice(helpers)}({s}, {u})")
            case 8:
                out.append(f"{t} = {s} if tot > 1 else {u}")
            case 9 if depth < 2:
                out.append(f"for k{depth} in range({r.choice(['n', '2', '1', '0'])}):")
                out += indented(statements(r, depth + 1, names, helpers, updates))
            case 10 if depth < 2:
                out.append(f"if tot > {r.choice(['1', '3', '100'])}:")
                out += indented(statements(r, depth + 1, names, helpers, updates))
                if r.random() < 0.5:
                    out += ["else:", *indented(statements(r, depth + 1, names, helpers, updates))]
            case _:
                out.append(f"{t}[0] += 0.25" if updates else f"{t} = {s} + 0.25")
    return out


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def program(seed: int) -> str:
    r = random.Random(seed)
    updates = seed % 2 == 0
    lines: list[str] = ["import numpy as np"]
    helpers = [f"h{k}" for k in range(r.randint(0, 2))]
    for name in helpers:
        body = ["tot, n, y = 0.0, 2, 0.5", *statements(r, 1, ["p", "q"], [], updates), f"return {r.choice(['p', 'q', 'p * tot', 'q + p'])}"]
        lines += [f"def {name}(p, q):", *indented(body)]
    body = ["tot = 0.0", "a = x * 2.0", f"b = {r.choice(['x', 'a', 'np.ones(3)'])}"]
    for _ in range(2):
        body += statements(r, 0, ["a", "b", "x"], helpers, updates)
    lines += ["def f(x, y: float, n: int):", *indented([*body, "return tot + a.sum() + 2 * b.sum() + 3 * x[1]"])]
    return "\n".join(lines) + "\n"


def accepted(text: str) -> bool:
    f = load(text, "f")
    for n in (0, 1, 3):
        whole = Whole(f, (X.copy(), 0.9, n))
        if whole.errors:
            return False
        x = X.copy()
        with np.errstate(all="ignore"):
            wanted = f(x, 0.9, n)
        got, _ = whole.run(whole.prepared)
        np.testing.assert_allclose(got, wanted, rtol=1e-9, err_msg=text)
        np.testing.assert_array_equal(x, X, err_msg=f"accepted though Python changes the argument:\n{text}")
    return True


@pytest.mark.one_in(4)
@pytest.mark.drawn
@pytest.mark.parametrize("part", range(4))
def test_what_is_accepted_means_what_it_means_to_python(part):
    assert sum(accepted(program(seed)) for seed in SEEDS[part::4]) > len(SEEDS) // 40


ONE_ARRAY_IN_AN_ARM = """
def f(x, y, n):
    a, b = x * 2.0, np.ones(3)
    if n > 0:
        a = x * 0.5
        c = b
    else:
        b = a
        c = x
    {between}
    return 2 * a.sum() + b @ c
"""


@pytest.mark.parametrize("between, fine", [("y += a[0]", True), ("a[0] = y", False), ("b[0] = y", False), ("a[0] = a.sum(); b = a * y", True)])
def test_one_array_under_two_names_in_one_arm(between, fine):
    """One of the names goes on with a copy: neither is updated while the other one is in use."""
    assert accepted("import numpy as np\n" + ONE_ARRAY_IN_AN_ARM.format(between=between)) is fine


MOVED_IN_AN_ARM = """
import numpy as np
def first(p, q):
    p = q
    return p
def f(x, y, n):
    a = x * y
    b = np.ones(3)
    if n > 1:
        b = first(a, b)
    else:
        b[1:] = x[:-1]
        x = b
        a = x
    b = b if n > 0 else x
    return a @ b + 3 * x[1]
"""


def test_what_an_arm_moves_is_no_part_of_a_choice():
    accepted(MOVED_IN_AN_ARM)


TUPLES = {
    "a view in a tuple goes on as an array": ("s = (x[1:], y)\nfor i in range(n):\n    s = (s[0] * 2, 2.0)\nreturn np.sum(s[0]) * s[1]", True),
    "views of one array exchanged": ("a = x * y\nt = (a[:2], a[1:])\nfor i in range(n):\n    t = (t[1] * 2, t[0])\nreturn t[1].sum() + t[0][0]", True),
    "a view that shrinks": ("s = (x[:], y)\nfor i in range(n % 3):\n    s = (s[0][1:], 2.0)\nreturn np.sum(s[0])", True),
    "one array twice, in a branch": ("a = x * y\ns = (a, a)\nif n > 0:\n    s = (s[0] * 2, s[1] * 3)\ns[1][0] = 3.0\nreturn s[0] @ x", False),
    "one array twice, in a loop": ("a = x * y\ns = (a, a)\nfor i in range(n):\n    s[1][0] = 3.0\n    s = (s[0] * 2, s[1] * 3)\nreturn s[0] @ x", False),
    "one array twice, by a choice": ("s = (x * 1, x * 2)\nfor i in range(n):\n    s = (s[1], s[0] * 2) if i > 0 else (s[1], s[1])\ns[1][0] = 3.0\nreturn s[0] @ x", False),
    "a view and its array": ("a = x * y\ns = (a, a[1:])\nfor i in range(n):\n    s = (s[0] * 2, s[1] * 3)\ns[1][0] = 3.0\nreturn s[0] @ x", False),
    "one array twice, by a helper": ("p, q = twice(x * y, n)\np[0] = 3.0\nreturn q @ x", False),
    "only read": ("p, q = twice(x * y, n)\nreturn p @ q", True),
    "exchanged in pairs": ("t = ((x * y, 1.0), (x * 2, 2.0))\nfor i in range(n):\n    t = (t[1], t[0])\nt[0][0][1] = 3.0\nreturn t[1][0].sum()", True),
}
TWICE = "def twice(a, n):\n    t = (a, a)\n    return t if n > 0 else (a * 2, a)\n"


@pytest.mark.parametrize("case", TUPLES)
def test_arrays_in_tuples_where_paths_meet(case):
    body, fine = TUPLES[case]
    assert accepted(f"import numpy as np\n{TWICE}def f(x, y, n):\n" + "\n".join(indented(body.splitlines())) + "\n") is fine


VIEWS = {
    "a part of a given array": "m = x\nfor i in range(n):\n    m = w[i]",
    "a part of another one": "a = w * 2.0\nm = a[0]\nfor i in range(n):\n    tot += m.sum()\n    m = w[i]",
    "a part of either": "a = w * 2.0\nm = a[0]\nfor i in range(n):\n    m = w[i]\n    if i == 1:\n        m = a[1]",
    "in a `while`": "m, i = x, 0\nwhile m.sum() < 100.0 and i < n:\n    m = w[i]\n    i += 1",
    "the best so far": "best = (0.0, x)\nfor i in range(n):\n    if w[i].sum() > best[0]:\n        best = (w[i].sum(), w[i])\ntot, m = best",
    "in a list": "t = [x, x]\nfor i in range(n):\n    t = [t[1], w[i]]\nm = t[0] * t[1]",
    "in a dict": 'd = {"u": x, "v": x}\nfor i in range(n):\n    d["u"] = w[i]\nm = d["u"] * d["v"]',
    "of columns": "m = w[0, :2]\nfor i in range(n):\n    m = w[1:3, i]",
    "that changes after its parts are read": "a = w * 2.0\nm = a[0]\nfor i in range(n):\n    tot += m.sum()\n    m = w[i]\n    a = a * 0.5",
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", VIEWS)
def test_parts_of_several_arrays_under_one_name_in_a_loop(case):
    body = VIEWS[case].replace("\n", "\n    ")
    f = load(f"import numpy as np\ndef f(w, x, n: int):\n    tot = 0.5\n    {body}\n    return (m * m).sum() + tot", "f")
    w = np.random.default_rng(0).uniform(0.5, 1.5, (4, 3))
    for n in (0, 3):
        Whole(f, (w.copy(), X.copy(), n)).holds(thorough=False)


@pytest.mark.parametrize("last", ["a[0, 0] = 3.0", "m[0] = 3.0"])
def test_an_update_of_what_a_name_may_be_part_of_is_refused(last):
    f = load(f"def f(w):\n    a = w.copy()\n    m = a[0]\n    for i in range(len(w)):\n        m = w[i]\n    {last}\n    return m.sum() + a.sum()", "f")
    assert Whole(f, (np.ones((4, 3)),)).errors
