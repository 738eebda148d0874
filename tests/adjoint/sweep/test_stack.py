"""Recursive derivatives as machine code: the numbers of the interpreter, and an end in an error where the stack ends."""

import threading

import numpy as np
import pytest

import linad
from linad import linear_grad

from . import recursive_programs
from .recursive_programs import CASES


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["mutual", "haar_transform", "early_returns", "pairs"])
def test_compiled_gradients(name):
    f = getattr(recursive_programs, name)
    args, _ = CASES[name][0]
    fast, slow = linear_grad(f), linear_grad(f, backend="interpret")
    (value, back), (wanted, again) = fast.vjp(*args), slow.vjp(*args)
    seed = tuple(np.ones_like(v) for v in value) if isinstance(value, tuple) else 1.0
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    for a, b in zip(back(seed), again(seed), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@linear_grad
def chain(x: float, n: int) -> float:
    if n == 0:
        return x
    return chain(x * 0.999 + 0.001 * x * x, n - 1) + 1e-3 * x


def test_deep_recursion_ends_in_an_error_in_a_thread_of_small_stack():
    """Not in a crash, which here would end the tests."""
    second = linad.grad(linad.grad(chain))
    ended: list[object] = []

    def run(depth: int) -> None:
        for f in (chain, chain.grad, second):
            try:
                ended.append(float(f(0.5, depth)))
            except RecursionError as e:
                ended.append(str(e))

    run(3)
    assert all(isinstance(x, float) for x in ended)
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=run, args=(990,))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert all(isinstance(x, float) or "maximum recursion depth exceeded" in x for x in ended[3:])
    assert len(ended) == 6
    with pytest.raises(RecursionError):
        chain.grad(0.5, 5000)


def test_explain_show_and_cost():
    f = linear_grad(recursive_programs.polynomial, backend="interpret")
    args = CASES["polynomial"][0][0]
    f(*args)
    text = str(linad.explain(f))
    assert "call: of horner_from, which calls itself" in text and "c is read again" in text
    assert "1 word per call" in text
    assert "horner_from_fwd" in str(linad.show(f, "simplified"))
    found = linad.cost(f, *args)
    assert found.primal < found.gradient <= found.bound


def test_purely_functional_gradients_agree():
    pure = linear_grad(recursive_programs.haar_transform, update="pure", backend="interpret")
    plain = linear_grad(recursive_programs.haar_transform, backend="interpret")
    args = CASES["haar_transform"][0][0]
    np.testing.assert_allclose(pure.grad(*args), plain.grad(*args), rtol=1e-12)
