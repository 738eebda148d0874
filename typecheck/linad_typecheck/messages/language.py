"""2xx: constructs outside the language, with replacements."""

from __future__ import annotations

from typing import ClassVar

from ..diagnostics import Edit, Fix, Label
from ..frozen import frozen
from ..ownership.rules import IDENTITY
from ..span import NOWHERE, Span
from . import Message


@frozen
class Unsupported(Message):
    """A construct that has no meaning in a checked function. ``instead``: a replacement."""

    slug = "unsupported"
    what: str
    instead: str = ""

    def message(self) -> str:
        return f"{self.what} cannot be used in a differentiated function"

    def label(self) -> str:
        return "not supported"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(self.instead),) if self.instead else ()


@frozen
class EverDeeper(Unsupported):
    """A value that holds one like it, which holds another one, as often as a loop or a recursion runs. ``what``: how it
    is called."""

    instead: str = "keep the numbers in a list or an array, and beside each number the index of the next one"

    def message(self) -> str:
        return f"{self.what} holds another one like it, and that one another, any number of times: it has no type here"

    def label(self) -> str:
        return "one level more each time"


@frozen
class Consumed(Unsupported):
    """A generator object that may have been consumed before, at ``at``. ``what``: its name."""

    at: Span = NOWHERE

    def message(self) -> str:
        return f"`{self.what}` is used again after it was consumed"

    def labels(self) -> tuple[Label, ...]:
        return () if self.at == self.span else (Label(self.at, "consumed here"),)

    def label(self) -> str:
        return "a generator, which has no values left here"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"make a list first: `{self.what} = list(...)`"),)


@frozen
class UnknownIdentity(Unsupported):
    """A construct whose result depends on which of two equal objects a name refers to."""

    enforces = IDENTITY


@frozen
class ImpureCall(Message):
    """A call whose result does not depend on its arguments alone. ``does``: what else it reads or changes."""

    slug = "impure-call"
    name: str
    does: str
    instead: str
    statement: Span | None = None  # the statement, if it consists only of this call and may be removed

    def message(self) -> str:
        return f"`{self.name}` {self.does}"

    def label(self) -> str:
        return "not a function of its arguments alone"

    def notes(self) -> tuple[str, ...]:
        return ("the derivative may run a part of the function again, so it must come out the same each time",)

    def fixes(self) -> tuple[Fix, ...]:
        leave_out = () if self.statement is None else (Fix("leave it out", (Edit(self.statement, "pass"),)),)
        return (*leave_out, Fix(self.instead))


@frozen
class NotPrinted(Message):
    """A ``print`` as a statement, which is left out: the derivative may run a part of the function again."""

    slug = "not-printed"
    statement: Span

    def message(self) -> str:
        return "this `print` has no effect in a differentiated function"

    def label(self) -> str:
        return "nothing is printed"

    def fixes(self) -> tuple[Fix, ...]:
        leave_out = Fix("leave it out", (Edit(self.statement, "pass"),))
        return (leave_out, Fix("print the results outside the function, or call `.py_func`, which prints"))


@frozen
class CapturedGlobal(Message):
    """A module-level name whose value has no type here, such as a list or a dict."""

    slug = "captured-global"
    WAYS: ClassVar[dict[str, str]] = {
        "a list": "make it a NumPy array, or bind its elements to names of their own",
        "a tuple": "bind its elements to names of their own",
        "a dict": "bind its numbers and arrays to names of their own, or pass them as parameters",
        "a bytes": "make it a NumPy array of ints",
    }
    name: str
    what: str

    def message(self) -> str:
        return f"`{self.name}` of the module is {self.what}, which a differentiated function cannot read"

    def label(self) -> str:
        return self.what

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(self.WAYS[self.what]),)


@frozen
class TooDeep(Message):
    """A function whose expressions or blocks are nested too deeply for Python's recursion."""

    slug = "unsupported"
    function: str

    def message(self) -> str:
        return f"`{self.function}` is nested too deeply to be checked"

    def label(self) -> str:
        return "somewhere in this function"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("give names to parts of the long expression, or move inner blocks into helpers"),)


@frozen
class UnknownName(Message):
    slug = "unknown-name"
    name: str
    near: str = ""

    def message(self) -> str:
        return f"there is no name `{self.name}` here" + (f"; `{self.near}` is near" if self.near else "")

    def label(self) -> str:
        return "unknown name"

    def fixes(self) -> tuple[Fix, ...]:
        s = self.span
        edits = (Edit(s, self.near),) if s.line == s.end_line and s.end_column - s.column == len(self.name) else ()
        return (Fix(f"write `{self.near}`", edits),) if self.near else ()


