"""Dimension arithmetic against the integers."""

from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.infer.affine import Affine, atom, compare, constant, difference, multiply

NAMES = ("n", "d", "k")
sizes = st.builds(
    lambda c, terms: sum((atom(a) * q for a, q in terms.items()), constant(c)),
    st.integers(-5, 5),
    st.dictionaries(st.sampled_from(NAMES), st.integers(-3, 3)),
)
values = st.fixed_dictionaries({a: st.integers(-4, 9) for a in NAMES})


def at(size: Affine, env: dict[str, int]) -> int:
    number = size.substitute(env).value
    assert number is not None
    return number


@given(sizes, sizes, st.integers(-4, 4), values)
def test_arithmetic_is_that_of_the_values(a, b, factor, env):
    assert at(a + b, env) == at(a, env) + at(b, env)
    assert at(a - b, env) == at(a, env) - at(b, env)
    assert at(a * factor, env) == at(a, env) * factor
    assert at(3 - a, env) == 3 - at(a, env)


@given(sizes, sizes)
def test_normal_form_makes_equality_structural(a, b):
    assert (a + b) - b == a
    assert all(coeff for _, coeff in (a + b).terms)


@given(sizes, sizes, values)
def test_relations_hold_for_all_values(a, b, env):
    match compare(a, b):
        case "equal":
            assert at(a, env) == at(b, env)
        case "unequal":
            assert at(a, env) != at(b, env)
        case _:
            assert difference(a, b) is None


def test_substitution_is_simultaneous():
    swapped = (atom("n") + 2 * atom("d")).substitute({"n": atom("d"), "d": atom("n")})
    assert swapped == atom("d") + 2 * atom("n")


def test_text():
    assert str(atom("n") - 1) == "n-1"
    assert str(1 - atom("n")) == "-n+1"
    assert str(2 * atom("k") - atom("a") + 3) == "2*k-a+3"
    assert str(constant(0)) == "0"


def test_products_need_a_number():
    assert multiply(constant(2), atom("n")) == 2 * atom("n")
    assert multiply(atom("n"), atom("n")) is None
