"""The reference interpreter: values, exceptions, counts."""

import numpy as np
import pytest
from linad.interpret import CoreError, CoreFault, StepLimit, run
from linad_typecheck.ir.text import parse_program


def core(body, head="x: mut f64[:], k: read i64[:], w: f64, n: i64, c: bool"):
    return parse_program(f"entry fn f({head}) -> () {{\n{body}\n}}")


X, K = np.array([1.0, 2.0, 3.0]), np.array([2, 0])


def result(body):
    return run(core(body), [X, K, 0.5, 7, True]).results[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = div w 0.0\nreturn y", np.float64(np.inf)),
        ("y = sqrt -1.0\nreturn y", np.float64(np.nan)),
        ("y = exp 1000.0\nreturn y", np.float64(np.inf)),
        ("y = mod -7 3\nreturn y", np.int64(2)),
        ("y = floordiv -7 3\nreturn y", np.int64(-3)),
        ("y = mod -7.0 3.0\nreturn y", np.float64(2.0)),
        ("y = add 9223372036854775807 1\nreturn y", np.int64(-(2**63))),
        ("y = mul 2147483647i32 2i32\nreturn y", np.int32(-2)),
        ("y = div 1.0f32 3.0f32\nreturn y", np.float32(1) / np.float32(3)),
        ("y = powi 3.0 -2\nreturn y", np.float64(1 / 9)),
        ("y = powi +nan 0\nreturn y", np.float64(1.0)),
        ("y = pow -8.0 0.3333\nreturn y", np.float64(np.nan)),
        ("y = pow 3 41\nreturn y", np.int64(3**41 - 2 * 2**64 if 3**41 > 2**64 else 3**41)),
        ("y = min w +nan\nreturn y", np.float64(0.5)),
        ("y = min +nan w\nreturn y", np.float64(np.nan)),
        ("y = minimum w +nan\nreturn y", np.float64(np.nan)),
        ("y = max 1.0 2.0\nreturn y", np.float64(2.0)),
        ("y: i64 = cast -2.7\nreturn y", np.int64(-2)),
        ("y: f32 = cast 0.1\nreturn y", np.float32(0.1)),
        ("y: bool = cast w\nreturn y", True),
        ("y = trips 10 0 -3\nreturn y", np.int64(4)),
        ("y = wrap -1 5\nreturn y", np.int64(4)),
        ("y = gamma 0.0\nreturn y", np.float64(np.inf)),
        ("y = lgamma -2.0\nreturn y", np.float64(np.inf)),
        ("y = select c w 2.0\nreturn y", np.float64(0.5)),
        ("y = shl 1 62\nreturn y", np.int64(2**62)),
        ("y = isnan +nan\nreturn y", True),
    ],
)
def test_scalars(body, expected):
    value = result(body)
    assert type(value) is type(expected)
    assert repr(value) == repr(expected)


def test_arguments_are_copied_and_their_final_contents_are_reported():
    x = X.copy()
    out = run(core("&x[0] = w\n&x[1] += 1.0\nreturn n"), [x, K, 0.5, 7, True])
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert out.params["x"].tolist() == [0.5, 3.0, 3.0]
    run(core("&x[0] = w\nreturn n"), [x, K, 0.5, 7, True], in_place=True)
    assert x[0] == 0.5


def test_swap_of_arrays_in_a_loop():
    body = """\
    u = alloc f64 [2] fill 0.0
    v = alloc f64 [2] fill 1.0
    for i in range(3) carry (a: f64[:] = u, b: f64[:] = v) -> (a.1, b.1) {
      &a[0] += 1.0
      yield b, a
    }
    p = load &a.1 [0]
    return p, b.1
    """
    p, b = run(core(body), [X, K, 0.5, 7, True])
    assert (p, b.tolist()) == (2.0, [2.0, 0.0])


@pytest.mark.parametrize(("index", "shown", "size"), [("3", 3, 3), ("-1", -4, 3)])
def test_index_errors_show_the_users_index(index, shown, size):
    with pytest.raises(CoreError) as caught:
        result(f"y = load &x [{index}]\nreturn y")
    assert isinstance(caught.value.builtin(), IndexError)
    assert caught.value.message == f"index {shown} is out of bounds for axis 0 with size {size}"


