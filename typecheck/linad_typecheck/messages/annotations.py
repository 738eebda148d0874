"""What can be wrong with an annotation."""

from __future__ import annotations

from typing import ClassVar

from ..diagnostics import Fix
from ..frozen import frozen
from . import Message

ACCEPTED = (
    "`float`, `int`, `bool`, NumPy scalar types, `tuple[...]`, `NamedTuple`s, frozen dataclasses "
    'jaxtyping arrays such as `Float64[np.ndarray, "n d"]`, and `NDArray[np.float64]`, whose rank is that of the argument'
)


@frozen
class UnsupportedAnnotation(Message):
    """``text`` is the annotation as written, ``reason`` what is wrong with it, ``instead`` what to write."""

    slug: ClassVar[str] = "unsupported-annotation"
    text: str
    reason: str = ""
    instead: str = ""

    def message(self) -> str:
        return f"annotation `{self.text}` {self.reason or 'is not a type of checked functions'}"

    def notes(self) -> tuple[str, ...]:
        return (self.instead or f"accepted are {ACCEPTED}",)


@frozen
class VariadicDimension(Message):
    slug: ClassVar[str] = "variadic-dimension"
    dimension: str

    def message(self) -> str:
        return f"dimension `{self.dimension}` leaves the number of dimensions open"

    def notes(self) -> tuple[str, ...]:
        return ('write one name per dimension, as in `"n d"`; a function is compiled for a fixed rank',)


@frozen
class UnionAnnotation(Message):
    slug: ClassVar[str] = "union-annotation"
    text: str
    but_none: str = ""  # the one type beside None

    def message(self) -> str:
        return f"annotation `{self.text}` allows several types"

    def notes(self) -> tuple[str, ...]:
        if self.but_none:
            return ("a call of a checked function neither takes nor gives None in place of a value",)
        return ("without an annotation the function is compiled for the types of each call",)

    def fixes(self) -> tuple[Fix, ...]:
        if not self.but_none:
            return ()
        return (
            Fix(f"write `{self.but_none}`"),
            Fix("where a parameter may be left out, write one checked function with it and one without; both may call a "
                "plain function `def g(x, w=None): ...`, which is compiled for None, too"),
        )  # fmt: skip


@frozen
class BadDimension(Message):
    slug: ClassVar[str] = "bad-dimension"
    dimension: str
    reason: str

    def message(self) -> str:
        return f"dimension `{self.dimension}` {self.reason}"

    def notes(self) -> tuple[str, ...]:
        return ("a dimension is a name, a number, `name+k`, `k*name` or `_`",)


@frozen
class RankTooHigh(Message):
    slug: ClassVar[str] = "too-many-dimensions"
    rank: int

    def message(self) -> str:
        return f"arrays have at most 4 dimensions here, and this one has {self.rank}"
