"""The classes of values and their base classes, by dotted name."""

from __future__ import annotations

from ..types import DTYPE_CLASSES, INTS, NUMPY_NAMES, UNSIGNED

COMPLEX_CLASSES = frozenset(
    ("builtins.complex", "numpy.complex64", "numpy.complex128", "numpy.csingle", "numpy.cdouble")
)
OBJECT = "builtins.object "
_REAL = "numbers.Number numbers.Complex numbers.Real "
_WHOLE = _REAL + "numbers.Rational numbers.Integral "
_ITERABLE = "abc.Iterable abc.Container abc.Sized abc.Collection "
_SEQUENCE = _ITERABLE + "abc.Sequence abc.Reversible "
_GENERIC = "numpy.generic "
_NUMBER = _GENERIC + "numpy.number "
_OF: dict[str, str] = {
    "builtins.float": _REAL + "abc.Hashable",
    "builtins.int": _WHOLE + "abc.Hashable",
    "builtins.bool": "builtins.int " + _WHOLE + "abc.Hashable",
    "numpy.float64": _NUMBER + "numpy.inexact numpy.floating numpy.double builtins.float abc.Hashable " + _REAL,
    "numpy.float32": _NUMBER + "numpy.inexact numpy.floating numpy.single abc.Hashable " + _REAL,
    **{
        f"numpy.{NUMPY_NAMES[d]}": f"{_NUMBER}numpy.integer numpy.{'un' * (d in UNSIGNED)}signedinteger abc.Hashable "
        f"{_WHOLE}"
        for d in INTS
    },
    "numpy.bool": _GENERIC + "numpy.bool_ abc.Hashable",
    "builtins.complex": "numbers.Number numbers.Complex abc.Hashable",
    "numpy.complex128": _NUMBER + "numpy.inexact numpy.complexfloating numpy.cdouble builtins.complex numbers.Number "
    "numbers.Complex abc.Hashable",
    "numpy.ndarray": _ITERABLE,
    "builtins.tuple": _SEQUENCE + "abc.Hashable",
    "builtins.list": _SEQUENCE + "abc.MutableSequence",
    "builtins.str": _SEQUENCE + "abc.Hashable",
    "types.NoneType": "builtins.NoneType abc.Hashable",
    "numpy.dtype": "abc.Hashable",
    "builtins.slice": "",
    "types.FunctionType": "abc.Callable abc.Hashable",
}
_SAME = {
    f"numpy.{NUMPY_NAMES[d]}": frozenset(
        name for name, of in DTYPE_CLASSES.items() if of == d and name.startswith("numpy.")
    )
    for d in NUMPY_NAMES
}
KINDS = {name: frozenset((OBJECT + name + " " + of).split()) | _SAME.get(name, frozenset()) for name, of in _OF.items()}
# Classes that a function may name in a type test. Values of the language are never instances of the last ones.
CLASSES = frozenset().union(*KINDS.values()).union(
    ["typing.cast"],
    (
        f"numpy.{n}"
        for n in (
            "float16 half longdouble complex64 complex128 complexfloating character flexible str_ bytes_ object_ void "
            "matrix number memmap recarray record"
        ).split()
    ),
) - {"builtins.float", "builtins.int", "builtins.bool", *COMPLEX_CLASSES}
