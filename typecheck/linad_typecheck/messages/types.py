"""3xx: dtypes, ranks and shapes."""

from __future__ import annotations

from ..diagnostics import Edit, Fix, Label
from ..frozen import frozen
from ..span import Span
from . import Message


@frozen
class WrongType(Message):
    """An operation on operands for which it is not defined."""

    slug = "wrong-type"
    what: str
    found: str
    instead: str = ""
    edits: tuple[Edit, ...] = ()
    whence: tuple[Label, ...] = ()

    def message(self) -> str:
        return f"{self.what}, but this is {self.found}"

    def label(self) -> str:
        return self.found

    def labels(self) -> tuple[Label, ...]:
        return self.whence

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(self.instead, self.edits),) if self.instead else ()


@frozen
class NoAxis(Message):
    """An axis that an array does not have."""

    slug = "wrong-type"
    rank: int
    axis: int

    def message(self) -> str:
        return f"an array of rank {self.rank} has no axis {self.axis}"

    def label(self) -> str:
        return "no such axis"

    def fixes(self) -> tuple[Fix, ...]:
        return (
            (Fix("its only axis is 0" if self.rank == 1 else f"its axes are 0 to {self.rank - 1}"),)
            if self.rank
            else ()
        )


@frozen
class UpdateKeepsDtype(Message):
    """An in-place update whose result the array cannot hold; NumPy raises."""

    slug = "wrong-type"
    name: str
    held: str
    given: str
    whence: tuple[Label, ...] = ()

    def message(self) -> str:
        return f"an update keeps the dtype of the array: `{self.name}` holds {self.held}, and this gives {self.given}"

    def label(self) -> str:
        return f"gives {self.given}"

    def labels(self) -> tuple[Label, ...]:
        return self.whence

    def fixes(self) -> tuple[Fix, ...]:
        return (
            Fix(
                f"make `{self.name}` an array of floats where it is made, or a new array here: `{self.name} = "
                f"{self.name} + ...`"
            ),
        )


@frozen
class NoField(Message):
    """An attribute that the class of a record does not have."""

    slug = "wrong-type"
    record: str
    field: str
    near: str

    def message(self) -> str:
        return f"`{self.record}` has no field `{self.field}`"

    def label(self) -> str:
        return "no such field"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(self.near),)


@frozen
class WrongArgument(Message):
    """An argument of an entry function that does not match its annotation."""

    slug = "wrong-type"
    path: str
    expected: str
    got: str

    def message(self) -> str:
        return f"argument `{self.path}`: expected {self.expected}, got {self.got}"

    def label(self) -> str:
        return f"annotated as {self.expected}"


@frozen
class WrongRank(Message):
    slug = "wrong-rank"
    name: str
    rank: int
    given: int
    whence: tuple[Label, ...] = ()

    def message(self) -> str:
        indices = "1 index" if self.given == 1 else f"{self.given} indices"
        return f"`{self.name}` has rank {self.rank} and is given {indices}"

    def label(self) -> str:
        return "too many indices" if self.given > self.rank else "this would be a view of a part of the array"

    def labels(self) -> tuple[Label, ...]:
        return self.whence

    def fixes(self) -> tuple[Fix, ...]:
        if self.given > self.rank:
            return ()
        letters = ", ".join("ijkl"[: self.rank])
        return (Fix(f"read or write its cells in a loop: `{self.name}[{letters}]`"),)


@frozen
class TypeChanges(Message):
    """A name whose types on two paths or in two iterations do not join."""

    slug = "type-changes"
    name: str
    one: str
    other: str
    first: Span
    where: str  # "branches" or "iterations"

    def message(self) -> str:
        if self.one == self.other:
            return f"`{self.name}` is not the same {self.one} on different {self.where}"
        return f"`{self.name}` is {self.one} and {self.other} on different {self.where}"

    def label(self) -> str:
        return f"{self.other} here"

    def labels(self) -> tuple[Label, ...]:
        return () if self.first == self.span else (Label(self.first, f"{self.one} here"),)

    def fixes(self) -> tuple[Fix, ...]:
        if "None" in (self.one, self.other):
            return (Fix(f"give `{self.name}` a first value that is {self.other if self.one == 'None' else self.one}"),)
        return (Fix("use two names, or convert one of the values"),)


@frozen
class Widened(Message):
    """A name that is an int on one path and a float on another reaches an operation that distinguishes the two."""

    slug = "type-changes"
    name: str
    sign: str
    first: Span
    literal: str = ""  # the text of the int, if it is a literal

    def message(self) -> str:
        return f"`{self.name}` starts as an int and becomes a float, and `{self.sign}` is not the same for both"

    def label(self) -> str:
        return "an int on some paths and a float on others"

    def labels(self) -> tuple[Label, ...]:
        return (Label(self.first, "an int here"),)

    def fixes(self) -> tuple[Fix, ...]:
        if not self.literal:
            return (Fix("make it a float from the start: `float(...)`"),)
        return (Fix(f"make it a float from the start: `{self.literal}.0`", (Edit(self.first, f"{self.literal}.0"),)),)


@frozen
class Truncated(Message):
    slug = "float-truncated"
    name: str
    whence: tuple[Label, ...] = ()

    def message(self) -> str:
        return f"a float is truncated into the integer array `{self.name}` and has no gradient from here on"

    def label(self) -> str:
        return "truncated here"

    def labels(self) -> tuple[Label, ...]:
        return self.whence

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("make it an array of floats where it is made: `dtype=float`, or `1.0` in place of `1`"),)


@frozen
class ReturnMismatch(Message):
    """A result that does not match the annotation. ``forgotten``: nothing is returned at all."""

    slug = "return-mismatch"
    function: str
    annotated: str
    found: str
    at: Span
    forgotten: bool = False
    counts: bool = False  # an int where a float is annotated

    def message(self) -> str:
        if self.forgotten:
            return f"`{self.function}` returns nothing, and its annotation says `{self.annotated}`"
        return f"`{self.function}` returns {self.found}, and its annotation says `{self.annotated}`"

    def label(self) -> str:
        return "annotated here"

    def labels(self) -> tuple[Label, ...]:
        return () if self.forgotten else (Label(self.at, f"{self.found} here"),)

    def fixes(self) -> tuple[Fix, ...]:
        if self.counts:
            return (
                Fix(
                    "compute it of floats: an int does not change when an argument changes a little, so it has no "
                    "gradient"
                ),
            )
        return (Fix("end with a `return`" if self.forgotten else "return what the annotation says, or change it"),)


@frozen
class SizesDiffer(Message):
    slug = "sizes-differ"
    why: str
    whence: tuple[Label, ...] = ()  # the shapes of the named arrays, where these were bound

    def message(self) -> str:
        return self.why

    def label(self) -> str:
        return "sizes differ"

    def labels(self) -> tuple[Label, ...]:
        return self.whence
