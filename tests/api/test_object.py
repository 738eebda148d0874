"""The decorated function as a Python object."""

import copy
import inspect
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.deep import deep
from numba import njit

import linad
from linad import LinadError, linear_grad

from tests.kit import load


@linear_grad
def product(x: float, y: float = 2.0) -> float:
    """Multiply."""
    return x * y


def plain(x: float) -> float:
    return x * x


checked = linear_grad(plain)


def test_it_looks_like_the_function():
    assert product.__name__ == "product" and product.__doc__ == "Multiply." and product.__module__ == __name__
    assert str(inspect.signature(product)) == "(x: float, y: float = 2.0) -> float"
    assert product.__wrapped__ is product.py_func and callable(product)
    assert repr(product) == "<linear_grad product(x: float, y: float = 2.0) -> float>"


def test_arguments_bind_as_in_python():
    assert product(3.0) == 6.0 and product(y=4.0, x=3.0) == 12.0 and product.grad(3.0) == (2.0, 3.0)
    for args, kwargs in [((), {}), ((1.0, 2.0, 3.0), {}), ((1.0,), {"z": 1.0}), ((1.0,), {"x": 1.0})]:
        with pytest.raises(TypeError, match=r"product\(\): "):
            product(*args, **kwargs)


def test_copies_and_pickles():
    assert copy.deepcopy(product) is product and copy.copy(product) is product
    assert pickle.loads(pickle.dumps(product)) is product
    assert pickle.loads(pickle.dumps(checked)).grad(3.0) == 6.0
    pullback = checked.vjp(3.0)[1]
    assert copy.deepcopy(pullback) is pullback and pullback(1.0) == (6.0,)


def test_methods_are_refused():
    with pytest.raises(LinadError, match="is a method"):

        class Model:
            @linear_grad
            def loss(self, x: float) -> float:
                return x

    class Holder:
        f = product

        @staticmethod
        @linear_grad
        def g(x: float) -> float:
            return 2.0 * x

    assert Holder.f is product and Holder().g(1.0) == 2.0
    with pytest.raises(LinadError, match="staticmethod"):
        Holder().f(1.0)


@pytest.mark.parametrize("bad", [3, "text", int, len, np.sin, print])
def test_only_functions_are_taken(bad):
    with pytest.raises(LinadError, match="takes a function"):
        linear_grad(bad)


