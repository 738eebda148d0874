"""Custom rules: every derivative is the one that the rule says, in every mode, order and place."""

import copy
import linecache
import pickle
import warnings
from collections import Counter
from types import FunctionType

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck import check_source
from linad_typecheck.ir import core as ir

import linad
from linad import LinadError, linear_grad, pipeline
from linad.specialise import checked_or_error
from tests.examples_of import on_backends
from tests.kit import executed
from tests.transforms import custom_programs as programs

pytestmark = pytest.mark.interpreted

X = np.array([0.7, -0.4, 1.3, 0.2])
W = 0.8
BACKENDS = ("interpret", "numba")
FIRST_ORDER = ("no_gradient_for_one",)  # the rule is no second derivative of a function
CORPUS = [
    f
    for name, f in vars(programs).items()
    if isinstance(f, FunctionType) and name[0] != "_" and f.__code__.co_varnames[:2] == ("x", "w")
]


def without_rules(f):
    """The program in which functions stand that have the same derivatives without a rule."""
    return FunctionType(f.__code__, {**f.__globals__, **programs.WITHOUT}, f.__name__, f.__defaults__)


def test_there_are_programs():
    assert len(CORPUS) >= 20


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("program", "backend"), on_backends(CORPUS, 8))
def test_first_order(program, backend):
    f, g = linear_grad(program, backend=backend), linear_grad(without_rules(program), backend="interpret")
    assert f(X, W) == pytest.approx(program(X, W), rel=1e-13)
    value, (by_x, by_w) = f.value_and_grad(X, W)
    wanted, (x_bar, w_bar) = g.value_and_grad(X, W)
    assert value == pytest.approx(wanted, rel=1e-12)
    np.testing.assert_allclose(by_x, x_bar, rtol=1e-11, atol=1e-12)
    assert by_w == pytest.approx(w_bar, rel=1e-11)
    direction = np.array([1.0, -2.0, 0.5, 3.0])
    tangent = f.jvp((X, W), (direction, 0.25))[1]
    assert tangent == pytest.approx(direction @ x_bar + 0.25 * w_bar, rel=1e-11)


@pytest.mark.one_in(24)
@pytest.mark.parametrize("program", [f for f in CORPUS if f.__name__ not in FIRST_ORDER], ids=lambda f: f.__name__)
def test_second_order_in_all_ways(program):
    f, g = (linear_grad(p, backend="interpret") for p in (program, without_rules(program)))
    wanted = linad.hessian(g)(X, W)
    for outer in (linad.jacfwd, linad.jacrev):
        for inner in (linad.jacfwd, linad.jacrev):
            np.testing.assert_allclose(outer(inner(f))(X, W), wanted, rtol=1e-9, atol=1e-9, err_msg=f"{outer}({inner})")


@pytest.mark.compiled
@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["in_a_loop", "whole_arrays_of_jvp", "linear_system", "of_each_other"])
def test_third_order_compiled(name):
    program = getattr(programs, name)
    f, g = linear_grad(program), linear_grad(without_rules(program), backend="interpret")

    def third(f):
        return linad.grad(linad.grad(linad.grad(f, 1), 1), 1)(X, W)

    assert third(f) == pytest.approx(third(g), rel=1e-9)
    np.testing.assert_allclose(linad.hessian(f)(X, W), linad.hessian(g)(X, W), rtol=1e-9, atol=1e-10)


# ------------------------------------------------------------------------------------------------ where it is called


@linad.custom_vjp
def exp(x):
    return np.exp(x)


exp.defvjp(lambda x: (exp(x), x), lambda x, g: (3.0 * g * np.exp(x),))


