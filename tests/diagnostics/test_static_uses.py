"""Functions that are given to `linear_grad` by a call, wherever the call stands, are found and checked."""

import pytest
from linad_typecheck import check_source
from linad_typecheck.findings import check_text

HEAD = """\
import functools
import numpy as np
import linad
from jaxtyping import Float64
from linad import grad, linear_grad, value_and_grad
from linad import linear_grad as lg

Vec = Float64[np.ndarray, "n"]


def bad(x: Vec) -> float:
    x[0] = 1.0
    return x[0]


"""
FOUND = {
    "assigned": "g = linear_grad(bad)",
    "with options": "g = linear_grad(bad, wrt='x')",
    "options first": "g = linear_grad(wrt='x')(bad)",
    "a name for the options": "mark = functools.partial(lg, wrt='x')\ng = mark(bad)",
    "inside a function": "def make():\n    return lg(bad)",
    "called at once": "def use(x):\n    print(linear_grad(bad)(x))",
    "in a method": "class A:\n    def run(self, x):\n        return linad.linear_grad(bad)(x)",
    "in a class": "class A:\n    f = staticmethod(lg(bad))",
    "grad": "g = grad(bad)",
    "grad at once": "print(linad.grad(bad)(np.ones(3)))",
    "value and grad": "for _ in range(3):\n    v, g = value_and_grad(bad, argnums=0)(np.ones(3))",
    "vjp": "with open('x') as f:\n    y, pull = linad.vjp(bad, np.ones(3))",
    "a list of them": "all = [lg(f) for f in (bad,)]",
    "a table of them": "all = {'a': lg(bad)}",
    "a default": "def use(x, g=lg(bad)):\n    return g(x)",
    "a lambda": "g = lg(lambda x: x.fil(0.0))",
    "a conditional import": (
        "try:\n    from linad import linear_grad as maybe\nexcept ImportError:\n    maybe = lambda f: f\ng = maybe(bad)"
    ),
    "a local import": "def use(x):\n    from linad import linear_grad as here\n    return here(bad)(x)",
    "a function of a class body": "class A:\n    def h(x: Vec) -> float:\n        x[0] = 2.0\n        return x[0]\n    g = lg(h)",
    "in a match": "match 1:\n    case 1:\n        g = lg(bad)",
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    report = check_text(HEAD + FOUND[name])
    assert report.functions == 1
    slugs = {d.slug for d in report.diagnostics}
    assert slugs == {"argument-updated"} or name == "a lambda", report


NOT_FOUND = {
    "another function of the name": "def linear_grad(f):\n    return f\ng = linear_grad(bad)",
    "another module's": "from jax import grad\ng = grad(bad)",
    "a parameter": "def use(bad):\n    return lg(bad)",
    "a comprehension's own name": "def use(them):\n    return [lg(bad) for bad in them]",
    "a string": "text = 'linear_grad(bad)'",
    "nothing given": "g = linear_grad()",
    "a method of an object": "class A:\n    def run(self, x):\n        return lg(self.bad)(x)",
    "starred": "g = linear_grad(*[bad])",
}


@pytest.mark.parametrize("name", NOT_FOUND)
def test_not_found(name):
    report = check_text(HEAD + NOT_FOUND[name])
    assert (report.functions, report.diagnostics) == (0, ())


def test_options_of_the_call_count():
    assert check_source(HEAD + "g = linear_grad(bad, updates=('x',))") == []
    assert check_source(HEAD + "g = lg(updates=('x',))(bad)") == []
    both = check_text(HEAD + "g = linear_grad(bad, updates=('x',))\nh = linear_grad(bad)")
    assert [d.slug for d in both.diagnostics] == ["argument-updated"] and both.functions == 1


def test_derivatives_inside_a_decorated_function_are_checked_with_it():
    text = HEAD.replace("x[0] = 1.0", "pass").replace("Vec) -> float:\n    pass", "Vec) -> float:")
    text += "@linear_grad\ndef f(x: Vec) -> float:\n    return grad(bad)(x)[0]\n"
    assert check_text(text).functions == 1


def test_functions_of_other_files(tmp_path):
    (tmp_path / "model.py").write_text("def loss(x: float) -> float:\n    return x * nothing\n")
    user = "from model import loss\nfrom linad import linear_grad\n\ng = linear_grad(loss)\n"
    (found,) = check_source(user, str(tmp_path / "user.py"))
    assert found.slug == "unknown-name" and found.span.file.endswith("model.py")


def test_a_call_in_a_differentiated_function_uses_the_options():
    text = HEAD.replace("x[0] = 1.0", "x[0] = 2.0") + (
        "step = linear_grad(updates=('x',))(bad)\n\n\n@linear_grad\ndef f(x: Vec) -> float:\n"
        "    u = x.copy()\n    return step(u) + u[0]\n"
    )
    assert check_source(text) == []
