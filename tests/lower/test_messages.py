"""What is refused, by slug and line; and what is accepted although it looks like it."""

from __future__ import annotations

import pytest

from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.source import SourceFile
from linad_typecheck.names.uses import decorated_functions

HEAD = """import math
import numpy as np
from jaxtyping import Float64
from linad import linear_grad
Vec = Float64[np.ndarray, "n"]; ROUNDS = 4; WEIGHTS = (0.5, 1.5)
def either(a, b):
    a[0] = 1.0
    return a if b[0] > 0.0 else b.copy()
def put(a, b):
    a[0] = b[0]
def keep(a):
    a[0] = 1.0
    return a
def broken(a):
    return a[0] + nowhere
@linear_grad
"""
FIRST = HEAD.count("\n")  # the `def` is on line FIRST + 1

REFUSED = {
    "an item of a list that may be another one": (
        "unsupported", 5, "x: Vec, n: int", "z, xs = np.zeros(2), []\nfor i in range(n):\n    xs.append(z)\nxs[0][0] = x[0]\nreturn xs[1][0]",
    ),
    "a counter updated by a dict": (
        "unsupported", 4, "x: Vec", "from collections import Counter\nc = Counter()\nc.update({1: 2})\nreturn c[1] * x[0]",
    ),
    "an item of a list that a slice holds, too": (
        "use-after-move", 7, "x: Vec, n: int",
        "xs = []\nfor i in range(n):\n    xs.append(x * i)\nys = xs[1:]\nxs[1] += 1.0\nreturn ys[0][0]",
    ),
    "an array after an update as the item of a list": (
        "use-after-move", 7, "x: Vec, n: int",
        "z, xs = x * 2.0, []\nfor i in range(n):\n    xs.append(x * i)\nxs.append(z)\nxs[0] += 1.0\nreturn z[0]",
    ),
    "alias read after write": ("use-after-move", 5, "x: Vec, c: bool", "u = x.copy()\nv = u if c else 2.0 * x\nv[0] = 1.0\nreturn u[0]"),
    "moved into a call": ("use-after-move", 4, "x: Vec", "u = x.copy()\nv = either(u, x)\nreturn u[0] + v[0]"),
    "moved in a loop": ("moved-in-loop", 4, "x: Vec", "u = x.copy()\nfor i in range(3):\n    v = either(u, x)\nreturn v[0]"),
    "moved on one path": (
        "use-after-move", 5, "x: Vec, c: bool", "u = x.copy()\nif c:\n    v = either(u, x)\nreturn u[0]",
    ),
    "joined and both in use": (
        "moved-on-some-paths", 6, "x: Vec, c: bool",
        "u = x.copy()\nm = np.zeros(2)\nif c:\n    m = u\nm[0] = 1.0\nreturn m[0] + u[0]",
    ),
    "carried while its first array is in use": (
        "use-after-move", 5, "x: Vec, k: int", "u = x.copy()\nold = u\nfor i in range(k):\n    u[0] += old[0]\n    u = x.copy()\nreturn old[0]",
    ),
    "lost before a loop that may not run": (
        "use-after-move", 7, "x: Vec, k: int", "u = x.copy()\nv = u if k else 2.0 * x\nv[0] = 1.0\nfor i in range(k):\n    u = np.zeros(2)\nreturn u[0] + v[0]",
    ),
    "argument updated": ("argument-updated", 2, "x: Vec", "x[0] = 1.0\nreturn x[0]"),
    "argument updated in a helper": ("argument-updated", 2, "x: Vec", "put(x, x.copy())\nreturn x[0]"),
    "argument bound and updated": ("alias-escapes", 4, "x: Vec, c: bool", "u = np.zeros(2)\nif c:\n    u = x\nu[0] = 1.0\nreturn u"),
    "argument carried and updated": (
        "argument-updated", 4, "x: Vec", "u = x\nfor i in range(2):\n    u[0] = 1.0\n    u = keep(u.copy())\nreturn u[0]",
    ),
    "argument carried and updated behind the loop": (
        "argument-updated", 5, "x: Vec, k: int", "u = x\nfor i in range(k):\n    u = u * 2.0\nu[0] = 1.0\nreturn u[0]",
    ),
    "argument of one arm updated": (
        "argument-updated", 5, "x: Vec, k: int", "u = x\nif k > 0:\n    u = u * 2.0\nu[0] = 1.0\nreturn u[0]",
    ),
    "module-level array carried and updated by a helper": (
        "argument-updated", 4, "x: Vec, k: int", "u = x\nfor i in range(k):\n    put(u, x.copy())\n    u = u * 2.0\nreturn u[0]",
    ),
    "read while the other name of a carried array is run over": (
        "use-after-move", 6, "x: Vec, n: int",
        "a = x * 2.0\nb = a\ns = 0.0\nfor k in range(n):\n    for v in b:\n        a[1] = v\n        s += v\n    b = b * 2.0\nreturn s",
    ),
    "returned twice": ("returned-twice", 4, "x: Vec", "def g(v):\n    u = v * 2.0\n    return u, u[1:]\na, b = g(x)\nreturn a[0] + b[0]"),
    "overlap": ("overlapping-arguments", 4, "x: Vec, c: bool", "u = x.copy()\nv = u if c else 2.0 * x\nput(u, v)\nreturn u[0]"),
    "error in a helper called in a loop": ("unknown-name", 15 - FIRST, "x: Vec", "s = 0\nfor i in range(2):\n    s += broken(x)\nreturn s"),
    "unknown name": ("unknown-name", 2, "x: Vec", "return lenn(x)"),
    "unknown function": ("unknown-function", 2, "x: Vec", "return np.sine(x[0])"),
    "try": ("unsupported", 2, "x: Vec", "try:\n    s = 1.0 / x[0]\nfinally:\n    return 2.0"),
    "a function without a meaning here": ("unsupported", 2, "x: Vec", "return np.memmap(x)[0]"),
    "array as a condition": ("wrong-type", 2, "x: Vec", "return 1.0 if x > 0 else 2.0"),
    "sizes that never broadcast": ("sizes-differ", 2, "x: Vec", "return np.zeros(2) + np.zeros(3)"),
    "float index": ("wrong-type", 2, "x: Vec", "return x[1.5]"),
    "rank": ("wrong-rank", 2, "x: Vec", "return x[0, 1]"),
    "mixed returns": ("mixed-returns", 2, "x: Vec, c: bool", "if c:\n    return 1.0"),
    "type change in branches": ("type-changes", 5, "x: Vec, c: bool", "if c:\n    y = 1.0\nelse:\n    y = (1.0, x[0])\nreturn y"),
    "matrix product in place": ("unsupported", 3, "x: Vec", "a = np.outer(x, x)\na[:] @= a\nreturn a[0, 0]"),
    "key of max": ("unsupported", 2, "x: Vec", "return max(x[0], x[1], key=abs, default=1.0)"),
    "type change in iterations": ("type-changes", 4, "x: Vec", "y = 1.0\nfor i in range(len(x)):\n    y = (y, y)\nreturn y"),
    "int power": ("wrong-type", 2, "n: np.int64, m: int", "return n ** -2"),
    "undefined": ("undefined", 2, "x: Vec", "y = z + x[0]\nz = 1.0\nreturn y"),
    "wrong call": ("bad-call", 2, "x: Vec", "return put(x)"),
    "tuple element out of range": ("wrong-type", 3, "x: Vec", "t = (1, x[0])\nreturn t[2]"),
}  # fmt: skip

