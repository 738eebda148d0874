"""Conversion of arguments, without a compiled function behind it."""

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linad_typecheck.names.scope import External
from linad_typecheck.signature import ArgStatic, ArgType, Leaf, ParamInfo, Signature
from linad_typecheck.types import BOOL, F32, F64, I32, I64, Array, Scalar

from linad import LinadError, linear_grad
from linad.boundary.arguments import argument_type, contiguous, flatten
from linad.boundary.dims import check_dims
from linad.boundary.overlap import overlap, overlaps_itself

VEC = Array("f64", 1)


def signature(*types, dims=None, updates=(), weak=True):
    names = "abcdefg"
    params = tuple(
        ParamInfo(names[k], Leaf(k, t, weak), (dims[k],) if dims else ()) for k, t in enumerate(types)
    )
    return Signature("f", params, None, (), updates)


@pytest.mark.parametrize(
    ("kind", "given_value", "expected"),
    [
        (F64, 1, 1.0),
        (F64, np.int32(2), 2.0),
        (F64, np.float32(0.5), 0.5),
        (F64, True, 1.0),
        (I64, np.int64(3), 3),
        (I64, True, 1),
        (I32, 7, np.int32(7)),
        (F32, 0.5, np.float32(0.5)),
        (BOOL, np.True_, True),
    ],
)
def test_scalars(kind, given_value, expected):
    [value] = flatten(signature(kind), [given_value]).values
    assert value == expected and type(value) is type(expected)


@pytest.mark.parametrize(
    ("kind", "bad", "message"),
    [
        (F64, "1", r"f\(\): argument `a`: expected a float, got a str"),
        (F64, 1j, "expected a float, got a complex"),
        (F64, None, "got None"),
        (F64, np.zeros((), complex), "expected a float, got a NumPy complex128 scalar"),
        (F64, np.zeros(1), "expected a float, got a float64 array of rank 1"),
        (F64, np.ma.zeros(()), "expected a float, got a float64 masked array of rank 0"),
        (I64, np.zeros(()), "expected an int, got a NumPy float64 scalar"),
        (I64, 1.0, "expected an int, got a float"),
        (F32, np.float64(1.0), "expected a float32 scalar, got a NumPy float64 scalar"),
        (BOOL, 1, "expected a bool, got an int"),
        (VEC, [1.0], "expected a NumPy array of float64, got a list"),
        (VEC, np.zeros(2, np.float32), "expected a float64 array of rank 1, got a float32 array of rank 1"),
        (VEC, np.zeros((2, 2)), "got a float64 array of rank 2"),
        (VEC, np.zeros(2, ">f8"), "foreign byte order"),
        (VEC, np.zeros(2, object), "got an object array"),
        (VEC, np.array(["a"]), "got a str"),
        (VEC, np.zeros(2, complex), "got a complex128 array"),
        (VEC, np.ma.zeros(2), r"masked array of rank 1: pass `x.data` and a mask, or `x.filled\(...\)`"),
        (VEC, 1.0, "expected a NumPy array of float64, got a float"),
    ],
)
def test_wrong_arguments_are_refused_by_name(kind, bad, message):
    with pytest.raises(TypeError, match=message):
        flatten(signature(kind), [bad])


@pytest.mark.parametrize(("kind", "bad"), [(I64, 2**63), (I64, -(2**63) - 1), (I32, 2**31)])
def test_ints_that_do_not_fit(kind, bad):
    with pytest.raises(OverflowError, match="argument `a`"):
        flatten(signature(kind), [bad])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros(2, ">f8"), r"foreign byte order: convert it with `.astype\(x.dtype.newbyteorder\('='\)\)`"),
        (np.zeros(2, np.longdouble), r"got a float\d+ array of rank 1: convert it with `.astype\(np.float64\)`"),
        (np.zeros(2, np.float16), r"convert it with `.astype\(np.float32\)`, which holds the same numbers"),
        (np.ma.zeros(2), "masked array of rank 1: pass `x.data` and a mask"),
    ],
)
def test_arrays_of_other_kinds_are_refused_with_what_to_write(bad, message):
    with pytest.raises(TypeError, match=message):
        argument_type(bad, "f(): argument `x`")


