"""The shape of generated code: readable text, the noalias promise, hoisted tests, errors in place, recursion, logs."""

import math

import numpy as np
import pytest
from jaxtyping import Float64
from linad_typecheck.ir.text import parse_program
from linad_typecheck.ir.verify import verify

from linad import linear_grad, show
from linad.codegen import EmitOptions, emit
from tests.properties.roads import Whole
from tests.kit import load

from .roads import Raised, call, interpret, machine, python, same


def program(text):
    made = parse_program(text)
    assert not verify(made)
    return made


def body(generated, name=None):
    """The lines of the kernel."""
    text = generated.source.split(f"def {name or generated.entry + '_kernel'}(")[1]
    return [line[4:] for line in text.split("\n\n\n")[0].splitlines()[1:]]


LOSS = """\
entry fn loss(x: read f64[:], idx: read i64[:], w: f64) -> f64 {
  n = dim &idx 0
  m = dim &x 0
  for k in range(n) carry (total: f64 = 0.0) -> (total.1) {
    t = load &idx [k]
    j = wrap t m
    e = load &x [j]
    q = powi e 2
    p = mul w q
    total.2 = add total p
    yield total.2
  }
  return total.1
}
"""


def test_loops_read_as_written():
    lines = body(emit(program(LOSS), EmitOptions(checked="every")))
    assert "for k in range(n):" in lines[2] or "for k in range(idx.shape[0]):" in lines[2]
    assert lines[-2] == "    total += w * x[uint64(j)] ** 2"
    assert lines[-1] == "return 0, total"


def test_gather_is_scanned_before_the_loop():
    lines = body(emit(program(LOSS)))
    assert lines[-3:] == ["for k in range(n):", "    total += w * x[uint64(idx[k])] ** 2", "return 0, total"]
    assert sum("return 1" in line for line in lines) == 1


def test_errors_and_negative_indices(tmp_path):
    made = program(LOSS)
    x = np.arange(5.0)
    quick, every = (emit(made, EmitOptions(checked=c)) for c in ("hoisted", "every"))
    fast, slow = machine(quick, tmp_path), machine(every, tmp_path)
    good, negative, bad = np.array([0, 4]), np.array([1, -1]), np.array([0, -6, 9])
    assert call(fast, quick, (x, good, 2.0)) == (32.0,)
    assert call(fast, quick, (x, negative, 2.0)) is None  # the build with tests in place decides
    assert call(slow, every, (x, negative, 2.0)) == (34.0,)
    assert call(fast, quick, (x, bad, 2.0)) is None
    with pytest.raises(Raised) as error:
        call(slow, every, (x, bad, 2.0))
    assert error.value.args == ("IndexError", -6, 5)
    assert "axis 0 of x" in every.sites[-1].message
    assert call(fast, quick, (x, good[:0], 2.0)) == (0.0,)
    assert call(fast, quick, (x[:0], good[:0], 2.0)) == (0.0,)


SWAP = """\
entry fn f(x: read f64[:], n: i64) -> f64[:], f64, f64 {
  u = copy &x
  v = copy &x
  for i in range(n) carry (a: f64 = 1.0, b: f64 = 2.0, p: f64[:] = u, q: f64[:] = v) -> (a.1, b.1, p.1, q.1) {
    &p![0] += a
    &q![0] += b
    yield b, a, q, p
  }
  return p.1, a.1, b.1
}
"""


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_swaps(n, tmp_path):
    made = program(SWAP)
    g = emit(made)
    lines = body(g)
    assert any(line.strip() == "a, b, u, v = b, a, v, u" for line in lines), lines
    for road in (python(g), machine(g, tmp_path)):
        assert same(call(road, g, (np.ones(2), n)), interpret(made, (np.ones(2), n)))


LATER_WRITE = """\
entry fn f(x: mut f64[:], y: mut f64[:]) -> f64 {
  e = load! &x [0]
  &x![0] = 5.0
  f = load! &y [0]
  &x![1] = 7.0
  r = sub e f
  return r
}
"""


