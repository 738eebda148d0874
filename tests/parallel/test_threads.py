"""Loops on threads, compiled: the numbers, the errors, and a process that stays alive."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from jaxtyping import Float64, Int64

from linad import explain, linear_grad
from linad.boundary import threads

from .roads import eager


def work(x: Float64[np.ndarray, "n"], ix: Int64[np.ndarray, "m"], w: float) -> float:
    y = np.zeros(len(x))
    for i in range(len(x)):
        t = np.zeros(3)
        for j in range(3):
            t[j] += x[i] * (w + j)
        y[i] = t[0] * t[1] + t[2]
    s = 0.0
    for k in range(len(ix)):
        s += y[ix[k]] * np.sin(x[ix[k]])
    return s


def scatter(v: Float64[np.ndarray, "n"], x: Float64[np.ndarray, "m"], ix: Int64[np.ndarray, "m"]) -> None:
    for i in range(len(ix)):
        v[ix[i]] += x[i] ** 2
    for i in range(len(v)):
        v[i] = v[i] * 0.5


@pytest.fixture(scope="module")
def both():
    with eager():
        on_threads, plain = linear_grad(work, parallel=True, cache=False), linear_grad(work, cache=False)
        on_threads(*arguments())
        on_threads.grad(*arguments())
        yield on_threads, plain


@pytest.fixture(params=[2, 3])
def chunks(request, monkeypatch):
    monkeypatch.setattr(threads, "threads", lambda: request.param)
    return request.param


def arguments(n=1000, m=4000):
    rng = np.random.default_rng(3)
    return rng.normal(size=n), rng.integers(0, n, m), 0.75


@pytest.mark.one_in(2)
def test_the_same_numbers(both, chunks):
    on_threads, plain = both
    args = arguments()
    np.testing.assert_allclose(on_threads(*args), plain(*args), rtol=1e-12)
    found, expected = on_threads.grad(*args), plain.grad(*args)
    again = on_threads.grad(*args)
    for a, b, c in zip(found, expected, again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
        assert np.array_equal(a, c)
    assert on_threads(*args) == on_threads(*args)


def test_too_little_for_threads_is_what_it_is_without(both, chunks):
    on_threads, plain = both
    args = arguments(1, 1)
    assert on_threads(*args) == plain(*args)


def test_cells_of_their_own_are_the_same_bits(chunks):
    def scale(x: Float64[np.ndarray, "n"], w: float):
        y = np.zeros(len(x))
        for i in range(len(x)):
            y[i] = np.exp(x[i] * w) / (1.0 + x[i] ** 2)
        return y

    with eager():
        x = arguments()[0]
        assert np.array_equal(linear_grad(scale, parallel=True, cache=False)(x, 0.3), linear_grad(scale, cache=False)(x, 0.3))


def test_an_index_out_of_range_is_found_where_python_finds_it(chunks):
    with eager():
        f = linear_grad(scatter, updates="v", parallel=True, cache=False)
        x, ix = np.ones(900), np.arange(900) % 50
        v = np.zeros(50)
        f(v, x, ix)
        assert np.array_equal(v, np.full(50, 9.0))
        ix[500], ix[20] = 70, 60
        ours, expected = np.zeros(50), np.zeros(50)
        with pytest.raises(IndexError, match="index 60 is out of bounds for axis 0 of v with size 50: v.ix.i.."):
            f(ours, x, ix)
        with pytest.raises(IndexError):
            scatter(expected, x, ix)
        assert np.array_equal(ours, expected)


def test_from_several_python_threads(both, chunks):
    on_threads, plain = both
    args = arguments()
    expected = plain.grad(*args)[0]
    found, failed = [], []

    def run():
        try:
            found.extend(on_threads.grad(*args)[0] for _ in range(5))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must know
            failed.append(error)

    workers = [threading.Thread(target=run) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed and len(found) == 20
    for g in found:
        np.testing.assert_allclose(g, expected, rtol=1e-10, atol=1e-12)


def test_explain():
    text = str(explain(linear_grad(work, parallel=True)))
    assert "threads: called: parallel sum; each thread has 1 word for sums" in text
    assert "threads: differentiated: parallel sum; each thread has an accumulator for" in text
    assert "threads:" not in str(explain(linear_grad(work)))


SCRIPT = """
import os, sys, threading
import numba
import numpy as np
import linad.codegen.chunks as chunks
chunks.SHARE = chunks.COMBINE = 0
from jaxtyping import Float64
from linad import linear_grad

@linear_grad(parallel=True)
def f(x: Float64[np.ndarray, "n"], w: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s += w * x[i] ** 2
    return s

x = np.arange(1000.0)
def good():
    return np.array_equal(f.grad(x, 0.5)[0], x)

assert good()
assert f(x[:2], 0.5) == 0.5 and numba.get_num_threads() == 3  # two chunks are not the most there may be from now on
workers = [threading.Thread(target=lambda: [good() for _ in range(20)]) for _ in range(4)]
[w.start() for w in workers]
[w.join() for w in workers]
if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:
        os._exit(0 if good() else 1)
    assert os.waitpid(child, 0)[1] == 0
assert good()
print("alive")
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("layer", ["workqueue", "omp"])
def test_python_threads_and_forks_do_not_end_the_process(layer, tmp_path):
    """Once compiled, once from the cache: machine code finds what runs its threads in a fresh process."""
    if layer == "omp":
        pytest.importorskip("numba.np.ufunc.omppool", exc_type=ImportError)
    script = Path(tmp_path / "script.py")
    script.write_text(SCRIPT)
    settings = {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "3", "LINAD_CACHE_DIR": str(tmp_path / "cache")}
    settings["OMP_WAIT_POLICY"] = "passive"
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, env={**os.environ, **settings}, timeout=300
        )
        assert done.returncode == 0 and done.stdout.strip() == "alive", done.stderr