def test_tuples():
    pair = Signature("f", (ParamInfo("p", (Leaf(0, F64, True), (Leaf(1, VEC),))),), None)
    x = np.ones(2)
    assert flatten(pair, [(1, (x,))]).values == [1.0, x]
    for bad, message in [((1,), "tuple of 2, got one of 1"), ([1, (x,)], "got a list"), ((1, (2,)), r"`p\[1\]\[0\]`")]:
        with pytest.raises(TypeError, match=message):
            flatten(pair, [bad])


def test_arrays_that_are_not_contiguous_are_copied_in_and_back():
    base = np.arange(10.0)
    view = base[::2]
    flat = flatten(signature(VEC, updates=("a",)), [view])
    assert flat.values[0].flags.c_contiguous and not np.shares_memory(flat.values[0], base)
    flat.values[0][:] = -1.0
    flat.give_back()
    assert base.tolist() == [-1, 1, -1, 3, -1, 5, -1, 7, -1, 9]


def test_read_only_arrays_are_lent_without_a_copy():
    x = np.arange(4.0)
    x.flags.writeable = False
    lent = contiguous(x)
    assert lent.flags.writeable and np.shares_memory(lent, x) and lent.tolist() == x.tolist()
    with pytest.raises(ValueError, match="`a` is updated, but the array is read-only"):
        flatten(signature(VEC, updates=("a",)), [x])
    assert flatten(signature(VEC, updates=("a",)), [x], update=False).values[0].flags.writeable


def test_unaligned_and_memory_mapped_arrays(tmp_path):
    raw = np.zeros(33, np.uint8)
    odd = raw[1:].view(np.float64)
    assert not odd.flags.aligned and contiguous(odd).flags.aligned
    mapped = np.memmap(tmp_path / "m", np.float64, "w+", shape=3)
    [value] = flatten(signature(VEC, updates=("a",)), [mapped]).values
    value[0] = 5.0
    assert type(value) is np.ndarray and mapped[0] == 5.0


def test_updated_arrays_share_nothing():
    x = np.zeros(10)
    sig = signature(VEC, VEC, updates=("a",))
    with pytest.raises(ValueError, match="`a` is updated and shares memory with `b`"):
        flatten(sig, [x[:6], x[5:]])
    flatten(sig, [x[:5], x[5:]])
    flatten(sig, [x[::2], x[1::2]])
    with pytest.raises(ValueError, match="several of its indices name one cell"):
        wide = np.lib.stride_tricks.as_strided(x, (5,), (0,), writeable=True)
        flatten(sig, [wide, np.zeros(5)])
    with pytest.raises(ValueError, match="shares memory with `TABLE`"):
        flatten(Signature("f", sig.params, None, ("/TABLE",), ("a",)), [x, np.zeros(1)], [x])


@given(st.integers(1, 4), st.integers(1, 4), st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 12))
def test_overlapping_cells_are_found(n, m, s, t, start):
    base = np.arange(64)
    a = np.lib.stride_tricks.as_strided(base[32:], (n, m), (8 * s, 8 * t))
    b = base[20 + start : 24 + start]
    assert overlap(a, b) == bool(set(a.ravel()) & set(b.ravel()))
    if len(set(a.ravel())) < a.size:
        assert overlaps_itself(a)


def test_private_copies():
    x = np.zeros(3)
    assert not np.shares_memory(flatten(signature(VEC), [x], private=True).values[0], x)


@pytest.mark.parametrize(
    ("dims", "shapes", "message"),
    [
        ([("n",), ("n",)], [3, 4], r"`b` has size 4 along axis 0 where `n` is 3: `a` has size 3 along axis 0"),
        ([("n",), ("n+1",)], [3, 3], r"where `n\+1` is 4"),
        ([("n",), ("2*n",)], [3, 5], r"where `2\*n` is 6"),
        ([("3",), ("n",)], [2, 2], "annotated `3`"),
        ([("2*n",), ("n",)], [3, 1], r"no `n` makes `2\*n`"),
        ([("n+2",), ("n",)], [1, 1], r"no `n` makes `n\+2`"),
    ],
)
def test_sizes_that_differ(dims, shapes, message):
    sig = signature(VEC, VEC, dims=dims)
    with pytest.raises(ValueError, match=message):
        check_dims(sig, [np.zeros(n) for n in shapes])