def test_a_load_stays_before_a_later_write():
    made = program(LATER_WRITE)
    for noalias in (True, False):
        g = emit(made, EmitOptions(noalias=noalias))
        run = python(g)
        x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        assert call(run, g, (x, y)) == (-2.0,)
        x = np.array([1.0, 2.0])
        if not noalias:
            assert call(run, g, (x, x[1:].repeat(2))) == (-1.0,)
            shared = np.array([1.0, 2.0])
            assert call(run, g, (shared, shared[1:])) == (-1.0,)  # y[0] is read before x[1] is written


ADD_SHIFTED = """\
entry fn f(x: read f64[:], y: mut f64[:]) -> () {
  n = dim &x 0
  for i in range(n) {
    e = load! &x [i]
    &y![i] = e
    g = load! &x [0]
    &y![i] += g
  }
  return
}
""".replace("  return\n", "")


def test_noalias_takes_effect_and_the_plain_build_does_without(tmp_path):
    """The arguments of the kernel are marked; overlapping ones go to the plain build, which is right about them."""
    made = parse_program(ADD_SHIFTED)
    marked = {}
    for noalias in (True, False):
        g = emit(made, EmitOptions(noalias=noalias))
        driver = machine(g, tmp_path)
        kernel = driver.py_func.__globals__["f_kernel"]
        (text,) = kernel.inspect_llvm().values()
        head = next(line for line in text.splitlines() if line.startswith("define") and "f_kernel" in line)
        marked[noalias] = head.count("noalias")
    assert marked[True] > marked[False]
    base = np.array([1.0, 2.0, 3.0])
    call(driver, g, (base, base))
    np.testing.assert_array_equal(base, [2.0, 4.0, 5.0])


TWO_PRODUCTS = """\
entry fn f(x: read f64[:], idx: read i64[:]) -> f64 {
  n = dim &idx 0
  for k in range(n) carry (s: f64 = 0.0) -> (s.2) {
    a = load! &x [k]
TAKEN
    p = mul a a
    q = mul e e
    t = add p q
    s.1 = add s t
    yield s.1
  }
  return s.2
}
"""
FOUND = "    j = load! &idx [k]\n    e = load &x [j]"  # which is tested in each iteration
ELSEWHERE = "    e = add a 1.0"


@pytest.mark.parametrize(("taken", "alone"), [(FOUND, True), (ELSEWHERE, False)], ids=["tested", "a vector"])
def test_an_iteration_waits_for_one_addition(taken, alone, tmp_path):
    """LLVM may not fuse each product with the sum, one after the other, where that gains no vectors."""
    g = emit(program(TWO_PRODUCTS.replace("TAKEN", taken)), EmitOptions(checked="every"))
    (text,) = machine(g, tmp_path).py_func.__globals__["f_kernel"].inspect_llvm().values()
    sums = [line.split("fadd ")[1].partition("double")[0].strip() for line in text.splitlines() if " fadd " in line]
    assert set(sums[:-1]) == {"reassoc contract"} and sums[-1] == ("" if alone else "reassoc contract")


def test_fast_math_is_an_option():
    assert "fastmath=False" in emit(program(LOSS), EmitOptions(fastmath=False)).source


STENCIL = """\
entry fn f(u: mut f64[:], c: f64) -> () {
  n = dim &u 0
  m = sub n 1
  for i in range(1, m) {
    a = sub i 1
    e = load &u [a]
    b = add i 1
    g = load &u [b]
    h = mul c g
    s = add e h
    &u[i] = s
  }
}
"""


@pytest.mark.parametrize("checked", ["hoisted", "every"])
def test_stencils_need_no_test(checked):
    g = emit(parse_program(STENCIL), EmitOptions(checked=checked))
    assert not g.sites
    assert "    u[i] = u[i - 1] + c * u[i + 1]" in body(g)