ACCEPTED = {
    "one of two names lives on": ("x: Vec", "u = x.copy()\nv = u\nv[0] = 1.0\nreturn v[0]"),
    "aliases that are only read": ("x: Vec", "u = x\nreturn u[0] + x[1]"),
    "joined and the others dead": ("x: Vec, c: bool", "u = x.copy()\nm = np.zeros(2)\nif c:\n    m = u\nm[0] = 1.0\nreturn m[0]"),
    "rebound before the next turn": ("x: Vec", "u = x.copy()\nfor i in range(3):\n    u = keep(u)\nreturn u[0]"),
    "swap": ("x: Vec", "u = x.copy()\nv = np.zeros(3)\nfor i in range(3):\n    u, v = v, u\n    u[0] = v[1]\nreturn u[0]"),
    "read twice by a call": ("x: Vec", "u = x.copy()\nput(u, x)\nreturn u[0]"),
    "returned from inside a loop": ("x: Vec", "u = x.copy()\nfor i in range(3):\n    if x[i] > 0:\n        return u\n    u[0] += 1\nreturn x.copy()"),
    "conditional array": ("x: Vec, c: bool", "u = x.copy()\nv = np.zeros(3)\nw = u if c else v\nw[0] = 2.0\nreturn w[0]"),
}  # fmt: skip


def checked(params, body):
    text = HEAD + f"def f({params}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    return check(decorated_functions(SourceFile("f.py", text))[0], {})


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    slug, line, params, body = REFUSED[case]
    found = checked(params, body)
    assert found.program is None
    assert (slug, line) in [(d.slug, d.span.line - FIRST) for d in found.diagnostics if d.severity == "error"]


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case):
    found = checked(*ACCEPTED[case])
    assert not found.diagnostics
    assert verify(found.program) == []
    check_linear(linearise(found.program))


