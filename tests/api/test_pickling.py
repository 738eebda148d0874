"""Functions in other processes: by name where they can be imported, otherwise by source, with the same numbers."""

import copy
import linecache
import multiprocessing
import os
import pickle
import subprocess
import sys
from functools import partial
from typing import NamedTuple

import cloudpickle
import numpy as np
import pytest
from jaxtyping import Float64
from numba import njit

import linad
from linad import LinadError, linear_grad
from linad.pickling import name_of, portable

checking = partial(linear_grad, backend="interpret")
Vector = Float64[np.ndarray, "n"]
WEIGHTS = np.array([1.0, 2.0, 3.0])
X = np.array([1.0, 2.0, 3.0])


class Point(NamedTuple):
    x: float
    y: float

    def norm(self) -> float:
        return self.x * self.x + self.y * self.y


@checking
def weighted(x: Vector) -> float:
    return x @ WEIGHTS


def plain(x: float) -> float:
    return x * x


checked = checking(plain)


def again(value, pickler=pickle):
    return pickle.loads(pickler.dumps(value))


def nested(scale, data):
    """A function with everything around it that a pickle has to take along."""
    Local = Float64[np.ndarray, "n"]

    def even(x: float, n: int) -> float:
        return x if n == 0 else odd(x, n - 1)

    def odd(x: float, n: int) -> float:
        return scale * x if n <= 0 else x + even(x, n - 1)

    jitted = njit(lambda x: scale * x)

    def loss(x: Local, p: Point, pair: tuple[Local, float], k: int = 3, *, w: float = scale) -> float:
        return even(x[0], k) * w + jitted(x[1]) * plain(data[0]) + pair[0][1] * p.norm() + weighted(x) + np.sin(pair[1])

    return loss


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_importable_ones_go_by_name(pickler):
    for f in (weighted, plain, linad.grad(weighted), linad.grad(linad.grad(checked)), checked):
        assert name_of(f) is None or again(f, pickler) is f
    assert again(weighted, pickler) is weighted and again(linad.grad(weighted), pickler) is linad.grad(weighted)
    assert again(checked, pickler).py_func is plain and again(checked, pickler).grad(3.0) == 6.0
    assert len(pickler.dumps(weighted)) < 100


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_others_go_by_source(pickler):
    loss = nested(2.0, np.array([5.0]))
    f = checking(loss)
    arguments = X, Point(1.0, 2.0), (X, 0.5)
    g = again(f, pickler)
    assert g is not f and g.py_func is not loss and g.py_func.__globals__ is not loss.__globals__
    assert (g.__qualname__, g.__module__, g.options) == (f.__qualname__, f.__module__, f.options)
    assert str(g(*arguments)) == str(f(*arguments)) == str(loss(*arguments))
    assert repr(g.grad(*arguments)) == repr(f.grad(*arguments))
    assert g(*arguments, w=7.0, k=4) == f(*arguments, w=7.0, k=4) != f(*arguments)
    assert repr(again(g, pickler).grad(*arguments)) == repr(f.grad(*arguments)), "and from there once more"


def test_each_function_arrives_once():
    @checking
    def ping(x: float, n: int) -> float:
        return x if n == 0 else 2.0 * pong(x, n - 1)

    @checking
    def pong(x: float, n: int) -> float:
        return 3.0 * x if n == 0 else ping(x, n - 1)

    first, second = again((ping, pong))
    cells = dict(zip(first.py_func.__code__.co_freevars, first.py_func.__closure__))
    assert cells["pong"].cell_contents is second and first(1.0, 3) == ping(1.0, 3) == 12.0
    assert first.grad(1.0, 4) == ping.grad(1.0, 4)


def test_derivatives_and_pullbacks():
    k = 3.0
    cube = checking(lambda x: k * x * x * x)
    slope = linad.grad(cube)
    assert again(slope)(2.0) == slope(2.0) == 36.0 and copy.deepcopy(slope) is copy.copy(slope) is slope
    assert again(linad.value_and_grad(linad.grad(cube)))(2.0) == (36.0, 36.0)
    assert again(linad.checkpoint(cube))(2.0) == 24.0 and again(cube.grad)(2.0) == 36.0
    value, pullback = linad.vjp(slope, 2.0)
    assert again(pullback)(1.0) == pullback(1.0) == (36.0,)

    @checking(updates="y")
    def step(x: Vector, y: Vector, n: int) -> float:
        y[0] += x[0] * x[1]
        return y[0] * n

    _, pullback = step.vjp(X, WEIGHTS, 2)
    cotangent = (1.0, np.ones(3))
    assert repr(again(pullback)(cotangent)) == repr(pullback(cotangent))


