"""Annotations to types, and mistakes to messages at the right place."""

import ast

import numpy as np
import pytest
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.engine.annotations import (
    UNKNOWN, ArrayType, ChoiceType, NoneType, ScalarType, TupleType, parse_annotation,
)
from linad_typecheck.infer.affine import atom, constant
from linad_typecheck.messages import Message
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.types import INTS

from tests.two_roads import agree, imported, program

HEAD = """\
import jaxtyping as jt
import numpy as np
import numpy.typing as npt
import typing
from jaxtyping import Bool, Float, Float32, Float64, Int, Int32, Int64, Integer, UInt8
from typing import Any, Optional, Union, Annotated
Vec = Float64[np.ndarray, "n"]
Pair = tuple[Vec, float]
Also = Vec
Loop: typing.TypeAlias = "Loop"
"""


def parse(annotation: str):
    source = SourceFile("m.py", f"{HEAD}def f(x: {annotation}): ...\n")
    function = source.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return parse_annotation(function.args.args[0].annotation, StaticModule(source).scope, source)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float", ScalarType("f64", True)),
        ("int", ScalarType("i64", True)),
        ("bool", ScalarType("bool", True)),
        ("np.float64", ScalarType("f64", False)),
        ("np.float32", ScalarType("f32", False)),
        ("np.int32", ScalarType("i32", False)),
        ("np.bool_", ScalarType("bool", False)),
        ("None", NoneType()),
        ("Any", UNKNOWN),
        ("np.ndarray", ArrayType()),
        ("npt.NDArray[np.float32]", ArrayType(("f32",))),
        ("np.ndarray[Any, np.dtype[np.int64]]", ArrayType(("i64",))),
        ("tuple[float, tuple[int, bool]]", TupleType((ScalarType("f64", True), TupleType((ScalarType("i64", True), ScalarType("bool", True)))))),
        ("Annotated[float, 'metres']", ScalarType("f64", True)),
        ("'float'", ScalarType("f64", True)),
    ],
)
def test_types(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "dtypes"),
    [
        ("Float64", ("f64",)),
        ("jt.Float32", ("f32",)),
        ("Int64", ("i64",)),
        ("Int32", ("i32",)),
        ("Bool", ("bool",)),
        ("Float", ("f64", "f32")),
        ("Int", ("i64", "i32", "i16", "i8")),
        ("UInt8", ("u8",)),
        ("Integer", INTS),
    ],
)
def test_array_dtypes(text, dtypes):
    found = parse(f'{text}[np.ndarray, "n m"]')
    assert found.dtypes == dtypes and found.rank == 2
    assert found.dtype == (dtypes[0] if len(dtypes) == 1 else None)


def test_dimensions():
    found = parse('Float64[np.ndarray, "n d+1 2*k _"]')
    assert [d.size for d in found.dims] == [atom("n"), atom("d") + 1, 2 * atom("k"), None]
    assert tuple(d.text for d in found.dims) == ("n", "d+1", "2*k", "_")
    assert parse('Float64[np.ndarray, "3"]').dims[0].size == constant(3)
    assert parse('Float64[np.ndarray, "rows=3"]').dims[0].size == constant(3)
    assert parse('Float64[np.ndarray, ""]').rank == 0


FLOAT, INT = ScalarType("f64", True), ScalarType("i64", True)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("float | None", (FLOAT, NoneType())),
        ("Optional[float]", (FLOAT, NoneType())),
        ("Union[int, float]", (INT, FLOAT)),
        ("'int | float | None'", (INT, FLOAT, NoneType())),
        ("float | np.ndarray", (FLOAT, ArrayType())),
        ("float | Nonsense", (FLOAT, UNKNOWN)),
        ("np.ndarray | list[float]", (ArrayType(), UNKNOWN)),
    ],
)
def test_of_several_types_each_call_chooses(text, members):
    assert parse(text) == ChoiceType(members)


@pytest.mark.parametrize(
    "text",
    ["str", "list", "list[float]", "tuple[float, ...]", "Optional", "npt.ArrayLike", "typing.Sequence[float]", "typing.Literal['sum', 'mean']",
     "typing.Callable[[float], float]", "object", "np.floating"],
)
def test_what_says_nothing_of_numbers_leaves_the_call_to_decide(text):
    assert parse(text) == UNKNOWN


