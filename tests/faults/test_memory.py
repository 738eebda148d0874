"""Memory that is not there, and what buffers hold after errors."""

import gc
import weakref

import numpy as np
import pytest
from jaxtyping import Float64
from llvmlite.binding.newpassmanagers import (
    FunctionPassManager, ModulePassManager, NewPassManager, create_new_function_pass_manager,
    create_new_module_pass_manager,
)

from linad import linear_grad, specialise
from linad.codegen import compile

Vec = Float64[np.ndarray, "n"]


@linear_grad
def large(x: float, n: int) -> Vec:
    out = np.zeros(n)
    out[0] = x
    return out


@linear_grad
def computed(x: float, n: int) -> Vec:
    size = n * n
    made = np.empty(size)
    for i in range(size):
        made[i] = x
    return made


@pytest.mark.parametrize(("f", "n", "name", "line"), [(large, 10**14, "out", 1), (computed, 10**7, "made", 2)])
def test_a_result_that_does_not_fit_is_named_with_its_line_and_size(f, n, name, line):
    line += f.py_func.__code__.co_firstlineno + 1
    told = rf"there is no memory for `{name}`: 800,000,000,000,000 bytes: np\.\w+\(\w+\) at .*test_memory\.py:{line}$"
    for call in (lambda: f(1.0, n), lambda: f.vjp(1.0, n)):
        with pytest.raises(MemoryError, match=told):
            call()


@linear_grad
def picky(x: Vec, A: Float64[np.ndarray, "n n"], k: int, steps: int, size: int) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    for t in range(steps):
        s += x[k + t] * s
    if size < 0:
        raise ValueError("negative")
    extra = np.zeros(size)
    for i in range(len(extra)):
        extra[i] = x[0] * s
    for i in range(len(extra)):  # backwards: joined with the loop above, it would need no array
        s += extra[len(extra) - 1 - i]
    return s + np.sum(np.linalg.cholesky(A))


def good():
    return np.array([1.0, 2.0, 3.0]), np.eye(3) * 4.0, 0, 2, 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (IndexError, {2: 2}),
        (ValueError, {4: -1}),
        (np.linalg.LinAlgError, {1: -np.eye(3)}),
        (MemoryError, {4: 10**14}),
        (TypeError, {2: "k"}),
    ],
)
def test_vjp_into_after_an_error(error, wrong):
    """Arguments are as they were; with buffers that are zero again the next call is right."""
    expected = [np.zeros(3), np.zeros((3, 3))]
    picky.vjp_into(1.0, *good(), into=tuple(expected))
    buffers = [np.zeros(3), np.zeros((3, 3))]
    arguments = [wrong.get(k, a) for k, a in enumerate(good())]
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with pytest.raises(error):
        picky.vjp_into(1.0, *arguments, into=tuple(buffers))
    for a, b in zip(arguments, before, strict=True):
        assert np.array_equal(a, b)
    if error is TypeError:
        assert not any(b.any() for b in buffers)
    for b in buffers:
        b.fill(0.0)
    picky.vjp_into(1.0, *good(), into=tuple(buffers))
    for b, e in zip(buffers, expected, strict=True):
        np.testing.assert_array_equal(b, e)


def test_buffers_that_are_refused_are_not_written_to():
    buffers = np.zeros(3), np.zeros((3, 2))
    with pytest.raises((TypeError, ValueError)):
        picky.vjp_into(1.0, *good(), into=buffers)
    assert not any(b.any() for b in buffers)


def test_what_is_compiled_is_freed_with_its_function(monkeypatch):
    """What Numba knows of it, and the instructions that it was made from; not what LLVM has laid out in memory, which
    it never gives back."""
    monkeypatch.setenv("LINAD_CACHE", "0")
    monkeypatch.setattr(specialise, "LOADED", 0)
    monkeypatch.setattr(specialise, "_loaded", {})
    made, modules, real = [], [], compile.entry

    def entry(*args):
        found = real(*args)
        made.append(weakref.ref(found))
        made.extend(weakref.ref(c.library) for c in found.overloads.values())
        modules.extend(c.library._final_module for c in found.overloads.values())
        return found

    monkeypatch.setattr(compile, "entry", entry)
    f = linear_grad(lambda x: x * 3.0)
    assert f(2.0) == 6.0 and f.grad(2.0) == 3.0 and len(made) == 4 and all(ref() is not None for ref in made)
    assert len(modules) == 2 and all(g.is_declaration for module in modules for g in module.functions)
    del f
    gc.collect()
    assert [ref() for ref in made] == [None] * 4


def test_pass_managers_are_freed(monkeypatch):
    """Those of llvmlite are not by themselves: each had kept some 100 kB."""
    freed = []
    for kind in (ModulePassManager, FunctionPassManager):
        monkeypatch.setattr(kind, "_dispose", lambda self, real=kind._dispose: (freed.append(type(self)), real(self)))
    with create_new_module_pass_manager(), create_new_function_pass_manager():
        pass
    assert freed == [FunctionPassManager, ModulePassManager]
    assert NewPassManager._dispose.__code__.co_names, "it does something"
    monkeypatch.undo()
    assert ModulePassManager._dispose is FunctionPassManager._dispose is NewPassManager._dispose
