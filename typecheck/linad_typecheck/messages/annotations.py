"""Messages about annotations that cannot be read. Such an annotation counts as absent."""

from __future__ import annotations

from typing import ClassVar

from ..frozen import frozen
from . import Message

ACCEPTED = (
    "`float`, `int`, `bool`, NumPy scalar types, `tuple[...]`, `NamedTuple`s, frozen dataclasses "
    'jaxtyping arrays such as `Float64[np.ndarray, "n d"]`, and `NDArray[np.float64]`, whose rank is that of the '
    "argument"
)


@frozen
class UnsupportedAnnotation(Message):
    """An annotation that cannot be read. ``text``: as written; ``reason``: what is wrong with it; ``instead``: what
    to write."""

    slug: ClassVar[str] = "unsupported-annotation"
    text: str
    reason: str = ""
    instead: str = ""

    def message(self) -> str:
        reason = self.reason or "is not a type of checked functions"
        return f"annotation `{self.text}` {reason}, and says nothing to the checker"

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
    most: int

    def message(self) -> str:
        return f"arrays have at most {self.most} dimensions here, and this one has {self.rank}"
