"""What a name outside a function means: the one door through which lowering sees modules, helpers and constants.

The editor answers from the parsed module alone; a call answers from the live function (`linad/boundary/live.py`). Both
give the same entities, so that lowering cannot tell them apart.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import field, replace
from functools import cache
from typing import Protocol

from ..frozen import frozen
from ..source import SourceFile
from ..types import Array


@frozen(slots=True)
class Module:
    """``numpy``, ``math``, a module of the user, ...: attributes are looked up by dotted name, in libraries as
    `External`.

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


# Libraries whose names are what the front end knows of them; an object of one is found by the name that it is exported
# under.
LIBRARIES = (
    "numpy", "math", "builtins", "scipy", "jaxtyping", "linad", "numba", "typing", "functools", "operator",
    "dataclasses",
    "collections", "copy", "warnings", "logging",
)  # fmt: skip

# Libraries of which nothing is read: they compute outside of Python's text, or with arrays of their own. All else is
# looked at.
FOREIGN = (
    "jax",
    "torch",
    "tensorflow",
    "autograd",
    "cupy",
    "pandas",
    "matplotlib",
    "sympy",
    "numexpr",
    "tqdm",
    "polars",
    "xarray",
    "seaborn",
)

NO_DEFAULT = Opaque("no default")
IMPORTED = "import "  # begins the name of what a function imports itself: `import package.module:name`
LOST = "__lost__"  # stands for what a line computes that does not parse


def is_library(dotted: str) -> bool:
    """Whether a module that is no file of the project is known by its name: a library that linad or Python comes with,
    or one of arrays of its own. The functions of others may be helpers, whose text is found where the module is run."""
    root = dotted.partition(".")[0]
    return root in LIBRARIES or root in FOREIGN or root in sys.stdlib_module_names


@frozen(slots=True)
class Member:
    """What a class has besides fields: ``kind`` is ``method``, ``property``, ``static``, ``class``, or ``value`` for a
    class variable; ``entity`` the function or the value."""

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
    mutable: bool = False  # whether its attributes can be assigned to

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def __repr__(self) -> str:
        return f"<record {self.mark or self.key}>"


MOST_LISTED = 32  # items of a list, each of which is a value of its own
MOST_KEYS = 256  # of a dict of the module
LIST = RecordClass("list", "builtins.list", True, (), handle=list)
# Lists whose length is known at run time only: of NumPy's numbers, and of Python's (`engine.growing`).
GROWING = tuple(
    RecordClass("list", key, False, (RecordField("items"), RecordField("count")), handle=list)
    for key in ("%list", "%list of Python's")
)
# What calls give for them.
RETURNED = tuple(RecordClass("list", f"{c.key} returned", True, (RecordField("items"),), handle=list) for c in GROWING)


def dict_class(keys: tuple[object, ...]) -> RecordClass:
    """The class of the dicts with these keys in this order: the same for the same."""
    return _dict_class(tuple((type(k), k) for k in keys))


@cache
def _dict_class(keys: tuple[tuple[type, object], ...]) -> RecordClass:
    fields = tuple(RecordField(k) for _, k in keys)  # type: ignore[arg-type]  # those of the module may be ints, too
    return RecordClass("dict", "builtins.dict", False, fields, mark=f"dict {[k for _, k in keys]!r}", handle=dict)


# By key; the named tuples that library functions return are entered where the library is imported.
LIBRARY_CLASSES: dict[str, object] = {"builtins.list": list, "builtins.dict": dict, **{c.key: list for c in RETURNED}}


@frozen(slots=True)
class RecordConstant:
    """A module-level record of constants; ``items`` holds constants and further ones of these."""

    record: RecordClass
    items: tuple[object, ...]


@frozen(slots=True)
class EnumMember:
    """A member of an enumeration. ``value`` is a constant, or an `Opaque`; ``plain``: the member is its value, as of
    `IntEnum`."""

    key: str  # of the class
    name: str
    value: object
    plain: bool = False


@frozen(slots=True)
class EnumClass:
    key: str
    members: tuple[EnumMember, ...]


@frozen(slots=True)
class ErrorClass:
    """An exception of the user's: ``kind`` is where it is found, module and qualified name, or the builtin one it
    derives from."""

    kind: str