TRIANGLE = """\
entry fn f(a: mut f64[:,:]) -> () {
  n = dim &a 0
  m = dim &a 1
  c = eq n m
  check c else ValueError "not square: {} and {}" (n, m)
  for i in range(n) {
    for j in range(i) {
      e = load &a [i, j]
      &a[j, i] = e
    }
  }
}
"""


def test_triangles_need_no_test(tmp_path):
    g = emit(parse_program(TRIANGLE), EmitOptions(checked="every"))
    assert [s.kind for s in g.sites] == ["ValueError"]
    driver = machine(g, tmp_path)
    with pytest.raises(Raised) as error:
        call(driver, g, (np.zeros((2, 3)),))
    assert error.value.args == ("ValueError", 2, 3)
    a = np.arange(9.0).reshape(3, 3)
    assert call(driver, g, (a,)) == ()
    np.testing.assert_array_equal(a, a.T)


PREFIX = """\
entry fn f(x: mut f64[:], n: i64, k: i64) -> () {
  for i in range(n) {
    j = add i k
    &x[j] += 1.0
  }
}
"""


@pytest.mark.parametrize(
    ("n", "k", "good"),
    [(3, 0, True), (0, 99, True), (-5, 99, True), (4, 0, False), (2, 1, True), (2, -1, False), (2, 2**63 - 1, False)],
)
def test_hoisted_tests_are_exact_at_the_ends_of_int64(n, k, good, tmp_path):
    g = emit(parse_program(PREFIX))
    x = np.zeros(3)
    result = call(python(g), g, (x, n, k))
    assert (result == ()) == good
    if good:
        assert x.sum() == max(n, 0)
    else:
        assert not x.any()


REVERSED = """\
entry fn f(x: read f64[:], y: read f64[:]) -> f64 {
  n = dim &x 0
  l = sub n 1
  for i in range(l, -1, -1) carry (s: f64 = 0.0) -> (s.1) {
    e = load &x [i]
    g = load &y [i]
    p = mul e g
    s.2 = sub p s
    yield s.2
  }
  return s.1
}
"""


def test_reversed_loops_use_unsigned_indices_and_one_test(tmp_path):
    g = emit(program(REVERSED))
    lines = body(g)
    assert "    s = x[uint64(i)] * y[uint64(i)] - s" in lines
    assert sum("return 1" in line for line in lines) == 1
    driver = machine(g, tmp_path)
    assert call(driver, g, (np.arange(3.0), np.ones(3))) == (1.0,)
    assert call(driver, g, (np.arange(3.0), np.ones(2))) is None
    assert call(driver, g, (np.zeros(0), np.ones(2))) == (0.0,)


def test_sums_run_upwards():
    """Where the terms have no order the loop begins at its lower end: memory is read the way it is fetched."""
    lines = body(emit(program(REVERSED.replace("sub p s", "add s p"))))
    assert any(line.strip() == "for i in range(n):" for line in lines)
    strict = emit(program(REVERSED.replace("sub p s", "add s p")), EmitOptions(fastmath=False))
    assert any("-1, -1" in line for line in body(strict))


EXIT = """\
entry fn f(x: mut f64[:], lim: f64) -> f64, i64 {
  n = dim &x 0
  for i in range(n) exits trips t carry (s: f64 = 0.0) -> (s.1) {
    e = load &x [i]
    c = lt e 0.0
    (ctl) = if c {
      yield 1
    } else {
      d = gt e lim
      (ctl.1) = if d {
        yield 2
      } else {
        yield 0
      }
      yield ctl.1
    }
    z = eq ctl 0
    (s.2) = if z {
      q = mul e e
      &x[i] = q
      s.3 = add s q
      yield s.3
    } else {
      yield s
    }
    go = ne ctl 2
    yield go, s.2
  }
  return s.1, t
}
"""


