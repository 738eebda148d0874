"""Running kernels: the second run after a failed test before a loop, and errors at the user's line."""

import struct

import numpy as np
import pytest
from linad_typecheck.ir.text import parse_program
from linad_typecheck.span import NOWHERE, Span

from linad.boundary.kernel import AGAIN, DONE, FAILED, Kernel, Loaded, expression, fail
from linad.codegen import EmitOptions, Site, emit

STENCIL = """\
entry fn f(x: mut f64[:], c: mut i64[:], n: i64) -> () {
  for i in range(n) {
    &c[i] += 1
  }
  m = load &c [0]
  for k in range(m) {
    e = load &x [k]
    j = add k 1
    &x[j] = e
  }
}
"""


def hasty(builds):
    """A kernel whose first build updates its array and then asks for the other build."""

    def hoisted(x, y, err):
        x += 1.0
        y += 1.0
        return (AGAIN,)

    def every(x, y, err):
        builds.append((x.copy(), y.copy()))
        return (DONE, 5.0)

    drivers = {"hoisted": Loaded(hoisted, (), 1, True), "every": Loaded(every, (), 1)}
    return Kernel(drivers.__getitem__)


def test_a_second_run_finds_the_arrays_as_the_first_did():
    seen = []
    x, y = np.arange(3.0), np.zeros(2)
    assert hasty(seen).run([x, y], written=[0], zeros=[1]) == (5.0,)
    assert seen[0][0].tolist() == [0, 1, 2] and seen[0][1].tolist() == [0, 0]


def test_in_place_skips_the_hasty_build():
    seen = []
    x, y = np.arange(3.0), np.ones(2)
    hasty(seen).run([x, y], written=[0, 1], in_place=True)
    assert x.tolist() == [0, 1, 2] and y.tolist() == [1, 1]


def test_only_a_build_with_its_tests_before_loops_may_ask_again():
    """The second loop's bound is computed by the first one, so its tests cannot precede the writes."""
    program = parse_program(STENCIL)
    assert emit(program, EmitOptions(checked="hoisted")).again
    assert not emit(program, EmitOptions(checked="every")).again


@pytest.mark.parametrize(
    ("kind", "dtypes", "words", "message"),
    [
        ("IndexError", ("i64", "i64"), [7, 5], "index 7 of 5"),
        ("ValueError", ("f64", "bool"), [struct.unpack("<q", struct.pack("<d", 1.5))[0], 1], "index 1.5 of True"),
        ("no_such_error", ("i64", "i64"), [1, 2], "index 1 of 2"),
    ],
)
def test_errors_are_builtin_exceptions_with_their_arguments(kind, dtypes, words, message):
    expected = {"IndexError": IndexError, "ValueError": ValueError}.get(kind, RuntimeError)
    with pytest.raises(expected, match=f"^{message}$"):
        fail(Site(NOWHERE, kind, "index {} of {}", dtypes), np.array(words))


def test_errors_name_the_line_and_the_expression(tmp_path):
    path = tmp_path / "user.py"
    path.write_text("first = 1\nsecond = x[idx[k]]\n")
    span = Span(str(path), 2, 10, 2, 19)
    assert expression(span) == "x[idx[k]]"
    driver = Loaded(lambda err: (FAILED,), (Site(span, "IndexError", "index out of bounds"),), 2)
    with pytest.raises(IndexError) as caught:
        Kernel({"hoisted": driver}.__getitem__).run([])
    assert str(caught.value) == f"index out of bounds: x[idx[k]] at {path}:2"


def test_a_message_with_braces_and_no_arguments():
    with pytest.raises(ValueError, match="a {} b"):
        fail(Site(NOWHERE, "ValueError", "a {{}} b"), np.zeros(6, np.int64))
