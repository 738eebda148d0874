"""Copies that stand for arrays: what may be done to either, and that errors of lowering about them are found."""

from __future__ import annotations

import re
from dataclasses import replace
from unittest import mock

import pytest
from linad_typecheck import check as front_end
from linad_typecheck.constructs import calls
from linad_typecheck.engine import joins, loop_attempt
from linad_typecheck.ir.core import Block, Const, Drop, Load, Program, Same, Store, Var, walk
from linad_typecheck.ir.rewrite import rebuild
from linad_typecheck.ir.text import parse_program
from linad_typecheck.linear.check_linear import NotLinear, check_linear
from linad_typecheck.linear.erase import erase
from linad_typecheck.linear.linearise import linearise
from linad_typecheck.names.uses import decorated_functions
from linad_typecheck.ownership import state
from linad_typecheck.source import SourceFile
from linad_typecheck.types import F64, I64

HELPERS = """
fn fill(v: mut f64[:]) {
  &v[0] = 2.0
}

fn add(v: acc f64[:], w: acc f64[:]) {
  &v[0] += 1.0
  &w[0] += 1.0
}

fn total(v: read f64[:], w: read f64[:]) -> f64 {
  a = load &v [0]
  b = load &w [0]
  t = add a b
  return t
}

fn keep(v: own f64[:], n: i64) -> f64[:] {
  return v
}

fn changed(v: own f64[:]) -> f64[:] {
  &v[0] = 2.0
  return v
}

fn again(v: own f64[:], n: i64) -> f64[:] {
  b = gt n 0
  m = add n -1
  r = if b {
    w: f64[:] = call again(v, m)
    yield w
  } else {
    w.1 = copy &v
    yield w.1
  }
  return r
}

fn copied(v: read f64[:]) -> f64[:] {
  w = copy &v
  same &w &v
  return w
}

fn twice(v: own f64[:]) -> f64[:], f64[:] {
  w = copy &v
  same &w &v
  return v, w
}
"""

READ, WRITE = "e = load &{0} [0]", "&{0}[0] = 1.0"
FINE = {
    "both are only read": "{u}; e.1 = load &v [0]",
    "one is updated and the other one not used": "&u[0] = 1.0; e = load &u [0]; n = dim &v 0",
    "each is used on a path of its own": "if c {{; &u[0] = 1.0; }} else {{; &v[0] = 1.0; }}",
    "a loop defines the copy again": "for i in range(3) {{; w = copy &u; same &w &u; }}",
    "the other one is read before": "e = load &v [0]; &u[0] = e",
    "lent to be read, twice": "e: f64 = call total(u, v)",
    "added to, in one call": "call add(u, v)",
    "moved and given back": "w: f64[:] = call keep(v, 0); e = load &w [0]; e.1 = load &u [0]",
    "a copy that a function makes": "w: f64[:] = call copied(u); e = load &w [0]; e.1 = load &v [0]",
}  # fmt: skip
WRONG = {
    "the copy after the array": "&v[0] = 1.0; {u}",
    "the array after the copy": "&u[0] = 1.0; {v}",
    "both updated": "&v[0] += 1.0; &u[0] += 1.0",
    "after a branch": "if c {{; &v[0] = 1.0; }} else {{; }}; {u}",
    "the result of a branch": "w = if c {{; yield u; }} else {{; w.1 = copy &v; yield w.1; }}; &w[0] = 1.0; {v}",
    "both carried, exchanged": "for i in range(3) carry (a: f64[:] = u, b: f64[:] = v) -> (a.1, b.1) {{; &a[0] = 1.0; yield b, a; }}",
    "in the next iteration": "for i in range(3) {{; e = load &u [0]; &v[0] = e; }}",
    "carried on, and one iteration later": (
        "w = alloc f64 [2]; for i in range(3) carry (a: f64[:] = w) -> (a.1) {{; e = load &u [0]; &a[0] = e; b = copy &u; same &b &u; yield b; }}"
    ),
    "after a loop": "for i in range(3) carry (a: f64[:] = u) -> (a.1) {{; yield a; }}; &a.1[0] = 1.0; {v}",
    "updated by a call": "call fill(v); {u}",
    "one read and one updated by a call": "call both(u, v)",
    "kept by a function that updates it": "w: f64[:] = call changed(v); {u}",
    "what a function gives back": "w: f64[:] = call keep(v, 0); &w[0] = 1.0; {u}",
    "what a recursive function gives back": "w: f64[:] = call forth(v, 3); &w[0] = 1.0; {u}",
    "a copy that a function makes": "w: f64[:] = call copied(u); &w[0] = 1.0; {v}",
    "two results that are one array": "(w: f64[:], w.1: f64[:]) = call twice(v); &w[0] = 1.0; e = load &w.1 [0]",
    "passed on": "&u[0] = 1.0; w: f64[:] = call keep(v, 0)",
    "the copy of a copy": "w = copy &u; same &w &u; &w[0] = 1.0; {v}",
}  # fmt: skip
MORE = """
fn both(v: read f64[:], w: mut f64[:]) {
  e = load &v [0]
  &w[0] = e
}

fn forth(v: own f64[:], n: i64) -> f64[:] {
  b = gt n 0
  m = add n -1
  r = if b {
    w: f64[:] = call forth(v, m)
    yield w
  } else {
    yield v
  }
  return r
}
"""


