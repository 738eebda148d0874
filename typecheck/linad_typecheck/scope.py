"""What a name outside a function means: the one door through which lowering sees modules, helpers and constants.

The editor answers from the parsed module alone; a call answers from the live function (`linad/boundary/live.py`). Both
give the same entities, so that lowering cannot tell them apart.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import field, replace
from typing import Protocol

from .frozen import frozen
from .source import SourceFile
from .types import Array


@frozen(slots=True)
class Module:
    """``numpy``, ``math``, a module of the user, ...: attributes are looked up by dotted name, in libraries as `External`.

    ``file`` is where the text of a module of the project is; empty for libraries, and where the module is alive.
    """

    dotted: str
    file: str = ""


@frozen(slots=True)
class External:
    """A function, class or constant of a library or of builtins, by its canonical dotted name: ``numpy.sin``,
    ``math.pi``, ``builtins.range``, ``jaxtyping.Float64``, ``linad.linear_grad``."""

    dotted: str


@frozen(slots=True)
class Constant:
    """A module-level (or closure) scalar, tuple or record of such; part of the specialisation."""

    value: object


@frozen(slots=True)
class GlobalArray:
    """A module-level array: a hidden read-only argument, live. ``key`` finds it again at each call.

    From the text alone the type, or whether it is an array at all, may not be known: then ``type`` is None.
    """

    type: Array | None
    key: str


@frozen(slots=True)
class Helper:
    """Another Python function whose source can be lowered."""

    function: FunctionSource


@frozen(slots=True)
class Annotation:
    """A module-level alias such as ``Vec = Float64[np.ndarray, "n"]``: its expression, read in ``scope``."""

    node: ast.expr
    scope: Scope


@frozen(slots=True)
class Opaque:
    """Something that exists but has no meaning inside a checked function; ``what`` names it for the message."""

    what: str
    instead: str = ""


# Libraries whose names are what the front end knows of them; an object of one is found by the name that it is exported under.
LIBRARIES = (
    "numpy", "math", "builtins", "scipy", "jaxtyping", "linad", "numba", "typing", "functools", "operator", "dataclasses",
    "collections", "copy",
)  # fmt: skip

# Libraries of which none has a function that could be a helper; of any other one that is not in the project nothing is known.
FOREIGN = ("jax", "torch", "tensorflow", "autograd", "cupy", "pandas", "sklearn", "matplotlib", "sympy", "numexpr", "tqdm", "polars", "xarray",
           "seaborn", "statsmodels", "joblib")  # fmt: skip

NO_DEFAULT = Opaque("no default")
LOST = "__lost__"  # stands for what a line computes that does not parse


def is_library(dotted: str) -> bool:
    """Whether a module that is no file of the project is known by its name: a library that linad or Python comes with, or one
    of arrays of its own. The functions of others may be helpers, whose text is found where the module is run."""
    root = dotted.partition(".")[0]
    return root in LIBRARIES or root in FOREIGN or root in sys.stdlib_module_names


@frozen(slots=True)
class Member:
    """What a class has besides fields: ``kind`` is ``method``, ``property``, ``static``, ``class``, or ``value`` for a class
    variable; ``entity`` the function or the value."""

    kind: str
    entity: Entity


@frozen(slots=True)
class RecordField:
    """``note`` is the annotation, read in ``scope``; ``default`` a constant, or an entity where it is none."""

    name: str
    note: ast.expr | None = None
    scope: Scope | None = None
    default: object = NO_DEFAULT
    keyword: bool = False  # given by name only


@frozen(slots=True, eq=False, repr=False)
class RecordClass:
    """A class whose instances are their fields: a `NamedTuple` or a frozen dataclass.

    Classes are told apart by identity; ``mark`` is the same in another process exactly where nothing about the class
    has changed. ``handle`` is the class itself where it is alive.
    """

    name: str
    key: str  # module and qualified name
    named_tuple: bool  # may be indexed and unpacked, too
    fields: tuple[RecordField, ...]
    others: tuple[str, ...] = ()  # methods, properties and class variables
    mark: str = ""
    handle: object = None
    members: tuple[tuple[str, Member], ...] = ()  # what is known of ``others`` from the text alone

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def __repr__(self) -> str:
        return f"<record {self.mark or self.key}>"


LIBRARY_CLASSES: dict[str, object] = {}  # named tuples that library functions return, by key: filled where the library is imported


@frozen(slots=True)
class RecordConstant:
    """A module-level record of constants; ``items`` holds constants and further ones of these."""

    record: RecordClass
    items: tuple[object, ...]


Entity = Module | External | Constant | GlobalArray | Helper | Annotation | Opaque | RecordClass


class Scope(Protocol):
    def lookup(self, name: str) -> Entity | None:
        """The entity a free name stands for; None where there is no such name."""
        ...

    def names(self) -> tuple[str, ...]:
        """Every name there is, for "did you mean"."""
        ...

    def member(self, record: RecordClass, name: str) -> Member | None:
        """What a class has under a name besides its fields."""
        ...


@frozen
class FunctionSource:
    """A function to be lowered. ``key`` tells apart two functions of one name (closures, redefinitions)."""

    name: str
    node: ast.FunctionDef | ast.Lambda
    source: SourceFile
    scope: Scope = field(compare=False, hash=False, repr=False)
    key: str = ""
    defaults: tuple[tuple[str, object], ...] = ()  # of parameters, as live values or constants
    updates: tuple[str, ...] = ()
    wrt: tuple[str | int, ...] | None = None
    again: bool = False  # under `linad.checkpoint`: its inside is run again in the reverse sweep

    def run_again(self) -> FunctionSource:
        """The function under `linad.checkpoint`."""
        return self if self.again else replace(self, again=True, key=f"{self.key}/again")


def written(node: ast.expr) -> str:
    """An expression as text; names with dots, which most of those asked about are, at once."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return f"{name}.{attr}"
    return ast.unparse(node)


def resolve(node: ast.expr, scope: Scope) -> Entity | None:
    """The entity of a name or of a dotted name; None for other expressions and unknown names."""
    match node:
        case ast.Name(id=name):
            return scope.lookup(name)
        case ast.Attribute(value=value, attr=attr):
            match resolve(value, scope):
                case Module(dotted=dotted):
                    return scope.lookup(written(node)) or External(f"{dotted}.{attr}")
                case External(dotted=dotted):
                    return External(f"{dotted}.{attr}")
    return None