@pytest.mark.parametrize(
    ("dims", "shapes"),
    [([("n",), ("m",)], [3, 4]), ([("2*n+1",), ("n",)], [7, 3]), ([("_",), ("_",)], [1, 2]), ([("n-1",), ("n",)], [2, 3])],
)
def test_sizes_that_fit(dims, shapes):
    check_dims(signature(VEC, VEC, dims=dims), [np.zeros(n) for n in shapes])


def test_types_of_arguments():
    assert argument_type(1, "") == ArgType(Scalar("i64"), True)
    assert argument_type(True, "") == ArgType(BOOL, True)
    assert argument_type(np.float32(1), "") == ArgType(F32)
    assert argument_type((1.0, np.zeros((2, 2))), "") == (ArgType(F64, True), ArgType(Array("f64", 2)))
    assert argument_type((None, "a"), "") == (ArgStatic(None, "NoneType"), ArgStatic("a", "str"))
    assert argument_type(np.float64, "") == ArgStatic(External("numpy.float64"), "entity")
    for bad in ([1.0] * 40, {1: 2.0}, np.zeros((1,) * 9), b""):
        with pytest.raises(TypeError, match="expected a"):
            argument_type(bad, "f(): argument `a`")


def test_a_mistyped_keyword_is_named_with_what_is_near():
    @linear_grad(backend="interpret")
    def f(x: float, sweeps: int) -> float:
        return x * sweeps

    with pytest.raises(TypeError, match=r"f\(\): there is no parameter `sweep`; `sweeps` is near"):
        f(1.0, sweep=2)
    with pytest.raises(TypeError, match=r"missing a required argument: 'sweeps'"):
        f(1.0)


def test_errors_of_a_function_as_a_whole_have_its_line_and_no_way_through_linad():
    @linear_grad(backend="interpret")
    def f(n: int) -> float:
        return n * 2.0

    with pytest.raises(LinadError) as caught:
        f.grad(2)
    (found,) = caught.value.diagnostics
    assert found.span.file == __file__ and found.span.line == f.py_func.__code__.co_firstlineno
    frames = [entry.path.name for entry in caught.traceback if "linad" in entry.path.parts[-2]]
    assert set(frames) == {"function.py"}


def test_an_array_of_rank_0_is_the_number_that_it_holds():
    @linear_grad(backend="interpret")
    def f(x: float, k: int, p: tuple[float, float]) -> float:
        return x**k * p[0] + p[1]

    zero = np.array
    given = zero(3.0), zero(2), (zero(1.0), 2)
    assert f(*given) == 11.0
    x_bar, p_bar = f.grad(*given)
    assert (x_bar, p_bar) == (6.0, (9.0, 1.0)) and type(x_bar) is float
    assert f.vjp(*given)[1](zero(2.0)) == (12.0, (18.0, 2.0))
    assert f.jvp(given, (zero(1.0), None, (0.0, zero(1.0)))) == (11.0, 7.0)


def test_without_an_annotation_an_array_of_rank_0_stays_one():
    @linear_grad(backend="interpret")
    def f(x):
        return x * x

    gradient = f.grad(np.array(3.0))
    assert isinstance(gradient, np.ndarray) and gradient.shape == () and gradient == 6.0


def test_unsigned_ints_where_the_text_alone_has_the_annotations():
    def f(x: float, n: int) -> float:
        return x * n + n

    bare = types.FunctionType(f.__code__, f.__globals__, f.__name__)
    for n in (np.uint8(200), np.uint64(5), np.int16(3), True):
        assert linear_grad(bare, backend="interpret").value_and_grad(1.5, n) == (1.5 * int(n) + int(n), float(n))


class Tagged(float):
    def __repr__(self):
        return "tagged"


class Scaled(float):
    def __mul__(self, other):
        return Scaled(100.0 * float(self) * float(other))


class Wrapping(int):
    def __add__(self, other):
        return Wrapping((int(self) + int(other)) % 7)


def test_numbers_with_operators_of_their_own_are_no_numbers():
    assert argument_type(Tagged(2.0), "x") == ArgType(F64, weak=True)
    assert flatten(signature(F64), [Tagged(2.0)]).values == [2.0]
    for kind, value in ((F64, Scaled(2.0)), (I64, Wrapping(2)), (F64, Wrapping(2))):
        with pytest.raises(TypeError, match="its class has operators of its own"):
            argument_type(value, "x")
        with pytest.raises(TypeError, match="its class has operators of its own"):
            flatten(signature(kind), [value])