def test_a_pullback_is_no_copy_of_another_function():
    k = 3.0
    _, pullback = checking(lambda x: k * x * x).vjp(2.0)
    k = 5.0
    assert pullback(1.0) == (12.0,)
    with pytest.raises(pickle.PicklingError, match="uses means something else since"):
        pickle.dumps(pullback)
    k = 3.0
    assert again(pullback)(1.0) == (12.0,)


def test_values_are_those_of_the_moment():
    k, late = 2.0, None

    @checking
    def scaled(x: float) -> float:
        return k * x + WEIGHTS[0]

    sent = pickle.dumps(scaled)
    k = 5.0
    assert pickle.loads(sent)(1.0) == 3.0 and scaled(1.0) == 6.0 and late is None


CELL = """\
@linear_grad(backend="interpret")
def cell(x: Float64[np.ndarray, "n"]) -> float:
    return SCALE * x[5]
"""


def executed(file, text, **names):
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"__name__": "__main__", "linear_grad": linear_grad, "np": np, "Float64": Float64, **names}
    exec(compile(text, file, "exec"), space)
    return space


@pytest.mark.parametrize("file", ["<ipython-input-7-0123456789ab>", "/tmp/ipykernel_7/123.py", "<python-input-7>"])
def test_cells_of_notebooks_point_at_their_lines(file):
    data = pickle.dumps(executed(file, CELL, SCALE=2.0)["cell"])
    del linecache.cache[file]
    f = pickle.loads(data)
    with pytest.raises(IndexError, match=f"x\\[5\\] at {file}:3"):
        f(X)
    assert f(np.arange(6.0)) == 10.0 and f.__module__ == "__main__"
    shifted = "\n" + CELL.replace("x[5]", "x[4] * 1.0")
    g = executed(file, shifted, SCALE=3.0)["cell"]
    assert g(np.arange(6.0)) == 12.0
    other = pickle.loads(data)  # another cell has the name here
    with pytest.raises(IndexError, match=r"x\[5\] at .* \(as pickled, [0-9a-f]{8}\):3"):
        other(X)
    assert other(np.arange(6.0)) == 10.0 and g(np.arange(6.0)) == 12.0
    del linecache.cache[file]


def test_plain_functions_of_cells_lose_their_text_and_are_told_how_to_keep_it():
    f = executed("<ipython-input-11-0>", "def f(x: float) -> float:\n    return x\n")["f"]
    data = cloudpickle.dumps(f)
    del linecache.cache["<ipython-input-11-0>"]
    with pytest.raises(LinadError, match="decorate it with `linear_grad` where it is defined"):
        linad.grad(pickle.loads(data))


