"""Each ownership rule with programs that it accepts and programs that it refuses, by code and number."""

from __future__ import annotations

import pytest

from linad_typecheck import check_source
from linad_typecheck.codes import CODES
from linad_typecheck.ir.verify import verify
from linad_typecheck.linear.check_linear import check_linear
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.ownership.rules import GIVEN_AWAY, HEAD, PERHAPS_UPDATED, RULES, Rule

from tests.diagnostics.test_codes import message_classes
from tests.lower.test_messages import checked

X = "x: Vec, c: bool, n: int"
ACCEPTED = {
    "free: a scalar is used often and not at all": "s = x[0]\nt = s + s * s\nunused = s\nreturn t",
    "free: reading does not use up": "u = x.copy()\na = u[0] + u[0]\nreturn a + len(u)",
    "R1 the only name writes": "u = x.copy()\nu[0] = 1.0\nreturn u[0]",
    "R1 accumulation through the only name": "u = x.copy()\nu[0] += u[1]\nreturn u[0]",
    "R8 a helper that only adds": "u = x.copy()\ndef add(a, v):\n    a[0] += v\nadd(u, 1.0)\nadd(u, 2.0)\nreturn u[0]",
    "R1 two names and no write": "u = x.copy()\nv = u\nreturn u[0] + v[0]",
    "R3 joined and the others dead": "u = x.copy()\nv = np.zeros(2)\nif c:\n    v = u\nv[0] = 1.0\nreturn v[0]",
    "R3 one of two arrays, only read": "u = x.copy()\nv = np.zeros(2)\nif c:\n    v = u\nreturn u[0] + v[0]",
    "R1 a view that is read": "u = x.copy()\nv = u[1:]\nreturn v[0] + u[0]",
    "R1 written through, then the array is read": "u = x.copy()\nv = u[1:]\nv[0] = 1.0\nreturn u[1]",
    "R1 a row of a view is updated, then the view is read": (
        "u = np.zeros((2, 3))\nv = u.T\nfor row in v:\n    row *= 2.0\n    s = v[0, 0]\nreturn v[0, 0]"
    ),
    "R1 an array that is updated in a loop keeps its name": (
        "u = np.zeros((2, 3))\nfor row in u:\n    row += x[0]\n    s = row[0]\nfor row in u:\n    u += 1.0\nreturn u[0, 0]"
    ),
    "R1 two views of disjoint places": "u = x.copy()\na = u[:1]\nb = u[1:]\na[0] = b[0]\nreturn b[0]",
    "R1 two rows": "u = np.zeros((2, 2))\na = u[0]\nb = u[1]\na[0] = x[0]\nb[0] = a[0]\nreturn b[0]",
    "R1 halves at a computed place": "u = x.copy()\na = u[:n]\nb = u[n:]\na *= 2.0\nb *= 3.0\nreturn u[0]",
    "free: a temporary where reads and writes meet": "u = x.copy()\nu[1:] = u[:-1]\nreturn u[1]",
    "free: constructors and copies are owned": "u = np.zeros(3)\nv = np.asarray(u)\nv[0] = x[0]\nreturn v[0]",
    "R8 read arguments repeat": "def dot(a, b):\n    return a[0] * b[0]\nreturn dot(x, x)",
    "R6 taken over and bound again": "u = x.copy()\nu = keep(u)\nreturn u[0]",
    "R12 given to a helper that gives back another one": (
        "def scaled(a):\n    if a[0] > 0.0:\n        a = a * 0.3\n    return a + 0.0\nv = scaled(x)\nv[0] += 1.0\nreturn v[0] + x[0]"
    ),
    "R6 moved on one path and dead": "u = x.copy()\ns = 0.0\nif c:\n    v = keep(u)\n    s = v[0]\nreturn s",
    "R5 given back by a helper on every path": "u = x.copy()\nv = keep(u)\nreturn u[0] + v[0] + u @ keep(v)",
    "R6 given back while it is waited for": "u = x.copy()\nt = (u, keep(u))\nreturn t[0] @ t[1]",
    "R3 names are permuted": "u = x.copy()\nv = np.zeros(3)\nfor i in range(3):\n    u, v = v, u\nreturn u[0] + v[0]",
    "R9 a number beside an array that a loop updates under another name": (
        "t = (x.copy(), n)\nfor k in range(3):\n    p = t[0]\n    for i in range(3):\n        p[i] *= 2.0\n"
        "    t = (p, t[1] + 1)\nreturn t[0][0] + t[1]"
    ),
    "R9 an array beside one that a loop updates under another name": (
        "t = (x.copy(), x * 2.0)\np = t[0]\nfor i in range(3):\n    p[i] = t[1][0]\nreturn p[0] + t[1][0]"
    ),
    "R7 moved and bound again": "u = x.copy()\nfor i in range(3):\n    u = keep(u)\nreturn u[0]",
    "R2 a name that is never used again": "u = x.copy()\nv = u\nv[0] = 1.0\nreturn x[0]",
    "free: the right side reads before the cell is written": "u = x.copy()\nu[0] = u[1] + u[0]\nreturn u[0]",
    "R10 an argument that is only read": "s = 0.0\nfor v in x:\n    s += v\nreturn s",
    "R13 a copy is returned": "return x.copy(), x.copy()",
    "R13 an entry function returns an array twice": "u = x * 2.0\nreturn u, u, u[1:]",
    "R13 a helper returns one array twice": "def g(v):\n    u = v * 2.0\n    return u, u\na, b = g(x)\nreturn a[0] + b[1]",
}
SHARED = {  # the update shows under a second name
    "R1 written while another name lives": "u = x.copy()\nv = u\nu[0] = 1.0\nreturn v[0]",
    "R1 added to while another name lives": "u = x.copy()\nv = u\nu[0] += 1.0\nreturn v[0]",
    "R1 a tuple whose array an iteration updates under another name": "t = (x.copy(), n)\ns = 0.0\np = t[0]\nfor i in range(3):\n    s += t[0][0]\n    p[i] = s\nreturn s",
    "R1 a tuple with both arrays updated, in two loops": "t = (x.copy(), x * 2.0)\np, q = t\nfor i in range(3):\n    p[i] = 1.0\n    for j in range(3):\n        q[j] = 2.0\nreturn t[1][0]",
    "R1 a tuple that loses an array and is bound again in one loop": "t = (x.copy(), n)\np = t[0]\nfor i in range(3):\n    t = (t[0], t[1] + 1)\n    p[0] = 1.0\nreturn t[1] + t[0][0]",
    "R1 a view after its array was updated": "u = x.copy()\nv = u[1:]\nu[1] = 1.0\nreturn v[0]",
    "R1 two views that may meet": "u = x.copy()\na = u[:2]\nb = u[1:]\na[1] = 1.0\nreturn b[0]",
    "R1 a row while another is updated": "u = np.zeros((2, 2))\na = u[0]\nb = u[n]\nb[0] = x[0]\nreturn a[0]",
    "R1 asarray of an array is that array": "u = x.copy()\nv = np.asarray(u)\nv[0] = 1.0\nreturn u[0]",
    "R1 updated and passed twice": "u = x.copy()\nput(u, u)\nreturn u[0]",
}
REFUSED = {
    "R3 joined while both live and one is written": (
        "moved-on-some-paths", "u = x.copy()\nv = np.zeros(2)\nif c:\n    v = u\nv[0] = 1.0\nreturn u[0] + v[0]",
    ),
    "R2 both updated while they may be one": (
        "conflicting-updates", "u = x.copy()\nv = u if c else x * 2.0\nv[0] = 1.0\nu[1] = 2.0\nreturn u[0]",
    ),
    "R8 updated and passed beside what may be it": (
        "overlapping-arguments", "u = x.copy()\nv = u if c else x * 2.0\nput(u, v)\nreturn u[0]",
    ),
    "R9 updated in a tuple that may hold it twice": (
        "stored-twice", "u = x.copy()\np = (u, u if c else x * 2.0)\np[0][0] = 1.0\nreturn p[1][0]",
    ),
    "R6 used after it was taken over": ("use-after-move", "u = x.copy()\nv = either(u, x)\nreturn u[0] + v[0]"),
    "R6 taken over while it is waited for": ("use-after-move", "u = x.copy()\nreturn u @ either(u, x)"),
    "R2 written while what may be it is waited for": ("use-after-move", "u = x.copy()\nv = u.copy() if c else u\nreturn (v, keep(u))[0] @ x"),
    "R6 moved on one path and used": ("use-after-move", "u = x.copy()\nif c:\n    v = either(u, x)\nreturn u[0]"),
    "R7 moved in a loop": ("moved-in-loop", "u = x.copy()\nfor i in range(3):\n    v = either(u, x)\nreturn v[0]"),
    "R7 moved by an element of a comprehension": ("moved-in-loop", "u = x.copy()\nreturn sum(either(u, x)[0] for i in range(3))"),
    "R2 updated in a loop where an earlier iteration has bound it to another array": (
        "use-after-move",
        "u, w = x.copy(), np.ones(3)\nt = -1\nwhile t < n:\n    t += 1\n    if t > 0:\n        u[:] = t\n        u = w\nreturn u[0]",
    ),
    "R10 an argument is updated that a helper may give back": (
        "argument-updated",
        "def scaled(a):\n    if a[0] > 0.0:\n        a = a * 0.3\n    return a\nv = scaled(x)\nv[0] += 1.0\nreturn v[0]",
    ),
    "R10 an argument is updated": ("argument-updated", "x[0] = 1.0\nreturn x[0]"),
    "R12 an argument is bound to a name that is updated": ("alias-escapes", "u = np.zeros(2)\nif c:\n    u = x\nu[0] = 1.0\nreturn u[0]"),
    "R13 a helper returns an array and a part of it": ("returned-twice", "def g(v):\n    u = v * 2.0\n    return u, u[1:]\na, b = g(x)\nreturn a[0] + b[1]"),
    "R14 identity is tested": ("unsupported", "u = x.copy()\nreturn 1.0 if u is x else 0.0"),
}  # fmt: skip