@frozen
class Instance:
    """An object of the user's, or a class as a namespace: its attributes are looked up in ``scope`` as those of a
    module are. ``classes`` are its own class and those that this is derived from; ``made`` says what an object of a
    class would be told."""

    name: str  # by which the scope knows it
    key: str
    classes: tuple[str, ...]
    scope: Scope = field(compare=False, hash=False, repr=False)
    made: Opaque | None = None  # of a class: why it is not called
    handle: object = field(default=None, compare=False, hash=False, repr=False)  # a class itself
    others: tuple[str, ...] = ()  # of a class: what it has besides attributes of objects


@frozen(slots=True)
class Items:
    """A tuple, list or dict of the module whose items are no constants: each is looked up by its place."""

    record: RecordClass | None
    items: tuple[Entity, ...]


@frozen(slots=True)
class Applied:
    """A function some of whose arguments are given: a method, or `functools.partial`. ``now``, it is a property."""

    function: Entity
    args: tuple[Entity, ...] = ()
    keywords: tuple[tuple[str, Entity], ...] = ()
    now: bool = False


GIVEN = "given argument "  # begins the name of an argument that is looked up as names are: `given argument f`

Entity = (
    Instance
    | Applied
    | Items
    | ErrorClass
    | Module
    | External
    | Constant
    | GlobalArray
    | Helper
    | Annotation
    | Opaque
    | RecordClass
    | EnumMember
    | EnumClass
)


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

    def implemented(self) -> frozenset[str]:
        """The library functions of which `linad.implements` says what they mean."""
        ...

    def implementation(self, dotted: str) -> FunctionSource | None:
        """What it says of one of them."""
        ...


@frozen(slots=True)
class CustomRule:
    """The derivative that a user gives a function: ``vjp`` by a forward and a backward function, ``jvp`` by one
    function, ``jvps`` by one for each parameter, None for those without a derivative. ``nondiff`` are positions of
    parameters. Without ``functions`` it has not been given yet. ``tangent`` is a second rule, for forward mode."""

    kind: str
    functions: tuple[FunctionSource | None, ...] = ()
    nondiff: tuple[int, ...] = ()
    tangent: CustomRule | None = None


@frozen(slots=True)
class Compiled:
    """Of a function that `linad.rule` declares, the name of the compiled function that it stands for, and the
    parameters that it is linear in, all of them together."""

    key: str
    linear: tuple[str, ...] = ()


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
    elementwise: bool = False  # a function of scalars that is applied to arrays cell by cell
    again: bool = False  # under `linad.checkpoint`: its inside is run again in the reverse sweep
    strict: bool = False  # an update that shows under a second name is an error
    rule: CustomRule | None = None  # under `linad.custom_vjp`, `linad.custom_jvp` or `linad.rule`
    compiled: Compiled | None = None  # under `linad.rule`: only the header counts

    def run_again(self) -> FunctionSource:
        """The function under `linad.checkpoint`."""
        if self.again or self.rule is not None:  # a rule says itself what is kept
            return self
        return replace(self, again=True, key=f"{self.key}/again")

    def undecorated(self, name: str, node: ast.FunctionDef | ast.Lambda, key: str) -> FunctionSource:
        """Another function in the place of this one: what decorators say of this one does not hold of it."""
        return FunctionSource(name, node, self.source, self.scope, key, self.defaults)

    def plain(self) -> FunctionSource:
        """The function that has a rule, as one without, apart from others of the same text."""
        assert self.rule is not None
        tangent = () if self.rule.tangent is None else self.rule.tangent.functions
        by = ",".join("" if f is None else f.key for f in (*self.rule.functions, *tangent))
        return replace(self, rule=None, key=f"{self.key}/{self.rule.kind}({by}){self.rule.nondiff}")


def parameters(a: ast.arguments) -> list[ast.arg]:
    """The parameters in the order of `inspect.signature`: ``*args`` is one that is a tuple, ``**options`` one that is a
    dict."""
    return [*a.posonlyargs, *a.args, *filter(None, (a.vararg,)), *a.kwonlyargs, *filter(None, (a.kwarg,))]


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
