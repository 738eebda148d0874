"""1xx: who owns an array, and which name may still read it."""

from __future__ import annotations

from ..diagnostics import Edit, Fix, Label
from ..frozen import frozen
from ..ownership import rules
from ..ownership.rules import Rule
from ..span import NOWHERE, Span
from . import Message


def copy_fix(message: str, at: Span) -> tuple[Fix, ...]:
    """The fix that inserts ``.copy()`` after the expression at ``at``; only in words if there is no such place."""
    if at == NOWHERE:
        return (Fix(message),)
    end = Span(at.file, at.end_line, at.end_column, at.end_line, at.end_column)
    return (Fix(message, (Edit(end, ".copy()"),)),)


def copied_where_made(name: str, made: Span, copies: tuple[Edit, ...] | None) -> tuple[Fix, ...]:
    """The fix that inserts a copy where two names came to share an array: by ``copies``, or after the expression at
    ``made``."""
    text = "keep the old values with a copy"
    if copies is None:
        return copy_fix(text, made)
    return (Fix(text if copies else f"{text} where `{name}` gets its array: `.copy()`", copies),)


@frozen
class UseAfterMove(Message):
    """A name is read after its array was updated under another name, or moved into a call."""

    slug = "use-after-move"
    name: str
    by: str
    at: Span
    made: Span = NOWHERE
    written: bool = True
    copies: tuple[Edit, ...] | None = None  # edits that insert the copy; None: after the expression at ``made``

    @property
    def enforces(self) -> Rule:
        return rules.PERHAPS_UPDATED if self.written else rules.GIVEN_AWAY

    def message(self) -> str:
        if self.written:
            under = f"the name `{self.by}`" if self.by else "another name"
            return f"`{self.name}` is used after its array was updated under {under}"
        return f"`{self.name}` is used after its array was moved into {self.by}"

    def label(self) -> str:
        return "used here: plain Python would see the update" if self.written else "used here"

    def labels(self) -> tuple[Label, ...]:
        made = (
            ()
            if self.made == NOWHERE or not self.by
            else (Label(self.made, f"`{self.by}` and `{self.name}` {'may ' * self.written}share one array from here"),)
        )
        return (*made, Label(self.at, "updated here" if self.written else "moved here"))

    def fixes(self) -> tuple[Fix, ...]:
        if self.made != NOWHERE and self.written:
            return copied_where_made(self.name, self.made, self.copies)
        return (Fix(f"pass a copy: `{self.name}.copy()`"),)


@frozen
class ConflictingUpdates(Message):
    """An array that was updated under one name is updated under another."""

    slug = "conflicting-updates"
    enforces = rules.PERHAPS_UPDATED
    name: str
    by: str
    at: Span
    made: Span = NOWHERE
    copies: tuple[Edit, ...] | None = None  # as in `UseAfterMove`

    def message(self) -> str:
        other = f"`{self.by}`" if self.by else "another value"
        return f"`{self.name}` and {other} may share one array, and both are updated"

    def label(self) -> str:
        return "updated here, too: plain Python would change both"

    def labels(self) -> tuple[Label, ...]:
        made = (
            ()
            if self.made == NOWHERE or not self.by
            else (Label(self.made, f"`{self.by}` and `{self.name}` may share one array from here"),)
        )
        return (*made, Label(self.at, f"{f'`{self.by}`' if self.by else 'the other one'} is updated here"))

    def fixes(self) -> tuple[Fix, ...]:
        text = "give each its own array with a copy"
        copy = copy_fix(text, self.made) if self.copies is None else (Fix(text, self.copies),)
        return (*copy, *((Fix(f"or make all updates through `{self.by}`"),) if self.by else ()))


@frozen
class MovedInLoop(Message):
    """An iteration moves an array that the next iteration uses again."""

    slug = "moved-in-loop"
    enforces = rules.IN_LOOPS
    name: str
    by: str
    at: Span

    def message(self) -> str:
        return f"`{self.name}` is moved into {self.by} in one iteration and used again in the next"

    def label(self) -> str:
        return "used again here"

    def labels(self) -> tuple[Label, ...]:
        return () if self.at == self.span else (Label(self.at, "moved here"),)

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"bind the result to `{self.name}` again, or pass `{self.name}.copy()`"),)


@frozen
class MovedOnSomePaths(Message):
    """A name refers to different arrays on different paths, one of which is in use under another name."""

    slug = "moved-on-some-paths"
    enforces = rules.ON_SOME_PATHS
    name: str
    by: str
    at: Span
    made: Span | None = None  # where the name is bound to the other array
    copies: tuple[Edit, ...] = ()
    partner: str = ""  # the name whose array it gets in a loop: the two may be meant as buffers to exchange

    def message(self) -> str:
        other = "another name" if self.by == f"`{self.name}`" else self.by  # the array that it was on the other path
        return f"`{self.name}` may or may not share its array with {other} here"

    def label(self) -> str:
        return "used here"

    def labels(self) -> tuple[Label, ...]:
        paths = Label(self.at, f"from here on `{self.name}` means different arrays on different paths")
        return (
            (paths,)
            if self.made in (None, self.at)
            else (paths, Label(self.made, f"on this path `{self.name}` is this array"))
        )

    def fixes(self) -> tuple[Fix, ...]:
        copy = Fix("take a copy where the name is bound: `.copy()`", self.copies)
        if not self.partner:
            return (copy,)
        return (
            copy,
            Fix(
                f"or let two arrays change places, which copies nothing: `{self.name}, {self.partner} = "
                f"{self.partner}, {self.name}`"
            ),
        )