def program(lines: str, same: str = "same &u &v") -> Program:
    filled = lines.format(u="q = load &u [0]", v="q = load &v [0]").replace("; ", "\n")
    text = f"entry fn f(c: bool) -> f64 {{\nv = alloc f64 [2]\nu = copy &v\n{same}\n{filled}\nreturn 1.0\n}}\n{HELPERS}{MORE}"
    return linearise(parse_program(text))


@pytest.mark.parametrize("case", FINE)
def test_accepted(case):
    check_linear(program(FINE[case]))


@pytest.mark.parametrize("case", WRONG)
def test_refused(case):
    """For what the fact says, and for nothing else."""
    with pytest.raises(NotLinear, match="after its other copy was updated"):
        check_linear(program(WRONG[case]))
    if "same" not in WRONG[case]:
        plain = program(WRONG[case], same="")
        own = {n: f for n, f in plain.functions.items() if n not in ("twice", "copied")}
        if not re.search("twice|copied", WRONG[case]):
            check_linear(Program("f", own))


@pytest.mark.parametrize("update", ["&v[0] = 1.0", "&w[0] = 1.0"])
def test_a_lent_array_is_not_updated_by_its_copy_alone(update):
    text = f"entry fn f(v: mut f64[:]) {{\nw = copy &v\nsame &w &v\n{update}\n}}\n"
    if "&v" in update:
        check_linear(linearise(parse_program(text)))
    else:
        with pytest.raises(NotLinear, match="v is used after"):
            check_linear(linearise(parse_program(text)))


HEAD = "import numpy as np\nfrom linad import linear_grad\nfrom jaxtyping import Float64\nVec = Float64[np.ndarray, 'n']\n"
HELPER = "def choice(p, n):\n    q = p\n    if n > 1:\n        q = p * 2.0\n    return q\ndef twice(a, n):\n    t = (a, a)\n    return t if n > 0 else (a * 2, a)\n"
# With a copy in each; with the update at its end they are refused.
PROGRAMS = {
    "a branch": ("a = x * 2.0\nb = a\nif n > 1:\n    b = x * 3.0", "b[0] = 1.0", "a"),
    "a branch, the array": ("a = x * 2.0\nb = a\nif n > 1:\n    b = x * 3.0", "a[0] = 1.0", "b"),
    "two results of a branch": ("a, b = x * 2.0, x + 1.0\nif n > 1:\n    b = a\nelse:\n    a = b * 2.0", "b[0] = 1.0", "a"),
    "a loop": ("a = x * 2.0\nb = a\nfor k in range(n):\n    b = b * 2.0", "b[0] = 1.0", "a"),
    "a loop over a view": ("a = x * 2.0\nb = a[1:]\nfor k in range(n):\n    b = b * 2.0", "a[1] = 1.0", "b"),
    "a pair in a loop": ("s = (x * 1.0, x * 2.0)\nfor k in range(n):\n    s = (s[1], s[0] * 2.0) if k > 0 else (s[1], s[1])\na, b = s", "b[0] = 1.0", "a"),
    "a helper": ("a = x * 2.0\nb = choice(a, n)", "b[0] = 1.0", "a"),
    "a pair of a helper": ("a, b = twice(x * 2.0, n)", "b[0] = 1.0", "a"),
}  # fmt: skip