@frozen
class UnknownFunction(Message):
    """A library function or attribute that linad does not know.

    ``near``: names that may have been meant in place of the text ``at``. ``instead``: a replacement. ``outside``: it
    has no place in a function that is differentiated.
    """

    slug = "unknown-function"
    name: str
    near: tuple[str, ...] = ()
    at: Span | None = None
    instead: str = ""
    outside: bool = False

    def message(self) -> str:
        return f"`{self.name}` is not known to linad"

    def label(self) -> str:
        return "no meaning and no derivative is known for this"

    def fixes(self) -> tuple[Fix, ...]:
        if not self.near:
            written = self.instead or "write it out with scalar operations and loops"
            if self.outside:
                return (Fix(written),)
            return (Fix(f"{written}; or say what it means in plain Python, under `@linad.implements({self.name})`"),)
        return near_fixes(self.near, self.at)


def near_fixes(near: tuple[str, ...], at: Span | None) -> tuple[Fix, ...]:
    """Fixes that replace the text ``at`` by names that may have been meant; only the last part of a dotted name, if
    that is the text there."""

    def edits(name: str) -> tuple[Edit, ...]:
        return () if at is None else (Edit(at, name.rpartition(".")[2]),)

    return tuple(Fix(f"{'or ' if k else ''}write `{n}`", edits(n)) for k, n in enumerate(near))


@frozen
class NoMember(Message):
    """A method or attribute that arrays do not have."""

    slug = "unsupported"
    what: str  # such as "an array has no method `.summ`"
    near: tuple[str, ...] = ()
    at: Span | None = None
    instead: str = ""

    def message(self) -> str:
        return self.what

    def label(self) -> str:
        return "no such name"

    def fixes(self) -> tuple[Fix, ...]:
        return near_fixes(self.near, self.at) if self.near else (Fix(self.instead),) if self.instead else ()


@frozen
class MaybeUndefined(Message):
    slug = "maybe-undefined"
    name: str
    bound: Span | None = None  # where it was bound, if it was
    error: str = "UnboundLocalError"

    def message(self) -> str:
        return f"`{self.name}` may be undefined here"

    def label(self) -> str:
        return f"raises {self.error} where it is"

    def labels(self) -> tuple[Label, ...]:
        return (
            () if self.bound in (None, self.span) else (Label(self.bound, "bound here, which some paths do not pass"),)
        )

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"give `{self.name}` a value before the branch or loop"),)


@frozen
class Undefined(Message):
    slug = "undefined"
    name: str
    near: tuple[str, ...] = ()

    def message(self) -> str:
        return f"`{self.name}` is used before it has a value"

    def label(self) -> str:
        return "no path to here gives it a value"

    def fixes(self) -> tuple[Fix, ...]:
        s = self.span
        at = s if s.line == s.end_line and s.end_column - s.column == len(self.name) else None
        return near_fixes(self.near, at) if self.near else (Fix(f"give `{self.name}` a value first"),)


@frozen
class BadCall(Message):
    """The arguments of a call do not match the parameters."""

    slug = "bad-call"
    callee: str
    why: str
    defined: Label | None = None  # the position of the parameters
    near: tuple[str, ...] = ()  # what may have been meant in place of the text ``at``
    at: Span | None = None
    where: str = "in this call"
    instead: str = ""

    def message(self) -> str:
        return f"`{self.callee}` {self.why}"

    def label(self) -> str:
        return self.where

    def labels(self) -> tuple[Label, ...]:
        return () if self.defined is None else (self.defined,)

    def fixes(self) -> tuple[Fix, ...]:
        return near_fixes(self.near, self.at) if self.near else (Fix(self.instead),) if self.instead else ()


@frozen
class MixedReturns(Message):
    slug = "mixed-returns"
    one: str
    other: str
    first: Span
    end: bool = False  # the other path reaches the end of the function without a `return`

    def message(self) -> str:
        return f"one path returns {self.one} and another {'nothing' if self.end else self.other}"

    def label(self) -> str:
        return "goes on to the end of the function, which has no `return`" if self.end else f"{self.other} here"

    def labels(self) -> tuple[Label, ...]:
        return () if self.first == self.span else (Label(self.first, f"{self.one} here"),)

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("end with a `return`" if self.end else "return values of one type on every path"),)


@frozen
class OptionError(Message):
    """An option of the decorator that does not match the function."""

    slug = "bad-option"
    why: str
    near: str = ""  # what may have been meant
    at: Span | None = None  # the position of the name, which ``near`` replaces
    known: tuple[str, ...] = ()

    def message(self) -> str:
        return self.why

    def notes(self) -> tuple[str, ...]:
        return (f"there are {', '.join(f'`{k}`' for k in self.known)}",) if self.known and not self.near else ()

    def fixes(self) -> tuple[Fix, ...]:
        edits = (Edit(self.at, self.near),) if self.at is not None else ()
        return (Fix(f"write `{self.near}`", edits),) if self.near else ()
