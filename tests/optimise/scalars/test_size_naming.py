"""Sizes known from where arrays come from, and from checks: what is folded, and that nothing is taken for known too early."""

from __future__ import annotations

import numpy as np
import pytest
from linad_typecheck.ir.core import Check, Dim, Let, walk
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.ir.text import parse_program

from linad.interpret import CoreError, run
from linad.optimise.phases import simplify
from tests.properties.roads import Whole

X = np.array([0.5, -1.0, 2.0])


def program(f, *args):
    whole = Whole(f, args)
    assert not whole.errors
    return whole, simplify(whole.prepared)


def dims(p, of: str = "") -> list[Dim]:
    return [s for s in walk(p.main.body) if isinstance(s, Dim) and s.array.name.startswith(of)]


def carried(x, k):
    a, b = np.zeros(3), np.ones(3)
    for _ in range(k):
        c = a * x[0]
        a, b = b + c, a
    d = a * 2.0 if k > 2 else np.ones(3)
    return d.sum() + len(d) + len(b)


def grows(x, k):
    a = np.zeros(3)
    for _ in range(k):
        a = np.concatenate((a, x))
    return a.sum() + len(a)


def shrinks_at_once(x, k):
    a = np.ones(3)
    b = np.ones(2)
    for _ in range(k):
        a, b = b * x[0], a
    return len(a) + 10.0 * len(b) + a.sum()


@pytest.mark.parametrize("f", [carried, grows, shrinks_at_once], ids=lambda f: f.__name__)
@pytest.mark.parametrize("k", [0, 1, 4])
def test_values_stay(f, k: int) -> None:
    whole, simple = program(f, X, k)
    assert whole.run(simple)[0] == pytest.approx(f(X, k))


def test_what_a_loop_carries_or_two_arms_make_has_sizes() -> None:
    _, simple = program(carried, X, 4)
    assert not dims(simple)


def test_what_a_loop_makes_longer_has_none() -> None:
    _, simple = program(grows, X, 4)
    assert dims(simple, "a")


def checked(x, y, k):
    total = 0.0
    if k > 0:
        total = (x + y).sum()
    return total + x.shape[0] + 100.0 * y.shape[0]


@pytest.mark.parametrize("k", [0, 1])
def test_equality_found_in_an_arm_is_not_known_behind_it(k: int) -> None:
    longer = np.ones(5)
    whole, simple = program(checked, X, longer, k)
    if k:
        with pytest.raises(CoreError, match="ValueError"):
            whole.run(simple)
    else:
        assert whole.run(simple)[0] == checked(X, longer, k)


AFTER_A_CHECK = """entry fn f(v: read f64[:]) -> f64 {
n = dim &v 0
c = eq n 3
check c else ValueError "size {0}" (n)
m = min n 5
d: f64 = cast m
return d
}
"""


def test_a_check_makes_a_size_a_constant() -> None:
    simple = simplify(parse_program(AFTER_A_CHECK))
    assert simple.main.body.results[0].value == 3.0
    assert [s for s in walk(simple.main.body) if isinstance(s, Check)]
    assert not [s for s in walk(simple.main.body) if isinstance(s, Let) and s.op == "min"]
    assert list(run(simple, [X]).results) == [3.0]
    with pytest.raises(CoreError, match="size 2"):
        run(simple, [X[:2]])


def test_sizes_of_parameters_are_not_made_up() -> None:
    assert "v" not in known_sizes(parse_program(AFTER_A_CHECK).main)


FOUND_IN_THE_LOOP = """entry fn f(v: read f64[:], n: i64, k: i64) -> f64 {{
m = dim &v 0
a = alloc f64 [n] fill 1.0
for i in range(k) carry (b: f64[:] = a) -> (b.2) {{
same = eq n m
{test}
c = alloc f64 [m] fill 2.0
drop b
yield c
}}
s = load &b.2 [0]
size = dim &b.2 0
d: f64 = cast size
t = add s d
return t
}}
"""
ARMS = """odd = gt i 0
if odd {
check same else ValueError "size {0}" (n)
}"""
AROUND = """for j in range(i) {
check same else ValueError "size {0}" (n)
}"""


@pytest.mark.parametrize(
    ("test", "known"),
    [("check same else ValueError \"size {0}\" (n)", True), ("", False), (ARMS, False), (AROUND, False)],
    ids=["found", "not asked", "in an arm", "in a loop"],
)
def test_a_test_in_a_loop_says_that_sizes_stay(test: str, known: bool) -> None:
    p = parse_program(FOUND_IN_THE_LOOP.format(test=test))
    assert ("b" in known_sizes(p.main)) == known
    simple = simplify(p)
    assert list(run(simple, [X, 3, 2]).results) == [5.0]
    assert list(run(simple, [X, 2, 0]).results) == [3.0]
    if known:
        with pytest.raises(CoreError, match="size 2"):
            run(simple, [X, 2, 1])
    else:
        assert list(run(simple, [X, 2, 1]).results) == [5.0]