def test_in_plain_python_it_is_the_function():
    assert exp(1.0) == np.exp(1.0) and exp.__name__ == "exp"
    assert linad.checkpoint(exp)(1.0) == np.exp(1.0)
    assert repr(exp).startswith("linad.custom_vjp(<function exp")
    assert copy.deepcopy(exp) is exp and pickle.loads(pickle.dumps(exp)) is exp


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_of_functions_take_it(backend):
    y = np.exp(0.5)
    assert linad.grad(exp)(0.5) == pytest.approx(3.0 * y)
    assert linad.value_and_grad(exp)(0.5) == pytest.approx((y, 3.0 * y))
    assert linad.jvp(exp, (0.5,), (2.0,)) == pytest.approx((y, 6.0 * y))
    value, pullback = linad.vjp(exp, 0.5)
    assert (value, *pullback(2.0)) == pytest.approx((y, 6.0 * y))
    np.testing.assert_allclose(linad.jacobian(exp)(X), np.diag(3.0 * np.exp(X)))
    assert linear_grad(exp, backend=backend).grad(0.5) == pytest.approx(3.0 * y)
    assert linear_grad(linad.checkpoint(exp), backend=backend).grad(0.5) == pytest.approx(3.0 * y)

    @linear_grad(backend=backend)
    def inside(x):
        by_grad = linad.grad(exp)(x[0])
        by_pullback = linad.vjp(exp, x)[1](np.ones(len(x)))[0][0]
        by_tangent = linad.jvp(exp, (x[0],), (1.0,))[1]
        by_linear = linad.linearize(exp, x[0])[1](1.0)
        again = linad.checkpoint(exp)(x[0])
        return by_grad + by_pullback + by_tangent + by_linear + linad.jacobian(exp)(x)[0, 0] + 3.0 * again

    assert inside(X) == pytest.approx(6 * 3.0 * np.exp(X[0]))
    assert inside.grad(X)[0] == pytest.approx((5 * 3.0 + 9.0) * np.exp(X[0]))


def test_a_rule_that_changes_is_noticed():
    @linad.custom_vjp
    def f(x):
        return x * x

    g = linear_grad(lambda x: f(x) + x)
    with pytest.raises(LinadError, match=r"`f` has no rule yet"):
        g.grad(2.0)
    f.defvjp(lambda x: (f(x), x), lambda x, g: (2.0 * x * g,))
    assert g.grad(2.0) == 5.0 and linad.grad(f)(2.0) == 4.0
    f.defvjp(lambda x: (f(x), x), lambda x, g: (20.0 * x * g,))
    assert g.grad(2.0) == 41.0 and linad.grad(f)(2.0) == 40.0


def test_a_function_of_a_script_travels_with_its_rule():
    space = {"__name__": "__main__", "linad": linad, "np": np}
    text = (
        "@linad.custom_vjp\ndef f(x, k=1):\n    return x * x if k == 0 else f(x, k - 1)\n"
        "def forward(x, k):\n    return f(x, k), x\ndef backward(x, g):\n    return 7.0 * x * g, None\n"
        "f.defvjp(forward, backward)\n"
        "@linad.linear_grad\ndef g(x):\n    return f(x) + x\n"
    )
    linecache.cache["<a script with a rule>"] = (len(text), None, text.splitlines(True), "<a script with a rule>")
    exec(compile(text, "<a script with a rule>", "exec"), space)
    again = pickle.loads(pickle.dumps(space["g"]))
    assert again.grad(2.0) == space["g"].grad(2.0) == 15.0


@pytest.mark.parametrize(
    "options", [{"update": "pure"}, {"parallel": True}, {"fastmath": False}, {"boundscheck": False}]
)
def test_options(options):
    f = linear_grad(programs.several, **options)
    wanted = linear_grad(without_rules(programs.several), backend="interpret").grad(X, W)
    np.testing.assert_allclose(f.grad(X, W)[0], wanted[0], rtol=1e-11)


def test_float32_and_ints():
    @linad.custom_vjp
    def scaled(x, k, flags):
        return k * x * flags

    scaled.defvjp(
        lambda x, k, flags: (scaled(x, k, flags), (k, flags)),
        lambda kept, g: (g * np.float32(2.0) * kept[1], None, None),
    )
    x, flags = np.array([1.0, 2.0], np.float32), np.array([True, False])
    f = linear_grad(lambda x, k, flags: np.sum(scaled(x, k, flags)), backend="interpret")
    assert f.grad(x, 3, flags).dtype == np.float32
    np.testing.assert_array_equal(f.grad(x, 3, flags), [2.0, 0.0])
    np.testing.assert_array_equal(linear_grad(f.py_func).grad(x, 3, flags), [2.0, 0.0])


def test_nothing_is_kept_that_is_still_there():
    def whole(x):
        return np.sum(exp(x))

    def overwritten(x):
        u = x.copy()
        y = exp(u)
        u[0] = 0.0
        return np.sum(y)

    def annotated(x: Float64[np.ndarray, "n"]) -> float:
        return np.sum(exp(x))

    x = np.ones(100)
    assert linad.cost(whole, x).log_words <= 2
    assert linad.cost(overwritten, x).log_words >= 100
    remark = next(r for r in linad.explain(linear_grad(annotated)).remarks if r.kind == "call")
    assert remark.text == "of exp, whose derivative is that of its rule: x is read again"