@pytest.mark.parametrize("bound", ["for i in range(3):\n    if i > c:\n        break\n    def g(y):\n        return y * c", "for i in range(3):\n    if c > i:\n        g = lambda y: y"])
def test_a_name_without_one_type_is_unknown_after_the_loop(bound):
    found = checked("c: float", f"g = None\n{bound}\nreturn g(c) + g(1.0)")
    assert [d.slug for d in found.diagnostics] == ["type-changes"]


def test_missing_types_do_not_cascade():
    found = checked("x, n: int", "y = x[0] + 1\ny += np.sine(n)\nreturn y")
    assert found.missing == ("x",) and found.program is None
    assert [d.slug for d in found.diagnostics] == ["unknown-function"]


def test_every_error_is_collected():
    found = checked("x: Vec", "a = foo\nb = {1}.pop()\nx[0] = 1.0\nreturn x")
    assert [d.slug for d in found.diagnostics] == ["unknown-name", "unsupported", "argument-updated"]


def test_warnings_leave_a_program():
    found = checked("x: Vec, c: bool", "if c:\n    y = 1.0\na = np.zeros(2, dtype=np.int64)\na[0] = x[0]\nreturn y + a[0]")
    assert found.program is not None
    assert {d.slug for d in found.diagnostics} == {"maybe-undefined", "float-truncated", "zero-gradient"}


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(50):\n    y = x[0]\nreturn y",
        "for i in range(9, 2, -3):\n    y = x[0]\n    if y > 2.0:\n        break\nreturn y * i",
        "for j in range(k):\n    for i in range(ROUNDS):\n        y = x[0]\n    x = x * y\nreturn x[0]",
        "for a in WEIGHTS:\n    y = a * x[0]\n    if y > 2.0:\n        break\nreturn y * a",
        "for a in np.zeros(3):\n    if k > a:\n        y = x[0]\n    else:\n        return a\nreturn y",
        "while True:\n    y = x[0]\n    x = x * 2.0\n    if y > 2.0:\n        break\nreturn y",
        "while (y := x[0]) < 2.0:\n    x = x * 2.0\nreturn y",
    ],
)
def test_what_a_loop_that_surely_runs_binds_is_defined_after_it(body):
    assert not checked("x: Vec, k: int", body).diagnostics


@pytest.mark.parametrize(
    "body",
    [
        "while (y := x[0]) < 2.0:\n    x = x * y\nreturn y",
        "if (y := x[0]) < 2.0 and (z := y + x[1]) > 0.0:\n    return z\nreturn y",
        "a = x + (y := x[1])\nreturn a * y",
    ],
)
def test_names_bound_inside_expressions_of_unknown_type_have_a_value(body):
    assert not checked("x", body).diagnostics


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(k):\n    y = x[0]\nreturn y",
        "for _ in range(3, 3):\n    y = x[0]\nreturn y",
        "for _ in range(3):\n    if k > 2:\n        break\n    y = x[0]\nreturn y",
        "for _ in range(3):\n    if k > 2:\n        y = x[0]\nreturn y",
        "for _ in range(3):\n    y = x[0]\n    if k > 2:\n        del y\n        break\nreturn y",
        "while k > 2:\n    y = x[0]\n    k -= 1\nreturn y",
    ],
)
def test_what_a_loop_may_not_bind_may_be_undefined_after_it(body):
    assert [d.slug for d in checked("x: Vec, k: int", body).diagnostics] == ["maybe-undefined"]


def test_modes():
    found = checked("x: Vec", "u = x.copy()\nput(u, x)\nu = keep(u)\nu = either(u, x)\nreturn u[0]")
    modes = {name: [p.mode for p in f.params] for name, f in found.program.functions.items()}
    assert modes == {"f": ["read"], "put": ["mut", "read"], "keep": ["mut"], "either": ["own", "read"]}


def test_a_name_is_not_said_to_share_an_array_with_itself():
    """The name is given its own array anew by an iteration, which another name holds as well."""
    body = "a = x.copy()\nb = a\nc = b[:]\nfor i in range(k):\n    b[0] += c[1]\n    c[1] *= a[0]\n    b = a\nreturn b"
    told = [d.message for d in checked("x: Vec, k: int", body).diagnostics]
    assert told[0] == "`b` and another value may share one array, and both are updated"


@pytest.mark.parametrize(
    ("body", "help"),
    [
        ("t = [1.0, x[0]]\nreturn t * t", "make an array of it: `np.array(...)`"),
        ("t = ((0.0, x[0]), (x[0], True))\nreturn t[len(x)][0]", "make an array of it first: `a = np.array(t)`, then `a[k]`"),
    ],
)  # fmt: skip
def test_lists_that_are_used_as_arrays_are_to_become_arrays(body, help):
    (told,) = checked("x: Vec", body).diagnostics
    assert [f.message for f in told.fixes] == [help]