def test_a_bound_method_is_refused_as_one():
    class Holder:
        def g(self, x: float) -> float:
            return 2.0 * x

    with pytest.raises(LinadError, match="is a method"):
        linear_grad(Holder().g)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"updates": "q"}, "no parameter `q`"),
        ({"update": "never"}, "`update` is one of 'in-place', 'pure'"),
        ({"backend": "c"}, "`backend` is one of"),
        ({"fastmath": "no"}, "`fastmath` is one of True, False"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(LinadError, match=message):
        linear_grad(plain, **options)


@pytest.mark.parametrize("derivative", [linad.grad, lambda f: lambda x: linad.vjp(f, x)])
def test_derivatives_by_ints_say_to_pass_floats(derivative):
    with pytest.raises(LinadError, match=r"pass floats, `2\.0` for `2`"):
        derivative(lambda k: k * k)(3)


def test_jitted_and_checked_functions_are_taken():
    jitted = njit(plain)
    assert linear_grad(jitted).grad(3.0) == 6.0
    assert linear_grad(checked).py_func is plain


def test_types_and_signature():
    @linear_grad
    def f(x: Float64[np.ndarray, "n m"], k: int, pair: tuple[float, bool]) -> float:
        return x[0, 0] * pair[0]

    assert f.types == {"x": "f64[:,:]", "k": "int", "pair": "(float, bool)", "return": f.types["return"]}
    assert [p.name for p in f.signature.params] == ["x", "k", "pair"]


def test_structured_gradients():
    @linear_grad
    def f(p: tuple[float, int, tuple[Float64[np.ndarray, "n"]]]) -> float:
        return p[0] * p[2][0][p[1]]

    gradient = f.grad((2.0, 1, (np.array([3.0, 4.0]),)))
    assert gradient[0] == 4.0 and gradient[1] is None and gradient[2][0].tolist() == [0.0, 2.0]


def test_warmup_compiles_and_runs_nothing():
    @linear_grad
    def f(x: float) -> float:
        return x / 7.0

    f.warmup(1.0)
    s = f.specialisation((1.0,))
    assert {tuple(v for _, v in request) for request in s.kernels[()]} == {(), (False,), (True,)}
    assert f(7.0) == 1.0


def test_public_names():
    names = [name for name in dir(linad) if not name.startswith("__")]
    assert set(linad.__all__) == set(names) - {"map", "sum", "interop", "testing"} and {"grad", "map", "testing"} <= set(names)
    for name in names:
        assert getattr(linad, name) is not None and not name.startswith("_")
    assert not {"TYPE_CHECKING", "annotations", "import_module"} & set(names)
    space = {}
    exec("from linad import *", space)
    assert space["grad"] is linad.grad and "sum" not in space
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        linad.nonsense


def test_completion_shows_what_is_public():
    shown = {name for name in dir(product) if not name.startswith("__")}
    methods = {"grad", "value_and_grad", "vjp", "jvp", "hvp", "jacobian", "vjp_into", "warmup", "specialisation"}
    assert shown == methods | {"njit", "vjp_njit", "py_func", "options", "signature", "types", "diagnostics"}
    shown = {name for name in dir(linad.grad(product)) if not name.startswith("__")}
    assert shown == {"function", "transforms", "composed", "njit"}


def test_import_is_cheap():
    code = (
        "import sys, time; t = time.process_time(); import linad; t = time.process_time() - t;"
        "from linad import linear_grad, grad; print(t, 'numba' in sys.modules, 'llvmlite' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert float(out[0]) < 0.15 and out[1:] == ["False", "False"]


def test_decorating_does_not_import_numba(tmp_path):
    (tmp_path / "m.py").write_text(
        "import sys\nfrom linad import linear_grad\n"
        "@linear_grad\ndef f(x: float) -> float:\n    return x * x\n"
        "print('numba' in sys.modules)\n"
    )
    out = subprocess.run([sys.executable, tmp_path / "m.py"], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


def test_a_negative_shift_raises_as_in_python():
    @linear_grad
    def scaled(x: float, n: int) -> float:
        return x * (1 << n)

    assert scaled(2.0, 3) == 16.0
    with pytest.raises(ValueError, match="negative shift count"):
        scaled(2.0, -1)


def test_a_cotangent_may_be_a_rank_zero_array():
    @linear_grad
    def square(x: float) -> float:
        return x * x

    _, pullback = square.vjp(3.0)
    assert pullback(np.array(2.0)) == (12.0,)


def test_defaults_are_those_of_the_moment():
    def scaled(x: float, w: float = 2.0, *, k: float = 1.0) -> float:
        return x * w * k

    f = linear_grad(scaled)
    assert f(3.0) == 6.0 and str(inspect.signature(f)) == "(x: float, w: float = 2.0, *, k: float = 1.0) -> float"
    scaled.__defaults__ = (5.0,)
    assert f(3.0) == f.py_func(3.0) == 15.0 and f.grad(3.0) == (5.0, 3.0, 15.0)
    scaled.__kwdefaults__["k"] = 10.0
    assert f(3.0) == f.py_func(3.0) == 150.0


def test_errors_travel_between_processes():
    with pytest.raises(LinadError) as caught:
        linear_grad(len)
    with pytest.raises(LinadError) as located:
        linear_grad(unknown)
    for error in (caught.value, located.value):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is LinadError and again.diagnostics == error.diagnostics and str(again) == str(error)


def unknown(x: float) -> float:
    return x * nothing_like_it  # noqa: F821


def test_a_static_method_is_decorated_from_below():
    with pytest.raises(LinadError, match="write `@staticmethod` above `@linear_grad`"):
        linear_grad(staticmethod(plain))


def test_sums_are_as_long_as_they_like_or_refused_at_the_function():
    def of(terms: int):
        return load("def f(x: float) -> float:\n    return " + " + ".join(["x * x"] * terms) + "\n")

    assert linear_grad(of(700), backend="interpret").grad(2.0) == 2800.0
    with pytest.raises(LinadError, match="`f` is nested too deeply to be checked"):
        linear_grad(of(2500))


def test_room_for_calls_is_not_taken_back_while_another_thread_needs_it():
    usual, inside, leave = sys.getrecursionlimit(), threading.Event(), threading.Event()

    def other() -> None:
        with deep(usual + 2000):
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with deep(usual + 1000):
        thread.start()
        inside.wait()
        assert sys.getrecursionlimit() == usual + 2000
    assert sys.getrecursionlimit() == usual + 2000
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == usual
