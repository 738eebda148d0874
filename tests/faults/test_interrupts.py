"""Ctrl-C and other signals while something is compiled: nothing is half done, and the handler runs afterwards."""

import gc
import random
import signal
import threading

import pytest

import linad
from linad import linear_grad
from linad.codegen.llvm.lowering import Lowering
from linad.codegen.interrupts import held_back
from linad.codegen.numba_compat import CompileResult, JITCodeLibrary

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no such signals here")


class Stopped(BaseException):
    """What a handler raises."""


def stop(number, frame):
    raise Stopped(number)


@pytest.fixture(params=["SIGINT", "SIGALRM"])
def number(request):
    number = getattr(signal, request.param)
    before = signal.signal(number, stop)
    yield number
    after = signal.signal(number, before)
    assert after is stop, "the handler is not put back"


def cubed():
    @linear_grad
    def f(x: float) -> float:
        return x * x * x

    return f


@pytest.mark.parametrize(
    ("owner", "name"),
    [(Lowering, "lower"), (JITCodeLibrary, "_finalize_final_module"), (JITCodeLibrary, "_finalize_specific")],
)
def test_a_signal_while_something_is_compiled(number, monkeypatch, owner, name):
    monkeypatch.setenv("LINAD_CACHE", "0")
    monkeypatch.setattr("linad.specialise._loaded", {})
    real, done = getattr(owner, name), []

    def pressed(*args):
        signal.raise_signal(number)
        out = real(*args)
        done.append(out)
        return out

    monkeypatch.setattr(owner, name, pressed)
    f = cubed()
    with pytest.raises(Stopped):
        f.grad(2.0)
    assert done
    monkeypatch.undo()
    assert f.grad(2.0) == 12.0


def test_a_signal_while_machine_code_is_loaded(number, monkeypatch):
    monkeypatch.setattr("linad.specialise._loaded", {})
    assert cubed().grad(2.0) == 12.0
    monkeypatch.setattr("linad.specialise._loaded", {})
    real = CompileResult._rebuild

    def pressed(*args):
        signal.raise_signal(number)
        return real(*args)

    monkeypatch.setattr(CompileResult, "_rebuild", pressed)
    f = cubed()
    with pytest.raises(Stopped):
        f.grad(2.0)
    monkeypatch.undo()
    assert f.grad(2.0) == 12.0


def test_holds_inside_holds(number):
    seen = []
    with pytest.raises(Stopped), held_back():
        with held_back():
            signal.raise_signal(number)
            seen.append("inner")
        seen.append("outer")
        signal.raise_signal(number)
    assert seen == ["inner", "outer"]


def test_an_error_inside_is_the_context_of_what_the_handler_raises(number):
    with pytest.raises(Stopped) as raised, held_back():
        signal.raise_signal(number)
        raise ValueError
    assert isinstance(raised.value.__context__, ValueError)


def test_other_threads_hold_nothing(number):
    held = []

    def hold():
        with held_back():
            held.append(signal.getsignal(number))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert held == [stop]


@pytest.fixture
def nothing_dies():
    """Python prints what a handler raises inside of the callback of a weak reference, and goes on without it."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.thorough
@pytest.mark.usefixtures("nothing_dies")
@pytest.mark.parametrize("seed", range(2))
def test_signals_at_any_time(number, monkeypatch, seed):
    if number != signal.SIGALRM:
        pytest.skip("a timer sends the other one")
    monkeypatch.setenv("LINAD_CACHE", "0")
    draw = random.Random(seed)
    kept = []
    for k in range(15):
        monkeypatch.setattr("linad.specialise._loaded", {})
        f = linad.linear_grad(lambda x: x * k)
        kept.append(f)
        try:
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.0, 0.15))
            try:
                f.grad(2.0)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Stopped:
            pass
        assert f.grad(2.0) == k
