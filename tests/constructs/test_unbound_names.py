"""A name without a value raises what it raises in Python, wherever it stands: in a function, a generator, a nested function."""

import numpy as np
import pytest

from linad import LinadError, linear_grad
from linad.testing import check_grads
from linad_typecheck import check_source
from tests.kit import load
from tests.two_roads import HEADER, imported, program

pytestmark = pytest.mark.filterwarnings("ignore::linad.LinadWarning")
START = "if k > 2:\n    y = x[0]\n    m = 2\n"
BODIES = {
    "in the function": ("return y * x[0]", "UnboundLocalError"),
    "in a generator": ("return sum(y * i for i in range(3)) + x[0]", "NameError"),
    "in the array of a list": ("return np.array([y * e for e in x]).sum()", None),
    "in a generator in a generator": ("return sum(sum(i * y for j in range(m)) for i in range(3)) + x[0]", "NameError"),
    "in a condition of a generator": ("return sum(e for e in x if e > y)", "NameError"),
    "in any": ("return x[0] if any(y > i for i in range(3)) else x[1]", "NameError"),
    "in what a generator runs over": ("return sum(i * x[0] for i in range(m))", "UnboundLocalError"),
    "in what the second loop of a generator runs over": ("return sum(i * x[0] for i in range(2) for j in range(m))", "NameError"),
    "in a lambda": ("g = lambda z: z * y\nreturn g(x[0])", "NameError"),
    "in a nested function": ("def g(z):\n    return z * y\nreturn g(x[0])", "NameError"),
    "in a lambda in a lambda": ("g = lambda z: (lambda v: v * y)(z)\nreturn g(x[0])", "NameError"),
    "in a nested function that calls itself": (
        "def g(z, j):\n    if j == 0:\n        return y\n    return z * g(z, j - 1)\nreturn g(x[0], 2)", "NameError",
    ),
    "in a function that is passed": ("return linad.fold(lambda s, e: s + e * y, 0.0, x)", "NameError"),
    "in a nested function, on a path that is not taken": ("g = lambda z, j: z if j < 9 else z * y\nreturn g(x[0], k)", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_the_exception_is_that_of_python(tmp_path, name):
    body, error = BODIES[name]
    x = np.array([0.5, 1.5])
    with imported(tmp_path, program("import linad", START + body, "x: F1, k: int")) as module:
        f = module.f
        np.testing.assert_allclose(f(x, 3), f.py_func(x, 3))
        if error is None and "path" in name:
            assert f(x, 1) == f.py_func(x, 1)
            return
        for call in (f, f.grad):
            with pytest.raises(NameError) as mine:
                call(x, 1)
            with pytest.raises(NameError) as theirs:
                f.py_func(x, 1)
            assert type(mine.value) is type(theirs.value) and str(mine.value).startswith(str(theirs.value))
            assert error in (None, type(mine.value).__name__)


def test_the_warning_names_the_exception():
    text = HEADER + "@linear_grad\ndef f(x: float, k: int):\n    if k > 2:\n        y = x\n    return {}\n"
    labels = [check_source(text.format(e))[0].label for e in ("y", "sum(y * i for i in range(3))")]
    assert labels == ["raises UnboundLocalError where it is", "raises NameError where it is"]


RETURNS_FROM_INNER_LOOPS = {
    "a number bound behind the loop": """
b = 7.0
for i in range(k):
    for j in range(2):
        if x[j] * i > 2.9:
            return x[0] * b
    b = b * x[0]
return x[1] + b
""",
    "a flag": """
b = 0
for i in range(k):
    if b:
        for j in range(2):
            if x[j] > 1.0:
                return x[j] * x[j]
    b = 1
return x[0]
""",
}


@pytest.mark.parametrize("name", RETURNS_FROM_INNER_LOOPS)
def test_a_return_from_an_inner_loop_leaves_no_name_undefined(tmp_path, name):
    text = program("import linad", RETURNS_FROM_INNER_LOOPS[name].strip(), "x: F1, k: int")
    assert check_source(text) == []
    x = np.array([0.5, 1.5])
    with imported(tmp_path, text) as module:
        for k in (1, 4):
            assert module.f(x, k) == module.f.py_func(x, k)
            check_grads(module.f, (x, k))


def test_an_array_of_the_last_iteration_is_read_in_an_inner_loop(tmp_path):
    body = """
s = 0.0
for i in range(k):
    for j in range(2):
        if i > 0 and late[j] > 0.1:
            s += late[j] * x[j]
    late = x * i
return s
"""
    text = program("import linad", body.strip(), "x: F1, k: int")
    assert {d.slug for d in check_source(text)} == {"maybe-undefined"}
    x = np.array([0.5, 1.5])
    with imported(tmp_path, text) as module:
        assert module.f(x, 4) == module.f.py_func(x, 4)
        check_grads(module.f, (x, 4))


# A module may have a name, too, that a nested function has from the function around it.
OF_THE_MODULE = "import numpy as np\n\nk = 35.0\n\ndef app(g, t):\n    return g(t)\n\n"
HIDDEN = {
    "the variable of a comprehension that is over": "fs = [lambda t: t * k for k in (1.0, 2.0)]\nreturn fs[0](x[0])",
    "one that hides a variable of the function": "k = 3.0\nfs = {k: (lambda t: t * k) for k in (1, 2)}\nreturn fs[1](x[0]) * k",
    "a deleted one": "k = 3.0\ng = lambda t: t * k\ndel k\nreturn g(x[0])",
}
SEEN = {
    "a variable that a comprehension hides": "k = 3.0\ng = lambda t: t * k\nreturn sum([g(v) for k, v in zip((1.0, 2.0), x)])",
    "inside the comprehension": "return sum([app(lambda t: t * k, v) for k, v in zip((1.0, 2.0), x)])",
    "as a default, in a comprehension": "fs = [lambda t, k=k: t * k for k in range(3)]\nreturn fs[1](x[0]) + fs[2](x[1])",
    "as a default that is given another value": "k = 2\ng = lambda t, *, k=k, m=2 * k: t * k * m\nk = 3\nreturn g(x[0]) * k",
    "as the default of one that is called at once": "return np.sum([(lambda t, k=k: t * k)(x[0]) for k in (1.0, 2.0)])",
    "after another comprehension": "k = 3.0\ng = lambda t: t * k\ns = sum([v * k for k, v in zip((1.0, 2.0), x)])\nreturn s * g(x[0])",
}


def of_body(body):
    return load(f"{OF_THE_MODULE}def f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n")))


