"""Gradients that are zero whatever the arguments are, told from those that only look so."""

import pytest
from linad_typecheck import check_source

HEAD = "import math\nimport numpy as np\nfrom jaxtyping import Float64\nfrom linad import linear_grad\n\n"


def reported(body: str, parameters: str = 'a: float, b: float, x: Float64[np.ndarray, "n"]', options: str = "") -> list[str]:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    found = check_source(f"{HEAD}{options or '@linear_grad'}\ndef f({parameters}) -> float:\n{lines}\n", "f.py")
    assert {d.slug for d in found} <= {"zero-gradient"}, found
    return [d.message.split("`")[1] for d in found]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("return math.floor(a) * b", ["a"]),
        ("return np.sign(a) * b", ["a"]),
        ("if a > 0.0:\n    return 1.0\nreturn 2.0", ["a"]),
        ("s = 0.0\nfor i in range(len(x)):\n    if x[i] > a:\n        s += 1.0\nreturn s", ["a", "x"]),
        ("s = 0.0\nwhile s < a:\n    s += 1.0\nreturn s", ["a"]),
        ("return x[int(a)] * b", ["a"]),
        ("u = np.zeros(3)\nu[0] = math.floor(a)\nv = u.copy()\nreturn v[0] * b", ["a"]),
        ("u = np.zeros(3)\nu[int(a)] = b\nreturn u[0]", ["a"]),
    ],
)
def test_zero(body, names):
    assert reported(body) == names


@pytest.mark.parametrize(
    "body",
    [
        "return a - math.floor(a)",
        "return b",  # what is not used is not told: its name already shows it
        "if a > 0.0:\n    return a * b\nreturn 2.0 * b",
        "s = 0.0\nt = a\nfor i in range(3):\n    s = t\n    t = math.floor(t)\nreturn s * b",
        "u = np.zeros(3)\nu[0] = a\nfor i in range(2):\n    u[i + 1] = u[i]\nreturn u[2] * b",
        "if a > 0.0:\n    return b\nreturn 2.0 * b",  # a is a threshold
        "s = b\nwhile abs(s) > a:\n    s = s / 2.0\nreturn s",  # a tolerance
        "return max(a, b)",
        "return abs(a) * b",
    ],
)
def test_not_zero(body):
    assert reported(body) == []


def test_through_helpers_and_updates():
    helper = "def put(u, v):\n    u[0] = math.floor(v)\n\n\ndef keep(u, v):\n    u[0] = v\n\n\n"
    text = f"{HEAD}{helper}@linear_grad\ndef f(a: float, b: float):\n    u = np.zeros(2)\n    put(u, a)\n    s = u[0]\n    keep(u, b)\n    return s + u[0]\n"
    (found,) = check_source(text, "f.py")
    assert found.slug == "zero-gradient" and "`a`" in found.message
    assert [(x.span.line, x.message) for x in found.labels] == [(7, "the derivative of `floor` is zero")]


def test_only_what_is_differentiated():
    assert reported("return math.floor(a) * b", options='@linear_grad(wrt="b")') == []
    assert reported("return math.floor(a) * b", options="@linear_grad(wrt=0)") == ["a"]


BISECTION = """from linad import linear_grad
@linear_grad
def root(c: float, low: float, high: float) -> float:
    {start}
        middle = 0.5 * (low + high)
        if {test}:
            high = middle
        else:
            low = middle
    return low
"""


@pytest.mark.parametrize("start", ["for _ in range(60):", "while high - low > 1e-9:"])
def test_a_search_by_comparisons_alone_is_told(start):
    found = check_source(BISECTION.format(start=start, test="middle * middle * middle - c > 0.0"), "program.py")
    assert [(d.slug, d.span.line) for d in found] == [("zero-gradient", 3)] and "`c`" in found[0].message
    quiet = check_source(BISECTION.format(start=start, test="middle > c"), "program.py")  # a threshold
    assert quiet == []