@frozen
class PerhapsCopied(Message):
    """An array is updated or moved that is a view or a copy in NumPy, depending on sizes."""

    slug = "moved-on-some-paths"
    enforces = rules.VIEW_OR_COPY
    name: str
    by: str
    at: Span

    def message(self) -> str:
        return f"`{self.name}` may be a view or a copy: that depends on sizes at run time"

    def label(self) -> str:
        return "an update would reach the original array, or not"

    def labels(self) -> tuple[Label, ...]:
        return (
            ()
            if self.at == self.span
            else (Label(self.at, f"`{self.by}` of a part whose cells may not lie in one piece"),)
        )

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("make it a copy where it is made: `.copy()`"),)


@frozen
class ViewOnSomePaths(Message):
    """A helper returns a view of its caller's array on one path, and another array on another."""

    slug = "moved-on-some-paths"
    enforces = rules.RETURNED_VIEWS
    name: str

    def message(self) -> str:
        return f"`{self.name}` returns a view of its caller's array on one path and another array on another"

    def label(self) -> str:
        return "the caller could not know which array it has"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix("return a copy of the view: `.copy()`"),)


@frozen
class Lent(Message):
    """An array of the caller would have to be moved."""

    slug = "alias-escapes"
    enforces = rules.OF_THE_CALLER
    name: str
    how: str
    copies: tuple[Edit, ...] | None = None

    def message(self) -> str:
        return f"{self.name} belongs to the caller and is {self.how}"

    def label(self) -> str:
        return "the caller's array would get a second name"

    def fixes(self) -> tuple[Fix, ...]:
        if self.copies is None:
            return copy_fix("take a copy", self.span)
        return (Fix("take a copy", self.copies, safe=bool(self.copies) and self.how == "returned"),)


@frozen
class SharedUpdate(Message):
    """An array that was updated under one name is used or updated under another name for the same array."""

    slug = "shared-update"
    enforces = rules.FOLLOWED
    name: str
    by: str
    at: Span
    made: Span = NOWHERE
    copies: tuple[Edit, ...] | None = None  # as in `UseAfterMove`

    def message(self) -> str:
        return f"`{self.name}` and `{self.by}` are one array, which was updated under the name `{self.by}`"

    def label(self) -> str:
        return "used here, with the update, as in plain Python"

    def labels(self) -> tuple[Label, ...]:
        made = (
            ()
            if self.made == NOWHERE
            else (Label(self.made, f"`{self.by}` and `{self.name}` share one array from here"),)
        )
        return (*made, Label(self.at, "updated here"))

    def fixes(self) -> tuple[Fix, ...]:
        return copied_where_made(self.name, self.made, self.copies)


@frozen
class StoredTwice(Message):
    """An array is updated that a tuple or record holds in two places."""

    slug = "stored-twice"
    enforces = rules.STORED
    place: str
    holder: str

    def message(self) -> str:
        return f"`{self.place}` is updated, and `{self.holder}` holds that array in two places"

    def label(self) -> str:
        return "the other place would change, too"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"store a copy in one of them where `{self.holder}` is made: `.copy()`"),)


@frozen
class ReturnedTwice(Message):
    slug = "returned-twice"
    enforces = rules.RETURNED_ONCE
    name: str
    copies: tuple[Edit, ...] = ()

    def message(self) -> str:
        return f"the array `{self.name}` is returned twice"

    def label(self) -> str:
        return "the caller would hold one array under two names"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"return a copy the second time: `{self.name}.copy()`", self.copies, safe=bool(self.copies)),)


@frozen
class OverlappingArguments(Message):
    slug = "overlapping-arguments"
    enforces = rules.ARGUMENTS
    name: str
    callee: str
    first: Span
    does: str  # "updates" or "takes over"

    def message(self) -> str:
        return f"`{self.name}` is passed twice to `{self.callee}`, which {self.does} it"

    def label(self) -> str:
        return "passed again here"

    def labels(self) -> tuple[Label, ...]:
        return (Label(self.first, "passed here"),)

    def fixes(self) -> tuple[Fix, ...]:
        return copy_fix("pass a copy for one of them", self.span)


@frozen
class ArgumentUpdated(Message):
    slug = "argument-updated"
    enforces = rules.DECLARED
    name: str
    by: str
    function: str
    copy: tuple[Edit, ...] = ()  # at the start of the function
    declare: tuple[Edit, ...] = ()
    place: str = ""  # the array, if it is a part of the parameter
    own: str = ""  # the statement that copies it

    def message(self) -> str:
        through = "" if self.by in (self.name, self.place) else f" through `{self.by}`"
        return f"the caller's array `{self.place or self.name}` is updated{through}"

    def label(self) -> str:
        return "updated here"

    def notes(self) -> tuple[str, ...]:
        return (f"the caller of `{self.function}` would see its array change",)

    def fixes(self) -> tuple[Fix, ...]:
        return (
            Fix(f"work on a copy: `{self.own or f'{self.name} = {self.name}.copy()'}` first", self.copy),
            Fix(
                f'or declare the update: `@linear_grad(updates=("{self.name}",))`',
                self.declare,
                safe=bool(self.declare),
            ),
        )


@frozen
class CapturedArrayUpdated(Message):
    slug = "captured-array-updated"
    enforces = rules.OF_THE_MODULE
    name: str

    def message(self) -> str:
        return f"`{self.name}` is an array of the module and is updated here"

    def label(self) -> str:
        return "updated here"

    def fixes(self) -> tuple[Fix, ...]:
        return (Fix(f"pass `{self.name}` as a parameter, or update a copy"),)