def test_a_file_that_was_edited_meanwhile(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(CELL)
    space = {"__name__": "__main__", "linear_grad": linear_grad, "np": np, "Float64": Float64, "SCALE": 2.0}
    exec(compile(CELL, str(path), "exec"), space)
    f = space["cell"]
    path.write_text("# begins with a comment now\n" + CELL.replace("x[5]", "x[4]"))
    assert again(f)(np.arange(6.0)) == 10.0


def test_classes_of_scripts_travel_with_the_text_of_their_methods():
    text = (
        "from typing import NamedTuple\n"
        "class Pair(NamedTuple):\n    x: float\n    y: float\n"
        "    def product(self) -> float:\n        return self.x * self.y\n"
    )
    Pair = executed("<ipython-input-8-0>", text)["Pair"]
    f = executed("<ipython-input-9-0>", "def f(p: Pair) -> float:\n    return p.product()\n", Pair=Pair)["f"]
    data = cloudpickle.dumps((checking(f), Pair(2.0, 3.0)))
    code = (
        "import pickle, sys\nf, pair = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "print(f(pair), tuple(f.grad(pair)), type(f.grad(pair)) is type(pair))"
    )
    done = subprocess.run([sys.executable, "-c", code, data.hex()], capture_output=True, text=True, timeout=120)
    assert done.stdout.split("\n")[0] == "6.0 (3.0, 2.0) True", done.stderr


def test_what_cannot_travel_says_so():
    space = {"__name__": "__main__", "checking": checking}
    exec("def f(x: float) -> float:\n    return x\n", space)
    with pytest.raises(LinadError, match="source text of `f` is not available"):
        pickle.dumps(linad.checkpoint(space["f"]))
    data = pickle.dumps(checking(lambda x: x * 2.0)).replace(b"<lambda>", b"<lambdo>")
    with pytest.raises(LinadError, match="another Python"):
        pickle.loads(data)


def test_modules_that_cloudpickle_sends_by_value():
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    try:
        g = again(weighted, cloudpickle)
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    assert g is not weighted and g.grad(X).tolist() == [1.0, 2.0, 3.0]


def test_parts_of_packages_are_imported():
    import xml.dom.minidom

    made = portable(xml, {"dom", "minidom", "parse"})
    make, (name, parts) = made.__reduce__()
    assert (name, parts) == ("xml", ("xml.dom", "xml.dom.minidom")) and again(made) is xml
    assert portable(xml, {"parse"}).__reduce__()[1] == ("xml", ())


SCRIPT = """\
import multiprocessing, sys
import cloudpickle, joblib
import numpy as np
import linad
from typing import NamedTuple
from jaxtyping import Float64
from linad import linear_grad

K = 2.0
Vector = Float64[np.ndarray, "n"]

class Params(NamedTuple):
    w: Vector
    b: float

    def twice(self) -> float:
        return 2.0 * self.b

def helper(x: float) -> float:
    return np.sin(x) * K

@linear_grad(backend="{backend}")
def loss(p: Params, x: Vector) -> float:
    total = p.twice()
    for i in range(len(x)):
        total += helper(x[i]) * p.w[i]
    return total

def scaled(a):
    return linear_grad(lambda x: a * helper(x), backend="interpret")

def everything(functions, x):
    loss, first, slope, pullback = functions
    return repr((loss.grad(*x), first(1.0), slope(1.0), pullback(1.0)))

if __name__ == "__main__":
    x = Params(np.ones(2), 3.0), np.array([1.0, 2.0])
    first = scaled(3.0)
    functions = loss, first, linad.grad(linad.grad(first)), first.vjp(1.0)[1]
    here = everything(functions, x)
    for method in sys.argv[2:]:
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.apply(everything, (functions, x)) == here)
    print("loky", joblib.Parallel(n_jobs=2)(joblib.delayed(everything)(functions, x) for _ in range(2)) == [here] * 2)
    with open(sys.argv[1], "wb") as file:
        file.write(cloudpickle.dumps((everything, functions, x, here)))
"""


@pytest.mark.parametrize(
    ("backend", "methods"),
    [
        ("interpret", ["fork"] if hasattr(os, "fork") else ["spawn"]),
        pytest.param("numba", multiprocessing.get_all_start_methods(), marks=pytest.mark.thorough),
    ],
)
def test_scripts_in_processes_of_all_kinds(tmp_path, backend, methods):
    """Also in one that has not got the script."""
    path, data = tmp_path / "script.py", tmp_path / "pickled"
    path.write_text(SCRIPT.replace("{backend}", backend))
    environment = {**os.environ, "PYTHONPATH": "", "LINAD_CACHE_DIR": str(tmp_path / "cache")}
    run = partial(subprocess.run, env=environment, capture_output=True, text=True, timeout=300)
    done = run([sys.executable, str(path), str(data), *methods])
    assert done.stdout.splitlines() == [f"{method} True" for method in (*methods, "loky")], done.stdout + done.stderr
    path.unlink()
    code = "import pickle, sys; f, g, x, y = pickle.load(open(sys.argv[1], 'rb')); print(f(g, x) == y)"
    done = run([sys.executable, "-c", code, str(data)])
    assert done.stdout.strip() == "True", done.stderr