def rules_of(found) -> set[tuple[str, str]]:
    return {(d.slug, d.rule) for d in found}


@pytest.mark.parametrize("number", RULES)
def test_the_programs_of_a_rule(number):
    rule = RULES[number]
    assert check_source(HEAD + "\n\n" + rule.accepted, "f.py") == []
    found = rules_of(check_source(HEAD + "\n\n" + rule.refused, "f.py"))
    assert found and found <= {(slug, number) for slug in rule.codes}


def test_rules_are_numbered_and_name_codes():
    assert list(RULES) == [f"R{k}" for k in range(1, len(RULES) + 1)]
    assert {slug for r in RULES.values() for slug in r.codes} <= CODES.keys()
    ownership = {slug for slug, row in CODES.items() if row.code.startswith("LIN1")}
    assert ownership <= {slug for r in RULES.values() for slug in r.codes}


def test_a_message_names_a_rule_that_names_its_code():
    classes = [c for c in message_classes() if isinstance(c.enforces, Rule)]
    assert all(c.slug in c.enforces.codes for c in classes)
    enforced = {c.enforces.number for c in classes} | {PERHAPS_UPDATED.number, GIVEN_AWAY.number}  # both of `UseAfterMove`
    assert enforced == set(RULES)
    assert not [c for c in message_classes() if CODES[getattr(c, "slug", "unsupported")].code < "LIN2" and c.enforces is None]


def test_every_case_is_of_a_rule():
    """Of all rules but three, of which the row's programs say all, there are more programs than those of the row."""
    named = {case.partition(" ")[0] for case in (*ACCEPTED, *SHARED, *REFUSED)}
    assert named - {"free:"} == set(RULES) - {"R4", "R11"}


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case):
    found = checked(X, ACCEPTED[case])
    assert [d.message for d in found.diagnostics] == []
    assert verify(found.program) == []
    check_linear(linearise(found.program))


@pytest.mark.parametrize("case", SHARED)
def test_followed(case):
    found = checked(X, SHARED[case])
    assert rules_of(found.diagnostics) <= {("shared-update", "R1")}
    assert verify(found.program) == []
    check_linear(linearise(found.program))


def test_it_is_said_where_an_update_shows():
    silent = {case for case, body in SHARED.items() if not checked(X, body).diagnostics}
    assert silent == {case for case in SHARED if " tuple " in case or " passed " in case}  # a helper that reads nothing


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    slug, body = REFUSED[case]
    found = checked(X, body)
    assert found.program is None
    assert (slug, case.partition(" ")[0]) in rules_of(found.diagnostics)