def smoothed(x: Float64[np.ndarray, "n"]) -> float:
    y = np.real(np.fft.ifft(np.exp(-np.fft.fftfreq(x.size)) * np.fft.fft(x)))
    return np.sum(np.abs(np.fft.fft(y * y)) + np.abs(np.fft.ifft(y)))


def test_a_long_function_with_a_rule_is_not_repeated():
    """Both sweeps call the two transforms, with either sign of the exponent: calls do not copy them."""
    f = linear_grad(smoothed, backend="interpret")
    s = f.specialisation((X,))
    program = checked_or_error(s.record, s.binding, s.options).program
    gradient = pipeline.differentiate(pipeline.prepare(program), ("x",)).simplified
    for one in (pipeline.prepare(program, rules=False), pipeline.inline_rules(gradient)):
        called = Counter(c.callee for f in one.functions.values() for c in ir.walk(f.body) if isinstance(c, ir.Call))
        assert set(called) == set(one.functions) - {one.entry}
        assert len(called) == 2 and min(called.values()) >= 2


def test_no_warning_of_a_gradient_that_the_rule_gives():
    @linad.custom_vjp
    def rounded(x):
        return np.round(x)

    rounded.defvjp(lambda x: (rounded(x), None), lambda _, g: (g,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = linear_grad(lambda x: rounded(x) * 2.0)
        assert (f(1.7), f.grad(1.7)) == (4.0, 2.0)


# -------------------------------------------------------------------------------------------------------- refusals


def refused(f, *args) -> str:
    with pytest.raises(LinadError) as error:
        f(*args)
    return str(error.value)


def test_no_derivative_by_what_the_rule_leaves_out():
    f = linad.custom_vjp(lambda x, c: x * c, nondiff_argnums="c")
    f.defvjp(lambda x, c: (f(x, c), None), lambda c, _, g: (g * c,))
    assert linad.grad(f)(2.0, 3.0) == 3.0
    for of in (linad.grad, linad.jacfwd):
        assert "by `c`, which is in its `nondiff_argnums`" in refused(of(f, 1), 2.0, 3.0)
    g = linear_grad(lambda x: applied_to_captured(x))
    assert "nondiff_argnums" in refused(g.grad, 2.0)


def applied_to_captured(x):
    return programs.applied(lambda u: u * x, 1.0, 2)


def test_a_rule_that_needs_its_own_derivative():
    @linad.custom_vjp
    def f(x):
        return x * x

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * linad.grad(f)(x),))
    assert "`f`, whose rule needs that derivative itself" in refused(linad.grad(f), 2.0)

    @linad.custom_jvp
    def double(x):
        return 2.0 * x

    double.defjvp(lambda primals, tangents: (double(primals[0]), double(tangents[0])))
    assert linad.jvp(double, (1.0,), (3.0,)) == (2.0, 6.0)
    assert "`double`, whose rule needs that derivative itself" in refused(linad.grad(double), 2.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_are_checked(backend):
    @linad.custom_vjp
    def total(x):
        return np.sum(x)

    def backward(n, g):
        return (np.full(n - 1, g),)

    total.defvjp(lambda x: (total(x), len(x)), backward)
    f = linear_grad(lambda x: total(x) * 2.0, backend=backend)
    assert f(X) == pytest.approx(2.0 * X.sum())
    told = r"`backward` returns a gradient by `x` of size 3 along axis 0, but `x` has size 4"
    for call in (f.grad, linad.jacfwd(f)):
        with pytest.raises(ValueError, match=told):
            call(X)

    @linad.custom_jvp
    def same(x):
        return x * 1.0

    same.defjvp(lambda primals, tangents: (same(primals[0]), tangents[0][1:]))
    g = linear_grad(lambda x: np.sum(same(x)), backend=backend)
    for call in (g.grad, linad.jacfwd(g)):
        with pytest.raises(ValueError, match=r"returns a tangent of size 3 along axis 0, but the value has size 4"):
            call(X)


def test_what_is_no_rule():
    assert "takes functions, got an int" in refused(exp.defvjp, 3, 4)
    assert "linad takes a function, got an int" in refused(linad.custom_vjp, 3)
    assert "there is no parameter 3; it has x" in refused(lambda: linad.custom_vjp(lambda x: x, nondiff_argnums=3))


# -------------------------------------------------------------------------------------------- linear, and what is not

LINEAR = [
    "2.0 * g - g / x", "np.where(x > 0.0, g, 0.0)", "0.0", "-(g * np.sin(x)) + np.float64(0.0)", "sum_of(g, x)",
    "g if x > 0.0 else 3.0 * g", "linad.jvp(np_sin, (x,), (g,))[1]", "into_array(g, x)[1]", "exp(x) * g",
]  # fmt: skip
OTHERS = [
    ("g * g", "a product of two parts of it"), ("g + x", "adds what does not depend on it"), ("1.0", "and is not zero"),
    ("x / g", "divides by it"), ("np.sin(g)", "`sin` is not linear"),
    ("x if g > 0.0 else 0.0 * g", "decides something"),
    ("np.maximum(g, 0.0)", "`maximum` is not linear"), ("g if x > 0.0 else 1.0", "and another one does"),
    ("float(int(g))", "decides something"), ("exp(g)", "is not linear"),
    ("linad.grad(np_sin)(g)", "at a point that depends on it"),
    ("into_array(g + 1.0, x)[0]", "adds what does not depend"), ("abs(g)", "`abs` is not linear"),
]  # fmt: skip
TEXT = """
import numpy as np
import linad
from linad import linear_grad

@linad.custom_vjp
def exp(x):
    return np.exp(x)
exp.defvjp(lambda x: (exp(x), x), lambda x, g: (g * np.exp(x),))

def np_sin(x):
    return np.sin(x)

def sum_of(g, x):
    total = 0.0
    for k in range(3):
        total += g * x * k
    return total

def into_array(g, x):
    a = np.zeros(2)
    a[0] = g
    a[1] += x * a[0]
    return a

@linad.custom_vjp
def f(x):
    return x * x

def backward(x, g):
    return ({},)

f.defvjp(lambda x: (f(x), x), backward)

@linear_grad
def entry(x: float) -> float:
    return f(x)
"""


@pytest.mark.parametrize("expression", LINEAR)
def test_linear(expression):
    assert check_source(TEXT.format(expression)) == []


@pytest.mark.parametrize("expression,why", OTHERS)
def test_not_linear(expression, why):
    """Such a backward function is called in reverse mode; forward mode would need its transpose."""
    text = TEXT.format(expression)
    assert check_source(text) == []
    names = executed(text, {})
    given = {"x": 0.7, "g": 1.3}
    _, pullback = names["entry"].vjp(given["x"])
    assert pullback(given["g"]) == (pytest.approx(eval(expression, names, given)),)
    told = refused(names["entry"].jvp, (given["x"],), (given["g"],))
    assert "no derivative of `f` in forward mode" in told and why in told and "not-linear" in told


@linad.custom_vjp
def clipped(x, most: float):
    """JAX's example, of vectors: the identity, with a gradient that is no longer than `most`."""
    return x


clipped.defvjp(
    lambda x, most: (x, most), lambda most, g: (g * np.minimum(1.0, most / np.sqrt(np.sum(g * g))), None)
)
ROWS = np.arange(1.0, 13.0).reshape(3, 4)


def rows(x):
    return ROWS @ clipped(x, 1.0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_clipped_gradient(backend):
    short = ROWS / np.linalg.norm(ROWS, axis=1)[:, None]

    @linear_grad(backend=backend)
    def of_squares(x):
        return np.sum(np.sin(clipped(x, 1.0)))

    @linear_grad(backend=backend)
    def twice_in_a_loop(x):
        total = 0.0
        for _ in range(2):
            total += np.sum(3.0 * clipped(x, 1.0))
        return total

    np.testing.assert_allclose(twice_in_a_loop.grad(X), np.ones(4))  # each call has a cotangent of its own
    for matrix in (linad.jacrev(rows)(X), linad.vmap(linad.vjp(rows, X)[1])(np.eye(3))[0]):
        np.testing.assert_allclose(matrix, short)
    np.testing.assert_allclose(linad.vmap(linad.grad(lambda x, a: a @ clipped(x, 1.0)), (None, 0))(X, ROWS), short)
    slope = np.cos(X)
    along = np.diag(-np.sin(X)) @ (np.eye(4) - np.outer(slope, slope) / (slope @ slope)) / np.linalg.norm(slope)
    gradient = linad.grad(of_squares)
    for second in (linad.hessian(of_squares), linad.jacrev(linad.jacrev(of_squares)), linad.jacfwd(gradient)):
        np.testing.assert_allclose(second(X), along.T, atol=1e-12)
    np.testing.assert_allclose(of_squares.hvp((X,), (W * X,)), along.T @ (W * X))

    @linear_grad(backend=backend)
    def inside(x):
        return np.sum(linad.jacrev(rows)(x) * ROWS)

    assert inside(X) == pytest.approx(np.sum(np.linalg.norm(ROWS, axis=1))) and not inside.grad(X).any()


def test_what_a_clipped_gradient_has_not():
    for of in (linad.jacfwd(rows), lambda x: linad.linearize(rows, x), lambda x: linad.jvp(rows, (x,), (x,))):
        assert "`clipped` in forward mode, because its backward function is not linear" in refused(of, X)
    assert "`clipped` as a sparse matrix" in refused(linad.jacobian(rows, sparsity=True, mode="rev"), X)
    assert "`clipped` as a sparse matrix" in refused(linad.sparsity(rows), X)
    inside = linear_grad(lambda x: np.sum(linad.linear_transpose(rows, x)(np.ones(3))[0]))
    for of in (lambda x: linad.linear_transpose(rows, x), inside):
        assert "`rows` is not linear in its float arguments" in refused(of, X)

    def through(x: Float64[np.ndarray, "n"]) -> float:
        return np.sum(clipped(x, 1.0))

    (told,) = [r.text for r in linad.explain(linear_grad(through)).remarks if r.kind == "call"]
    assert told.endswith("is kept; only in reverse mode: a product of two parts of it")
    nested = linad.custom_vjp(lambda x: 2.0 * x)  # its backward function calls one whose own is not linear
    nested.defvjp(lambda x: (2.0 * x, None), lambda _, g: (2.0 * clipped(g, 1.0),))
    np.testing.assert_allclose(linad.vjp(nested, X)[1](X), (2.0 * X,))
    assert "a product of two parts" in refused(lambda x: linad.jvp(nested, (x,), (x,)), X)


@pytest.mark.parametrize(
    "rule,told",
    [
        ("f.defvjp(lambda x: f(x), lambda x, g: (g,))", "not the value of `f` and the residuals"),
        ("f.defvjp(lambda x: (1, x), lambda x, g: (g,))", "returns int as the value, where `f` returns"),
        ("f.defvjp(lambda x: (f(x), x), lambda x, g: g)", "not a tuple with a gradient for each of (x,)"),
        ("f.defvjp(lambda x: (f(x), x), lambda x, g: (g, g))", "not a tuple with a gradient for each of (x,)"),
        ("f.defvjp(lambda x: (f(x), x), lambda x, g: (np.ones(2) * g,))", "as the gradient by `x`, which is"),
        ("f.defvjp(lambda x: (f(x), x), lambda g: (g,))", "is to take the residuals and a cotangent"),
        ("f.defvjp(lambda x, y: (f(x), x), lambda x, g: (g,))", "is to take what `f` takes"),
        (
            "f.defvjp(lambda x: (f(x), x), lambda x, g: (g * W[0],))",
            "reads the array `W` of the module, which `f` does not",
        ),
        ("", "`f` has no rule yet"),
    ],
)
def test_bad_rules_are_told_where_they_stand(rule, told):
    text = (
        "import numpy as np\nimport linad\nfrom linad import linear_grad\nW = np.ones(3)\n"
        f"@linad.custom_vjp\ndef f(x):\n    return x * x\n{rule}\n"
        "@linear_grad\ndef entry(x: float) -> float:\n    return f(x)\n"
    )
    found = check_source(text)
    assert [d.slug for d in found] == ["bad-rule"] and told in found[0].message
    assert found[0].span.line == (8 if rule else 6)


def test_the_text_alone_tells_rules_in_all_their_forms():
    head = "import functools\nimport numpy as np\nimport linad\nfrom linad import linear_grad, custom_vjp\n"
    forms = [
        "@functools.partial(linad.custom_vjp, nondiff_argnums=(1,))\ndef f(x, n):\n    return x * x\n",
        "@linad.custom_vjp(nondiff_argnums='n')\ndef f(x, n):\n    return x * x\n",
        "def plain(x, n):\n    return x * x\nf = custom_vjp(plain, nondiff_argnums=(-1,))\n",
    ]
    rest = "f.defvjp(lambda x, n: (f(x, n), x), lambda n, x, g: ({},))\n"
    rest += "@linear_grad\ndef e(x: float) -> float:\n    return f(x, 2)\n"
    for form in forms:
        assert check_source(head + form + rest.format("g * n")) == []
        assert [d.slug for d in check_source(head + form + rest.format("g * g, None"))] == ["bad-rule"]
    jvp = "@linad.custom_jvp\ndef f(x):\n    return x\n"
    jvp += "@f.defjvp\ndef rule(primals, tangents):\n    return f(primals[0]), {}\n"
    entry = "@linear_grad\ndef e(x: float) -> float:\n    return f(x)\n"
    assert check_source(head + jvp.format("tangents[0]") + entry) == []
    assert [d.slug for d in check_source(head + jvp.format("1.0") + entry)] == ["not-linear"]
