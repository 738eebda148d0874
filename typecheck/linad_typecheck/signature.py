"""What a checked function takes and gives, as structures over the flat parameters and results of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .core import Program
from .diagnostics import Diagnostic
from .facts import Fact
from .types import Type

# A structure is a Leaf, a tuple of structures, or None (a result that is None).


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar or array; ``index`` counts flat parameters (or flat results). ``weak``: given or returned as a Python
    scalar (`float`, `int`, `bool`), not as a NumPy one."""

    index: int
    type: Type
    weak: bool = False


Structure = Leaf | tuple["Structure", ...] | None


@dataclass(frozen=True, slots=True)
class ParamInfo:
    """A parameter of the Python function. ``dims`` holds, per array leaf of it, the annotated dimensions as text
    (``("n", "d+1")``; None where nothing is known), for entry checks and their messages."""

    name: str
    structure: Structure
    dims: tuple[tuple[str, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    params: tuple[ParamInfo, ...]
    result: Structure
    hidden: tuple[str, ...] = ()  # keys of module-level arrays: further flat `read` parameters of the core, at the end
    updates: tuple[str, ...] = ()  # parameters the caller sees updated


@dataclass(frozen=True, slots=True)
class ArgType:
    """The type of one actual argument leaf; ``weak`` for Python scalars."""

    type: Type
    weak: bool = False


# The types of the arguments of a call, per parameter name: an ArgType or a tuple of such, nested. A missing name takes its
# annotation; without one its type is unknown and the function is checked as far as that goes.
Binding = Mapping[str, object]


@dataclass(frozen=True)
class Checked:
    """The outcome of `check`. ``program`` is None where a diagnostic is an error or a type is still unknown."""

    program: Program | None
    signature: Signature | None
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: tuple[Fact, ...] = ()
    missing: tuple[str, ...] = ()  # parameters whose types a call must supply
    depends: tuple[object, ...] = field(default=())  # entities looked up: what a cache key must cover