@pytest.mark.parametrize("name", HIDDEN)
def test_a_name_of_the_module_does_not_stand_for_a_variable(name):
    with pytest.raises(LinadError, match="has no value or is hidden"):
        linear_grad(of_body(HIDDEN[name]), backend="interpret")(np.array([0.5, 1.5]))


@pytest.mark.parametrize("name", SEEN)
def test_a_nested_function_sees_the_variable_that_python_sees(name):
    f = of_body(SEEN[name])
    x = np.array([0.5, 1.5])
    assert linear_grad(f, backend="interpret")(x) == f(x)


LEFT = """
for i in range(len(x)):
    if x[i] > 2.0:
        {}break
    if x[i] > 0.5:
        y = x[i]
        break
else:
    {}
return y
"""


@pytest.mark.parametrize(("before", "otherwise", "warns"), [
    ("y = 1.0; ", "y = 0.0", False), ("y = 1.0; ", "raise ValueError('none')", False), ("y = 1.0; ", "return 0.0", False),
    ("", "y = 0.0", True), ("y = 1.0; del y; ", "y = 0.0", True), ("", "return 0.0", True),
])  # fmt: skip
def test_what_a_break_leaves_bound_is_bound(before, otherwise, warns):
    text = program("import linad", LEFT.format(before, otherwise).strip(), "x: F1, k: int")
    assert [d.slug for d in check_source(text)] == ["maybe-undefined"] * warns