def test_loops_that_are_left_early():
    made = program(EXIT)
    g = emit(made)
    assert "break" in [line.strip() for line in body(g)]
    for lim in (0.5, 2.5, 9.0):
        x, y = np.array([1.0, -1.0, 2.0, 3.0]), np.array([1.0, -1.0, 2.0, 3.0])
        assert same(call(python(g), g, (x, lim)), interpret(made, (y, lim)))
        np.testing.assert_array_equal(x, y)


RECURSIVE = """\
entry fn f(n: i64) -> i64, f64 {
  log = alloc f64 [0] fill 0.0
  (r: i64, log.1: f64[:]) = call g(n, log)
  e = load &log.1 [n]
  return r, e
}

fn g(n: i64, log: own f64[:]) -> i64, f64[:] {
  m = add n 1
  reserve &log m
  w: f64 = cast n
  &log[n] = w
  c = le n 0
  (r, log.9) = if c {
    yield 0, log
  } else {
    k = sub n 1
    (a: i64, log.2: f64[:]) = call g(k, log)
    b = add a n
    yield b, log.2
  }
  return r, log.9
}
"""


def test_recursion_has_a_limit_and_logs_come_back(tmp_path):
    g = emit(program(RECURSIVE), EmitOptions(recursion_limit=50))
    driver = machine(g, tmp_path)
    assert call(driver, g, (10,)) == (55, 10.0)
    with pytest.raises(Raised) as error:
        call(driver, g, (60,))
    assert error.value.args == ("RecursionError",)




LENT_LOG = """\
entry fn f(n: i64) -> i64, f64 {
  log = alloc f64 [0] fill 0.0
  r: i64 = call g(n, log)
  e = load &log [n]
  return r, e
}

fn g(n: i64, log: mut f64[:]) -> i64 {
  m = add n 1
  reserve &log m
  w: f64 = cast n
  &log[n] = w
  c = le n 0
  (r) = if c {
    yield 0
  } else {
    k = sub n 1
    a: i64 = call h(k, log)
    b = add a n
    yield b
  }
  return r
}

fn h(n: i64, log: mut f64[:]) -> i64 {
  m = mul n 3
  reserve &log m
  r: i64 = call g(n, log)
  return r
}
"""


def test_a_log_that_a_callee_grows_is_given_back(tmp_path):
    """Also between functions that call each other."""
    g = emit(program(LENT_LOG))
    assert call(machine(g, tmp_path), g, (30,)) == (465, 30.0)
    assert call(python(g), g, (30,)) == (465, 30.0)


BUFFER = """\
entry fn f(x: read f64[:], k: i64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = 0.0) -> (s.1) {
    buf = alloc f64 [k] fill 1.0
    &buf[0] += s
    e = load &buf [0]
    yield e
  }
  return s.1
}
"""


def test_buffers_leave_loops_and_keep_their_errors(tmp_path):
    made = program(BUFFER)
    g = emit(made, EmitOptions(checked="every"))
    assert "np." not in "\n".join(line for line in body(g) if line.startswith(" "))
    driver = machine(g, tmp_path)
    assert call(driver, g, (np.zeros(4), 2)) == (4.0,)
    assert call(driver, g, (np.zeros(0), -1)) == (0.0,)  # no iteration, no error
    for k, kind in ((0, "IndexError"), (-1, "ValueError")):
        with pytest.raises(Raised) as error:
            call(driver, g, (np.zeros(4), k))
        assert error.value.args[0] == kind


NAN = """\
entry fn f(x: read f64[:]) -> f64, f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = 0.0, m: f64 = -inf) -> (s.1, m.1) {
    e = load &x [i]
    s.2 = add s e
    m.2 = max m e
    yield s.2, m.2
  }
  return s.1, m.1
}
"""


