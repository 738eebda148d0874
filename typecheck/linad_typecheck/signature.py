"""Signatures of checked functions: structures over the flat parameters and results of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from .ir.core import Program
from .diagnostics import Diagnostic
from .facts import Fact
from .frozen import frozen
from .names.scope import RecordClass
from .types import Type

# A structure is a Leaf, a tuple of structures, a record of structures, or None (for a result that is None, or for a
# static argument).


@frozen(slots=True)
class Leaf:
    """A scalar or array. ``index`` numbers flat parameters (or flat results). ``weak``: passed or returned as a
    Python scalar (`float`, `int`, `bool`) rather than a NumPy one."""

    index: int
    type: Type
    weak: bool = False


@frozen(slots=True)
class RecordTag:
    """The class of a record. ``handle`` is the live class, if there is one; caches omit it.

    A text in a result is a record without fields, whose name is the text and whose key is ``builtins.str``.
    """

    name: str
    key: str
    fields: tuple[str, ...]
    named_tuple: bool
    handle: object = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return RecordTag, (self.name, self.key, self.fields, self.named_tuple)


@frozen(slots=True)
class RecordStructure:
    """A `NamedTuple` or dataclass: its class, and a structure per field."""

    tag: RecordTag
    items: tuple[Structure, ...]

    def __iter__(self) -> Iterator[Structure]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


Structure = Leaf | tuple["Structure", ...] | RecordStructure | None


@frozen(slots=True)
class ParamInfo:
    """A parameter of the Python function.

    ``dims``: for each of its array leaves, the annotated dimensions as text (``("n", "d+1")``, None if unknown), for
    checks at entry and their messages.
    """

    name: str
    structure: Structure
    dims: tuple[tuple[str, ...] | None, ...] = ()


@frozen(slots=True)
class Signature:
    name: str
    params: tuple[ParamInfo, ...]
    result: Structure
    hidden: tuple[str, ...] = ()  # keys of module-level arrays, which are additional flat `read` parameters at the end
    updates: tuple[str, ...] = ()  # parameters whose update the caller sees
    given_back: str = ""  # the one of these that is also returned; ``result`` is then None
    # result leaves that are the caller's arrays, paired with the leaves of the parameters
    copied: tuple[tuple[int, int], ...] = ()


@frozen(slots=True)
class Alike:
    """A flat argument of a call with the same shape as an earlier one, although no annotation says so."""

    array: int
    other: int


@frozen(slots=True)
class ArgType:
    """The type of an argument leaf. ``weak`` for Python scalars. ``sizes``: of an array for whose shape, or some axes
    of it, the function is specialised; None for other axes."""

    type: Type
    weak: bool = False
    sizes: tuple[int | None, ...] = ()


@frozen(slots=True)
class ArgStatic:
    """An argument that is not a number, or for which the function is specialised: None, a bool, a string, an int, or
    an entity such as a member of an enumeration. ``kind`` distinguishes ``True`` from 1."""

    value: object
    kind: str


@frozen(slots=True)
class ArgRecord:
    """The types of a record argument, per field."""

    record: RecordClass
    items: tuple[object, ...]


# The types of the arguments of a call, by parameter name: an ArgType, an ArgStatic, or a nested tuple or ArgRecord of
# these. For a missing name the annotation is used. Without one the type is unknown, and the function is checked as far
# as possible.
Binding = Mapping[str, object]


@frozen
class Checked:
    """The result of `check`. ``program`` is None if a diagnostic is an error, or if a type is unknown."""

    program: Program | None
    signature: Signature | None
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: tuple[Fact, ...] = ()
    missing: tuple[str, ...] = ()  # parameters whose types a call must supply
    depends: tuple[object, ...] = field(default=())  # the entities looked up, which a cache key must cover
    # parameters whose values a call must supply, because the function is compiled for each value
    fixed: tuple[str, ...] = ()
