"""What a checked function takes and gives, as structures over the flat parameters and results of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from .ir.core import Program
from .diagnostics import Diagnostic
from .facts import Fact
from .frozen import frozen
from .names.scope import RecordClass
from .types import Type

# A structure is a Leaf, a tuple of structures, a record of structures, or None (a result that is None, or a static
# argument).


@frozen(slots=True)
class Leaf:
    """One scalar or array; ``index`` counts flat parameters (or flat results). ``weak``: given or returned as a Python
    scalar (`float`, `int`, `bool`), not as a NumPy one."""

    index: int
    type: Type
    weak: bool = False


@frozen(slots=True)
class RecordTag:
    """The class of a record; ``handle`` is the class itself where it is alive, and is left out of caches."""

    name: str
    key: str
    fields: tuple[str, ...]
    named_tuple: bool
    handle: object = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return RecordTag, (self.name, self.key, self.fields, self.named_tuple)


@frozen(slots=True)
class RecordStructure:
    """A `NamedTuple` or frozen dataclass: its class, and a structure per field."""

    tag: RecordTag
    items: tuple[Structure, ...]

    def __iter__(self) -> Iterator[Structure]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


Structure = Leaf | tuple["Structure", ...] | RecordStructure | None


@frozen(slots=True)
class ParamInfo:
    """A parameter of the Python function. ``dims`` holds, per array leaf of it, the annotated dimensions as text
    (``("n", "d+1")``; None where nothing is known), for entry checks and their messages."""

    name: str
    structure: Structure
    dims: tuple[tuple[str, ...] | None, ...] = ()


@frozen(slots=True)
class Signature:
    name: str
    params: tuple[ParamInfo, ...]
    result: Structure
    hidden: tuple[str, ...] = ()  # keys of module-level arrays: further flat `read` parameters of the core, at the end
    updates: tuple[str, ...] = ()  # parameters the caller sees updated
    given_back: str = ""  # the one of these that is returned, too: then ``result`` is None
    # leaves of the result that are the caller's arrays, with those of the parameters
    copied: tuple[tuple[int, int], ...] = ()


@frozen(slots=True)
class Alike:
    """A flat argument of a call that has the shape of an earlier one, where no annotation says so."""

    array: int
    other: int


@frozen(slots=True)
class ArgType:
    """The type of one actual argument leaf; ``weak`` for Python scalars."""

    type: Type
    weak: bool = False


@frozen(slots=True)
class ArgStatic:
    """An argument that is no number, or one that the function is specialised for: None, a truth value, a text, an int,
    or an entity such as a member of an enumeration. ``kind`` tells ``True`` from 1."""

    value: object
    kind: str


@frozen(slots=True)
class ArgRecord:
    """The types of a record argument, per field."""

    record: RecordClass
    items: tuple[object, ...]


# The types of the arguments of a call, per parameter name: an ArgType, an ArgStatic, a tuple or an ArgRecord of such,
# nested. A missing name takes its annotation; without one its type is unknown and the function is checked as far as
# that goes.
Binding = Mapping[str, object]


@frozen
class Checked:
    """The outcome of `check`. ``program`` is None where a diagnostic is an error or a type is still unknown."""

    program: Program | None
    signature: Signature | None
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: tuple[Fact, ...] = ()
    missing: tuple[str, ...] = ()  # parameters whose types a call must supply
    depends: tuple[object, ...] = field(default=())  # entities looked up: what a cache key must cover
    fixed: tuple[str, ...] = ()  # parameters whose values a call must supply: the function is compiled for each
