"""Vector math functions: as precise as libm to a few units, special values included, and in vector form in loops."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from linad_typecheck.ir.core import Const, Let
from linad_typecheck.ir.text import parse_program
from linad_typecheck.types import F64

from linad.codegen import EmitOptions, emit
from linad.codegen.llvm.pipeline import SWITCH
from linad.codegen.vector_math import FUNCTIONS, choice, features, widths

from .roads import call, machine
from .test_operations import elementwise

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1e-310, -1e300)


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_values_and_vector_form(tmp_path):
    lets = [(lambda r, a, b, f=f: Let(r, f, (a,)), F64) for f in FUNCTIONS]
    x = np.array([*np.linspace(-0.9, 5.0, 40), np.inf, -np.inf, np.nan, 0.0])
    libm, vector = (emit(elementwise(lets, F64), EmitOptions(vector_math=v)) for v in ("libm", "libmvec"))
    assert "math.exp" not in vector.source
    driver = machine(vector, tmp_path)
    for name, a, b in zip(
        FUNCTIONS,
        call(machine(libm, tmp_path), libm, (x, x)),
        call(driver, vector, (x, x)),
        strict=True,
    ):
        np.testing.assert_allclose(b, a, rtol=4e-15, atol=1e-15, err_msg=name)
    one = emit(elementwise(lets[1:2], F64), EmitOptions(vector_math="libmvec"))
    text = "\n".join(machine(one, tmp_path).inspect_asm().values())
    width, letter = max(widths().items())
    assert f"_ZGV{letter}N{width}v_log" in text
    assert re.search(r"and[a-z]*\s+\$-64, %rsp", text), "what a call spills lies across cache lines"


def test_the_forms_called_are_those_of_the_registers_that_code_is_compiled_for(monkeypatch):
    """An argument that no register holds is handed over in another way: the wrong numbers."""
    from linad.codegen import vector_math

    def seen(cpu, features):
        vector_math.features.cache_clear()
        vector_math.choice.cache_clear()
        monkeypatch.setattr(vector_math.config, "CPU_NAME", cpu)
        monkeypatch.setattr(vector_math.config, "CPU_FEATURES", features)
        return vector_math.choice(), max(vector_math.widths())

    try:
        assert seen("generic", None) == ("libm", 4)
        assert seen(None, "+sse2,-avx2,-avx512f") == ("libm", 4)
        assert seen(None, "+avx,+avx2,-avx512f")[1] == 4
        assert seen(None, "+avx2,+avx512f,+avx512dq,+avx512vl")[1] == 8
        assert seen(None, "+avx2,+avx512f,+avx512dq,+avx512vl,+prefer-256-bit")[1] == 4
    finally:
        vector_math.features.cache_clear()
        vector_math.choice.cache_clear()


def reference(name, v):
    """What the C library gives, with its special values where Python raises."""
    try:
        return getattr(math, name)(v)
    except OverflowError:
        return math.copysign(math.inf, v) if name in ("sinh", "expm1") else math.inf
    except ValueError:
        poles = {("log", 0.0), ("log2", 0.0), ("log10", 0.0), ("log1p", -1.0), ("atanh", -1.0)}
        return -math.inf if (name, v) in poles else math.inf if (name, v) == ("atanh", 1.0) else math.nan


@pytest.mark.one_in(4)
@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
@pytest.mark.parametrize("name", (*FUNCTIONS, "shared_erf"))
def test_precision_and_special_values(name, tmp_path):
    rng = np.random.default_rng(0)
    wide = np.exp(rng.normal(size=1000) * 20)
    tiny = [0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-308, 1e-20]
    huge = [math.inf, -math.inf, math.nan, 1e300, -1e300, 1.7e308, 2.0**53, 1e22]
    edges = [709.78, 710.0, -708.5, -745.0, -746.0, math.pi / 2, math.pi, 1.0, -1.0, -0.9999999999999999, 27.0, -6.0]
    x = np.array([*tiny, *huge, *edges, *rng.normal(size=2000), *rng.normal(size=1000) * 50, *wide, *-wide])
    x = x[: len(x) // 4 * 4]  # all of it in vectors
    function = name.removeprefix("shared_")
    g = emit(elementwise([(lambda r, a, b: Let(r, function, (a,)), F64)], F64), EmitOptions(vector_math="libmvec"))
    g = replace(g, source=g.source.replace(f"even_{function}", f"even_{function}" if function == name else name))
    (got,) = call(machine(g, tmp_path), g, (x, x))
    expected = np.array([reference(function, v) for v in x.tolist()])
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(got[~finite], expected[~finite])
    most = {"exp": 1.6, "shared_erf": 2.6}.get(name, 4.5)  # libm's own error is among them
    np.testing.assert_array_less(np.abs(got[finite] - expected[finite]), most * np.spacing(np.abs(expected[finite])))
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
@pytest.mark.parametrize("name", ["hypot", "atan2"])
def test_pairs(name, tmp_path):
    rng = np.random.default_rng(0)
    special = [*SPECIAL, 1.7e308, -2.2e-308, 0.5, 1e22]
    x = np.array([*np.repeat(special, len(special)), *rng.normal(size=2000) * np.exp(rng.normal(size=2000) * 20)])
    y = np.array([*np.tile(special, len(special)), *rng.normal(size=2000) * np.exp(rng.normal(size=2000) * 20)])
    g = emit(elementwise([(lambda r, a, b: Let(r, name, (a, b)), F64)], F64), EmitOptions(vector_math="libmvec"))
    assert f"even_{name}" in g.source
    driver = machine(g, tmp_path)
    expected = np.array(list(map(getattr(math, name), x.tolist(), y.tolist())))
    (whole,) = call(driver, g, (x, y))
    for n in (len(x), len(x) - 3, 1):
        (got,) = call(driver, g, (x[:n].copy(), y[:n].copy()))
        np.testing.assert_array_equal(got, whole[:n])
    known = np.isfinite(expected)
    np.testing.assert_array_equal(whole[~known], expected[~known])
    np.testing.assert_array_less(np.abs(whole - expected)[known], 4.5 * np.spacing(np.abs(expected[known])))
    np.testing.assert_array_equal(np.signbit(whole[known]), np.signbit(expected[known]))


def power(x: float, y: float) -> float:
    """As the C library has it, also where Python raises or gives a complex number."""
    with np.errstate(all="ignore"):
        return float(np.float64(x) ** np.float64(y))


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
@pytest.mark.parametrize("name", ["even_pow", "vector_pow"])
def test_powers(name, tmp_path):
    """In vectors and beside them; exponents that products or roots are made of have no call."""
    rng = np.random.default_rng(0)
    special = [*SPECIAL, 2.0, -3.0, 0.5, 1e22, -2.5, 3.0]
    around = *np.exp(rng.normal(size=2000) * 10), *np.exp(0.01 * rng.normal(size=1000))
    x = np.array([*np.repeat(special, len(special)), *around])
    y = np.array([*np.tile(special, len(special)), *rng.normal(size=2000) * 20, *rng.integers(-200, 200, 1000)])
    g = emit(elementwise([(lambda r, a, b: Let(r, "pow", (a, b)), F64)], F64), EmitOptions(vector_math="libmvec"))
    assert "even_pow" in g.source
    driver = machine(replace(g, source=g.source.replace("even_pow", name)), tmp_path)
    expected = np.array(list(map(power, x.tolist(), y.tolist())))
    (whole,) = call(driver, g, (x, y))
    for n in (len(x), len(x) - 3, 7, 1):
        (got,) = call(driver, g, (x[:n].copy(), y[:n].copy()))
        assert name == "vector_pow" or np.array_equal(got, whole[:n], equal_nan=True)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected[:n]))
        known = np.isfinite(expected[:n])
        np.testing.assert_array_equal(got[~known], expected[:n][~known])
        error = np.abs(got[known] - expected[:n][known])
        np.testing.assert_array_less(error, 2.5 * np.spacing(np.abs(expected[:n][known])))
        np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[:n][known]))
    roots = elementwise([(lambda r, a, b: Let(r, "pow", (a, Const(2.5, F64))), F64)], F64)
    root = emit(roots, EmitOptions(vector_math="libmvec"))
    assert "_pow" not in root.source


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_where_a_cell_is_makes_no_difference(tmp_path):
    """The last iterations of a loop, and those that go in shorter vectors, give the bits of the widest ones."""
    # libm's, and the shorter forms of most, end in another bit now and then
    names = ("exp", "log", "tanh", "log1p", "expm1", "erf")
    lets = [(lambda r, a, b, f=f: Let(r, f, (a,)), F64) for f in names]
    g = emit(elementwise(lets, F64), EmitOptions(vector_math="libmvec"))
    assert "even_log(" in g.source
    g = replace(g, source=g.source.replace("even_erf", "shared_erf"))
    driver = machine(g, tmp_path)
    x = np.random.default_rng(1).uniform(0.01, 3.0, 200)
    whole = call(driver, g, (x, x))
    for start in range(0, 160, 9):
        for n in (1, 2, 3, 4, 7, 8, 13, 15, 31, 40):
            part = x[start : start + n].copy()
            for name, a, b in zip(names, whole, call(driver, g, (part, part)), strict=True):
                assert np.array_equal(a[start : start + n], b), (name, start, n)


@pytest.mark.skipif(choice() != "libmvec" or "fma" not in features(), reason="no vector math library, or no fma")
def test_what_erf_and_its_derivative_have_in_common_is_computed_once(tmp_path):
    program = """entry fn f(x: read f64[:], y: mut f64[:], n: i64) -> i64 {
  for i in range(n) {
    a = load! &x [i]
    v = erf a
    s = mul a a
    m = neg s
    d = exp m
    e = RESULT
    &y![i] = e
  }
  return n
}
"""

    def steps(result: str) -> int:
        g = emit(parse_program(program.replace("RESULT", result)), EmitOptions(vector_math="libmvec"))
        text = "\n".join(machine(g, tmp_path).inspect_llvm().values())
        assert ("shared_erf" in g.source) == (result == "mul v d") and "_ZGV" not in text
        return len(re.findall(r"call <8 x double> @llvm.fma|call <4 x double> @llvm.fma", text))

    assert steps("mul v d") > steps("mul d d") + 20
    assert "shared_erf" not in emit(parse_program(program.replace("RESULT", "mul v v"))).source  # no derivative


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_exponentials_at_the_ends_of_their_range(tmp_path):
    """Where one of the two factors of the power is subnormal or infinite, and where the sum is."""
    ends = [-745.2, -745.13, -744.4, -708.4, -708.39, 709.78, 709.79, 710.5, 1e10, -1e10]
    x = np.array([*ends, *np.linspace(-746, -700, 200)])
    g = emit(elementwise([(lambda r, a, b: Let(r, "exp", (a,)), F64)], F64), EmitOptions(vector_math="libmvec"))
    (got,) = call(machine(g, tmp_path), g, (x, x))
    expected = np.array([reference("exp", v) for v in x.tolist()])
    assert np.array_equal(np.isinf(got), np.isinf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_array_less(np.abs(got[finite] - expected[finite]), 1.6 * np.spacing(expected[finite]))


def test_without_the_library_generated_code_is_that_of_libm():
    g = emit(elementwise([(lambda r, a, b: Let(r, "exp", (a,)), F64)], F64), EmitOptions(vector_math="libm"))
    assert "math.exp(" in g.source
    assert "vector" not in g.source and "even" not in g.source


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_constant_exponents_keep_their_parameter(tmp_path, monkeypatch):
    """LLVM removes parameters that are the same in all calls, but not where vector variants have them."""
    monkeypatch.setenv(SWITCH, "error")
    lets = [(lambda r, a, b: Let(r, "pow", (a, Const(0.3, F64))), F64)]
    g = emit(elementwise(lets, F64), EmitOptions(vector_math="libmvec"))
    assert "even_pow" in g.source
    x = np.linspace(0.1, 3.0, 50)
    (got,) = call(machine(g, tmp_path), g, (x, x))
    np.testing.assert_allclose(got, x**0.3, rtol=1e-15)


@pytest.mark.skipif(choice() != "libmvec", reason="no vector math library")
def test_where_a_cell_is_makes_no_difference_to_what_is_handed_on(tmp_path):
    """Neither in the last iterations nor in the first, whose values come from in front of the loop."""
    program = parse_program(
        """entry fn f(u: f64[:], y: mut f64[:], n: i64) -> i64 {
  for i in range(n) {
    j = add i 1
    h = add i 2
    x = load! &u [i]
    z = load! &u [j]
    w = load! &u [h]
    fx = log x
    fz = log z
    fw = log w
    a = mul fx fz
    b = add a fw
    &y![i] = b
  }
  return n
}
"""
    )
    g = emit(program, EmitOptions(vector_math="libmvec"))
    assert g.source.count("even_log(") == 3 and "vector_log(" not in g.source  # two in front of the loop
    driver = machine(g, tmp_path)
    x = np.random.default_rng(1).uniform(0.01, 3.0, 200)
    whole = np.zeros(198)
    call(driver, g, (x, whole, 198))
    for start in range(0, 150, 9):
        for n in (1, 2, 3, 4, 7, 8, 13, 15, 31, 40):
            part = np.zeros(n)
            call(driver, g, (x[start : start + n + 2].copy(), part, n))
            assert np.array_equal(whole[start : start + n], part), (start, n)


def test_what_comes_back_to_itself_makes_a_loop_uneven():
    """Such a loop is none of vectors: a vector function for each number would be a waste."""
    text = """entry fn f(u: f64[:], y: mut f64[:], n: i64) -> f64 {
  for i in range(n) carry (a: f64 = 0.5, b: f64 = 0.25) -> (c, d) {
    x = load! &u [i]
    v = RESULT
    &y![i] = v
    yield b, v
  }
  return c
}
"""
    programs = (parse_program(text.replace("RESULT", v)) for v in ("log x", "log a"))
    alone, back = (emit(p, EmitOptions(vector_math="libmvec")).source for p in programs)
    assert "even_log(" in alone and "even_log(" not in back


def test_only_what_an_even_loop_begins_with_is_even_in_front_of_it():
    text = """entry fn f(u: f64[:], y: mut f64[:], n: i64) -> f64 {
  o = lt 0 n
  first = if o {
    x0 = load! &u [0]
    v0 = log x0
    yield v0
  } else {
    yield 0.0
  }
  q: f64 = cast n
  m = log1p q
  &y![0] += m
  for i in range(n) carry (a: f64 = first) -> (b) {
    x = load! &u [i]
    v = exp x
    p = lt v 1.0
    w = if p {
      v1 = tanh x
      yield v1
    } else {
      yield 1.0
    }
    &y![i] = a
    yield RESULT
  }
  z = erf b
  &y![0] += z
  return b
}
"""
    even = text.replace("yield RESULT", "&y![i] += w\n    yield v")
    waits = text.replace("yield RESULT", "t = mul a v\n    t1 = add t w\n    yield t1")
    inner = even.replace("  o = lt", "  for l in range(n) {\n  o = lt").replace("  return b", "  }\n  return 0.0")
    made = [emit(parse_program(t), EmitOptions(vector_math="libmvec")).source for t in (even, waits, inner)]
    for name in ("even_log(", "vector_log1p(", "even_exp(", "even_tanh(", "vector_erf("):
        assert name in made[0]
    assert "even_" not in made[1] and "even_" not in made[2]