@pytest.mark.parametrize("fastmath", [True, False])
def test_special_values_survive_the_flags(fastmath, tmp_path):
    g = emit(program(NAN), EmitOptions(fastmath=fastmath))
    driver = machine(g, tmp_path)
    for special in (np.nan, np.inf, -np.inf):
        x = np.ones(37)
        x[20] = special
        s, m = call(driver, g, (x,))
        np.testing.assert_equal(s, x.sum())
        assert m == (np.inf if special == np.inf else 1.0)
    x[3] = np.inf
    assert np.isnan(call(driver, g, (x,))[0])


def test_branches_in_branches_are_printed_once():
    deep = "".join("    " * (k + 2) + f"if x[i] > {-k - 1}:\n" for k in range(18)) + "    " * 20 + "s += x[i]\n"
    chain = "        if x[i] > 40:\n            s -= 1\n" + "".join(f"        elif x[i] > {39 - k}:\n            s += {k}\n" for k in range(30))
    f = load(f"def f(x):\n    s = 0.0\n    for i in range(len(x)):\n{deep}{chain}    return s\n")
    args = (np.array([-3.5, 12.5, 38.1]),)
    generated = emit(Whole(f, args).prepared)
    assert generated.source.count("elif") < 40
    (found,) = call(python(generated), generated, args)
    assert found == f(*args)


PAIRS = """\
entry fn pairs(x: read f64[:]) -> f64[:, :] {
  n = dim &x 0
  a = alloc f64 [n, 2] fill 0.0
  for i in range(n) {
    e = load! &x [i]
    t = mul e 2.0
    &a![i, 0] = e
    &a![i, 1] = t
  }
  return a
}
"""


def test_literal_axes_of_arrays_of_the_driver_are_known_in_the_kernel():
    """Kernels are not inlined, and LLVM needs the distance of rows to tell apart the cells of one."""
    made = program(PAIRS)
    generated = emit(made)
    assert body(generated)[0] == "assume(a.shape[1] == 2)" and "shape[0] ==" not in generated.source
    x = np.arange(5.0)
    (out,) = call(python(generated), generated, (x,))
    np.testing.assert_array_equal(out, np.stack([x, 2.0 * x], axis=1))
    np.testing.assert_array_equal(interpret(made, (x,))[0], out)


def lengths(x: Float64[np.ndarray, "n 3"]) -> float:
    total = 0.0
    for i in range(len(x) - 1):
        total += math.sqrt((x[i + 1, 0] - x[i, 0]) ** 2 + (x[i + 1, 1] - x[i, 1]) ** 2 + (x[i + 1, 2] - x[i, 2]) ** 2)
    return total


def test_the_sizes_of_an_adjoint_are_those_of_its_parameter():
    text = str(show(linear_grad(lengths), "numba"))
    assert "assume(x_bar.shape[1] == x.shape[1])" in text and "shape[0] ==" not in text
    Whole(lengths, (np.random.default_rng(1).random((5, 3)),)).holds()


CONVERTED = """\
entry fn converted(x: f64, y: f64) -> i64, i64 {
  ok = eq x x
  check ok else ValueError "nan" ()
  low = ge x -9.223372036854776e+18
  high = lt x 9.223372036854776e+18
  fits = and low high
  check fits else OverflowError "{0} is too large" (x)
  k: i64 = cast x
  j: i64 = cast y
  return k, j
}
"""


def test_one_test_for_a_float_that_fits_an_int(tmp_path):
    generated = emit(program(CONVERTED))
    text = "\n".join(body(generated))
    assert text.startswith("if not abs(x) < 9.223372036854776e+18:\n    if x != x:") and "int64(x), float_to_i64(y)" in text
    f = machine(generated, tmp_path)
    for x, found in ((-7.9, -7), (-(2.0**63), -(2**63))):
        assert call(f, generated, (x, 2.5)) == call(python(generated), generated, (x, 2.5)) == (found, 2)
    for x, kind in ((math.nan, "ValueError"), (2.0**63, "OverflowError"), (-1e300, "OverflowError")):
        with pytest.raises(Raised, match=kind):
            call(f, generated, (x, 2.5))