def test_faults_are_not_errors_of_the_program():
    with pytest.raises(CoreFault, match="unchecked"):
        result("y = load! &x [3]\nreturn y")
    with pytest.raises(CoreFault, match="after its drop"):
        result("drop w\ny = add w 1.0\nreturn y")
    with pytest.raises(CoreFault, match="twice"):
        result("drop x\ndrop x\nreturn n")


def test_check_and_negative_size():
    with pytest.raises(CoreError, match="ValueError: got 7 and 0.5"):
        result('check False else ValueError "got {} and {}" (n, w)\nreturn n')
    with pytest.raises(CoreError, match="ValueError: negative"):
        result("z = alloc f64 [-1] fill 0.0\nreturn n")


def test_endless_loops_end_at_the_limit():
    with pytest.raises(StepLimit):
        run(core("for i in range(...) exits {\n yield True\n}\nreturn n"), [X, K, 0.5, 7, True], limit=1000)


def test_exits_and_trips():
    body = """\
    for i in range(10, 0, -2) exits trips t carry (s: i64 = 0) -> (s.2) {
      s.1 = add s i
      go = lt s.1 20
      yield go, s.1
    }
    return s.2, t
    """
    assert run(core(body), [X, K, 0.5, 7, True]).results == (24, 3)


def test_recursion():
    text = """\
    entry fn f(n: i64) -> i64 {
      stop = le n 0
      r = if stop {
        yield 0
      } else {
        n.1 = sub n 1
        s: i64 = call f(n.1)
        s.1 = add s n
        yield s.1
      }
      return r
    }
    """
    assert run(parse_program(text), [300]).results == (45150,)
    with pytest.raises(CoreError, match="RecursionError"):
        run(parse_program(text), [5000])


def test_counts_are_exact():
    body = """\
    z = alloc f64 [n] fill 0.0
    log = alloc f64 [2] log cells
    t = copy &x
    for i in range(2) {
      e = load &t [i]
      s = sin e
      &log[i] = s
      &z[i] += s
      if c {
        q = load &log [i]
        &z[i] = q
      }
    }
    drop log
    &t += &t
    &t[...] = 0.0
    m = dim &x 0
    return m
    """
    out = run(core(body), [X, K, 0.5, 7, True])
    counts = {k: n for k, n in out.counts.items() if n}
    assert counts == {
        "alloc": 7,
        "copy": 3,
        "loop": 2,
        "load": 2,
        "unary": 2,
        "log": 2,
        "addto": 2 + 3,
        "branch": 2,
        "pop": 2,
        "store": 2,
        "fill": 3,
        "dim": 1,
    }
    assert out.work == 7 + 3 + 2 + 2 + 2 + 2 + 3 * 5 + 2 + 2 + 2 + 3
    assert out.log_words == 2
    assert out.peak_words == 7 + 2 + 3


def test_arrays_of_a_loop_body_do_not_add_up():
    body = """\
    for i in range(5) {
      t = alloc f64 [10] fill 0.0
      drop t
    }
    for i.1 in range(5) {
      t.1 = alloc f64 [10] fill 0.0
    }
    return n
    """
    assert run(core(body), [X, K, 0.5, 7, True]).peak_words == 10


def test_reserve_grows_in_place_and_geometrically():
    text = """\
    entry fn f(n: i64) -> f64[:] {
      log = alloc f64 [0] fill 2.0 log cells
      for i in range(n) {
        j = add i 1
        reserve &log j
        call push(log, i)
      }
      reserve &log 20
      return log
    }
    fn push(log: mut f64[:], i: i64) -> () {
      e: f64 = cast i
      &log[i] = e
    }
    """
    out = run(parse_program(text), [9])
    assert out.results[0].tolist() == [*range(9), *[2.0] * 23]
    assert out.counts["copy"] == 1 + 2 + 4 + 8 + 16
    assert out.counts["log"] == 9