@pytest.mark.parametrize("text", ["Vec", "Also", "'Vec'", "tuple[Vec, int]", "Pair", "'tuple[Vec, Pair]'"])
def test_aliases_mean_what_they_name(text):
    vec = parse('Float64[np.ndarray, "n"]')
    pair = TupleType((vec, ScalarType("f64", True)))
    expected = {
        "tuple[Vec, int]": TupleType((vec, ScalarType("i64", True))),
        "Pair": pair,
        "'tuple[Vec, Pair]'": TupleType((vec, pair)),
    }
    assert parse(text) == expected.get(text, vec)


@pytest.mark.parametrize(
    ("text", "slug", "segment"),
    [
        ("np.float16", "unsupported-annotation", "np.float16"),
        ("Float64", "unsupported-annotation", "Float64"),
        ("Nonsense", "unsupported-annotation", "Nonsense"),
        ("'float +'", "unsupported-annotation", "'float +'"),
        ("Loop", "unsupported-annotation", "Loop"),
        ('Float64[np.ndarray]', "unsupported-annotation", 'Float64[np.ndarray]'),
        ('Float64[list, "n"]', "unsupported-annotation", "list"),
        ("dict[str, float]", "unsupported-annotation", "dict[str, float]"),
        ('Float64[np.ndarray, "... n"]', "variadic-dimension", '"... n"'),
        ('Float64[np.ndarray, "*batch n"]', "variadic-dimension", '"*batch n"'),
        ('Float64[np.ndarray, "#n"]', "bad-dimension", '"#n"'),
        ('Float64[np.ndarray, "n*d"]', "bad-dimension", '"n*d"'),
        ('Float64[np.ndarray, "-2"]', "bad-dimension", '"-2"'),
        ('Float64[np.ndarray, "n+"]', "bad-dimension", '"n+"'),
        ('Float64[np.ndarray, "a b c d e f g h i"]', "too-many-dimensions", '"a b c d e f g h i"'),
    ],
)
def test_mistakes(text, slug, segment):
    found = parse(text)
    assert isinstance(found, Message)
    d = found.diagnostic()
    source = SourceFile("m.py", f"{HEAD}def f(x: {text}): ...\n")
    assert (d.slug, d.severity, source.segment(d.span)) == (slug, "information", segment)


def test_no_annotation():
    source = SourceFile("m.py", "")
    assert parse_annotation(None, StaticModule(source).scope, source) == UNKNOWN


NDARRAYS = {
    "from numpy.typing import NDArray": ("NDArray[np.float64]", 1),
    "import numpy.typing as npt": ("npt.NDArray[np.float64]", 1),
    "import numpy.typing": ("numpy.typing.NDArray[np.floating]", 1),
    "import numpy.typing as t": ("t.NDArray", 1),
    "from numpy.typing import ArrayLike": ("ArrayLike", 1),
    "import numpy.typing as npt\nVec = npt.NDArray[np.float64]": ("Vec", 1),
    "import numpy.typing as npt\nVec = npt.NDArray[np.floating | np.integer]": ("Vec", 1),
    "from numpy.typing import NDArray\nfrom typing import TypeVar\nT = TypeVar('T', bound=np.generic)\nVec = NDArray[T]": ("Vec", 1),
    "from numpy.typing import NDArray as A": ("'A[np.float64]'", 1),
    "from typing import Any": ("np.ndarray[Any, np.dtype[np.float64]]", 1),
    "pass": ("np.ndarray[tuple[int], np.dtype[np.float64]]", 0),
    "Row = np.ndarray[tuple[int], np.dtype[np.float64]]": ("Row", 0),
    "Row = np.ndarray[tuple[int, ...]]": ("Row", 1),
    "": ("np.ndarray", 1),
}


@pytest.mark.parametrize("text", NDARRAYS)
def test_annotations_of_numpy(tmp_path, text):
    """The rank that an annotation leaves open is that of the argument: the text alone tells part of the types."""
    note, partly = NDARRAYS[text]
    agree(tmp_path, program(text, "return (x * x).sum()", f"x: {note}"), np.array([0.5, 1.0, 2.0]), partly=partly)


@pytest.mark.parametrize("note", ["NDArray[np.float32]", "NDArray[np.integer]", "np.ndarray[tuple[int, int], np.dtype[np.float64]]", "Alias"])
def test_an_argument_that_is_not_as_numpys_annotation_says(tmp_path, note):
    text = program("from numpy.typing import NDArray\nAlias = NDArray[np.float32]", "return x.sum()", f"x: {note}")
    with imported(tmp_path, text) as module, pytest.raises((LinadError, TypeError), match="argument `x`: expected a"):
        module.f(np.ones(3))