def checked(case: str, updated: bool):
    made, update, used = PROGRAMS[case]
    lines = [*made.split("\n"), *([update] if updated else ()), f"return {used}.sum() + {update[0]}[0]"]
    body = "".join(f"    {line}\n" for line in lines)
    text = f"{HEAD}{HELPER}@linear_grad\ndef f(x: Vec, n: int):\n{body}"
    return front_end.check(decorated_functions(SourceFile("f.py", text))[0], {})


@pytest.fixture
def certified(monkeypatch):
    """The linear forms that `check` has certified."""
    found: list[Program] = []
    monkeypatch.setattr(front_end, "check_linear", lambda p: (check_linear(p), found.append(p)))
    return found


@pytest.mark.parametrize("case", PROGRAMS)
def test_lowering_writes_what_stands_for_what(case, certified):
    done = checked(case, updated=False)
    assert done.program is not None and certified
    assert not any(isinstance(s, Same) for f in done.program.functions.values() for s in walk(f.body))
    assert any(isinstance(s, Same) for f in certified[0].functions.values() for s in walk(f.body))
    assert erase(certified[0]).functions.keys() == done.program.functions.keys()
    assert checked(case, updated=True).program is None


@pytest.mark.parametrize("case", PROGRAMS)
def test_what_is_used_against_a_fact_is_found(case, certified):
    """The program with an update of the array after each fact, and a read of its copy, or the other way round."""
    checked(case, updated=False)
    linear, zero = certified[0], Const(0, I64)

    def conflicting(b: Block, lent: set[str]) -> Block:
        out = []
        for s in b.stmts:
            out.append(rebuild(s, lambda a: a, block=lambda inner: conflicting(inner, lent)))
            if isinstance(s, Same):
                updated, read = (s.copy, s.array) if s.array.name in lent else (s.array, s.copy)
                out.append(Store(updated, (zero,) * updated.type.rank, Const(1.0, F64)))
                out.append(Load(Var("q", F64), read, (zero,) * read.type.rank))
                out.append(Drop(Var("q", F64)))
        return Block(tuple(out), b.results)

    lent = {n: {p.var.name for p in f.params if p.mode == "read"} for n, f in linear.functions.items()}
    broken = {n: replace(f, body=conflicting(f.body, lent[n])) for n, f in linear.functions.items()}
    with pytest.raises(NotLinear, match="after its other copy was updated"):
        check_linear(replace(linear, functions=broken))


ALONE = lambda ctx, var: frozenset()
FORGETTING = {
    "the other names of an array, in updates": [(state, "aliases", ALONE), (calls, "aliases", ALONE)],
    "which copies were made": [(module, "join_aliases", lambda *a: None) for module in (state, loop_attempt, joins, calls)],
}


@pytest.mark.parametrize("what", FORGETTING)
@pytest.mark.parametrize("case", PROGRAMS)
def test_what_lowering_forgets_is_found(what, case):
    """A program that has to be refused, which lowering takes when it forgets what may be one array."""
    for place, name, instead in FORGETTING[what]:
        patch = mock.patch.object(place, name, instead)
        patch.start()
    try:
        with pytest.raises(NotLinear, match="after its other copy was updated"):
            checked(case, updated=True)
    finally:
        mock.patch.stopall()
