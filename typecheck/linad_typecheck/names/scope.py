"""What a global name means: the one interface through which lowering sees modules, helpers and constants.

An editor answers from the parsed module alone, a call from the live function (`linad/boundary/live.py`). Both give the
same entities, so lowering does not depend on which one it uses.
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
    """A module: ``numpy``, ``math``, or one of the user. In libraries, attributes are looked up by dotted name, as
    `External`.

    ``file``: the path of a module of the project; empty for libraries and for live modules.
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
    """A scalar, or a tuple or record of scalars, of a module or a closure. It is part of the specialisation."""

    value: object


@frozen(slots=True)
class GlobalArray:
    """A module-level array: a hidden read-only argument, which is read at each call. ``key`` identifies it there.

    ``type`` is None if the text does not determine its type, or whether it is an array at all.
    """

    type: Array | None
    key: str


@frozen(slots=True)
class Helper:
    """Another Python function whose source can be lowered."""

    function: FunctionSource


@frozen(slots=True)
class Annotation:
    """A module-level alias such as ``Vec = Float64[np.ndarray, "n"]``: an expression, evaluated in ``scope``."""

    node: ast.expr
    scope: Scope


@frozen(slots=True)
class Opaque:
    """Something that exists but has no meaning inside a checked function. ``what`` describes it in messages."""

    what: str
    instead: str = ""


# Libraries that the front end knows by name. Their objects are identified by the name under which they are exported.
LIBRARIES = (
    "numpy", "math", "builtins", "scipy", "jaxtyping", "linad", "numba", "typing", "functools", "operator",
    "dataclasses",
    "bisect", "collections", "copy", "heapq", "logging", "statistics", "warnings",
)  # fmt: skip

# Libraries that are never parsed, because they compute outside of Python or with their own arrays. All others are.
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
IMPORTED = "import "  # prefix of the name of an import inside a function: `import package.module:name`
LOST = "__lost__"  # stands for the value of a line that does not parse


def is_library(dotted: str) -> bool:
    """Whether a module is known by name alone: it belongs to linad, Python, or a library with its own arrays.

    Functions of other modules may be helpers; their text is found where the module is run.
    """
    root = dotted.partition(".")[0]
    return root in LIBRARIES or root in FOREIGN or root in sys.stdlib_module_names


@frozen(slots=True)
class Member:
    """A class attribute that is not a field.

    ``kind`` is ``method``, ``property``, ``cached`` for a property that stores its value, ``static``, ``class``,
    ``value`` for a class variable, or ``compares`` for a comparison that the dataclass decorator made. ``entity`` is
    the function or value, or the names of the fields that are compared.
    """

    kind: str
    entity: Entity


@frozen(slots=True)
class RecordField:
    """A field of a record class. ``note``: its annotation, evaluated in ``scope``. ``default``: a constant, or
    another entity."""

    name: str
    note: ast.expr | None = None
    scope: Scope | None = None
    default: object = NO_DEFAULT
    keyword: bool = False  # keyword-only
    compared: bool = True  # by the comparisons that the decorator makes; of classes known from their text


@frozen(slots=True, eq=False, repr=False)
class RecordClass:
    """A class whose instances are determined by their fields: a `NamedTuple` or a dataclass.

    Lists, dicts with known keys, and objects made by an ``__init__`` have such a class, too. Classes are compared
    by identity. ``mark`` is equal in another process if and only if the class is unchanged. ``handle`` is the live
    class, if there is one.
    """

    name: str
    key: str  # module and qualified name
    named_tuple: bool  # also supports indexing and unpacking
    fields: tuple[RecordField, ...]
    others: tuple[str, ...] = ()  # methods, properties and class variables
    mark: str = ""
    handle: object = None
    members: tuple[tuple[str, Member], ...] = ()  # what the text determines about ``others``
    mutable: bool = False  # whether its attributes can be assigned to
    parents: tuple[str, ...] = ()  # the keys of its base classes, if it is known from a text

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    def __repr__(self) -> str:
        return f"<record {self.mark or self.key}>"


MOST_LISTED = 32  # longest list among arguments whose items are separate values
MOST_KEYS = 256  # largest dict or list of a module
LIST = RecordClass("list", "builtins.list", True, (), handle=list)
# A range of which all ints are known, which are its items, and any other one.
KNOWN_RANGE = RecordClass("range", "builtins.range", True, ())
RANGE = RecordClass("range", "builtins.range", False, tuple(map(RecordField, ("start", "stop", "step"))))
# A complex number, or an array of them: the real and the imaginary part, numbers or arrays of one shape.
_PARTS = RecordField("real"), RecordField("imag")
COMPLEX = RecordClass("complex", "builtins.complex", False, _PARTS, mark="builtins.complex", handle=complex)
# One of several values known at compile time: a code, and all values that it may stand for (`engine.choices`).
CHOICE = RecordClass("choice", "%choice", False, (RecordField("code"),))
# Lists whose length is known only at run time, of NumPy's and of Python's numbers (`engine.growing`).
GROWING = tuple(
    RecordClass("list", key, False, (RecordField("items"), RecordField("count")), handle=list)
    for key in ("%list", "%list of Python's")
)
# The lists that such a list holds: their items, with one more axis, and an array of their lengths.
ROWS = tuple(
    RecordClass("list", f"{c.key} in a list", False, (RecordField("items"), RecordField("counts")), handle=list)
    for c in GROWING
)
# The arrays of several lengths that such a list holds: their cells, with one more axis, and an array of their lengths.
SPANS = RecordClass("array", "%arrays of several lengths", False, (RecordField("cells"), RecordField("counts")))
# The classes of such lists as results of a call.
RETURNED = tuple(RecordClass("list", f"{c.key} returned", True, (RecordField("items"),), handle=list) for c in GROWING)
# The classes of lists of such lists, of one length, as results: arrays of their numbers.
NESTED = tuple(replace(c, key=f"{c.key}, in lists") for c in RETURNED)
# Of lists of tuples and of lists, as a list for each place in them; of dicts and sets, as lists of keys and values.
COLUMNS = {
    kind: RecordClass(of.__name__, f"%{kind} returned", True, (), handle=of)
    for kind, of in {"list of tuples": list, "list of lists": list, "dict": dict, "set": set}.items()
}


def _hashed(name: str, default: object = None, fields: str = "keys values table") -> RecordClass:
    parts = tuple(map(RecordField, fields.split()))
    return RecordClass(name, f"%{name} {default}", False, parts, (), f"%{name} {default}", dict, mutable=True)


# Dicts and sets with keys known only at run time (`engine.hashed`). The values of missing keys are part of the class.
DICT, SET, COUNTER = _hashed("dict"), _hashed("set", fields="keys table"), _hashed("Counter", 0)
DEFAULTS = {kind: _hashed("defaultdict", kind) for kind in ("float", "int", "list")}
DEQUE = _hashed("deque", fields="items head most")  # the items from ``head`` on; ``most``: its `maxlen`, or -1


@cache
def default_class(shown: str) -> RecordClass:
    """The class of a `defaultdict` whose missing keys have a value that is shown so. It is one object for each."""
    return _hashed("defaultdict", shown)


class _Hashed:
    """The classes of dicts and sets with keys known only at run time."""

    def __contains__(self, record: object) -> bool:
        if not isinstance(record, RecordClass) or record.key[:1] != "%":
            return False
        return record in (DICT, SET, COUNTER) or record.name == "defaultdict"


HASHED = _Hashed()


def dict_class(keys: tuple[object, ...]) -> RecordClass:
    """The class of dicts with these keys in this order. It is the same object for the same keys."""
    return _dict_class(keys, _types(keys))


def _types(key: object) -> object:
    """What tells apart keys that are equal in Python, such as 1, 1.0 and True."""
    return tuple(map(_types, key)) if isinstance(key, tuple) else type(key)


@cache
def _dict_class(keys: tuple[object, ...], types: object) -> RecordClass:
    fields = tuple(RecordField(k) for k in keys)  # type: ignore[arg-type]  # those of the module may be ints, too
    return RecordClass("dict", "builtins.dict", False, fields, mark=f"dict {list(keys)!r}", handle=dict)


LIBRARY_OBJECT = "%object "  # in front of the key of a class of NumPy or SciPy that is no tuple


def is_library_object(record: RecordClass) -> bool:
    """Whether a class is one of NumPy or SciPy of which a function of the user's returns no object."""
    return record.mark.startswith(LIBRARY_OBJECT)


FROZEN = "%frozen "  # in front of the name of a distribution that holds its parameters


@cache
def frozen_class(dotted: str, count: int, names: tuple[str, ...]) -> RecordClass:
    """The class of a distribution of SciPy with ``count`` parameters by position, and others by name."""
    names = (*map(str, range(count)), *names)
    mark = f"{LIBRARY_OBJECT}{dotted} {names}"
    return RecordClass(dotted.rpartition(".")[2], f"{FROZEN}{dotted}", False, tuple(map(RecordField, names)), mark=mark)


# By key. The named tuples that library functions return are entered when the library is imported.
LIBRARY_CLASSES: dict[str, object] = {
    "builtins.list": list,
    "builtins.dict": dict,
    "builtins.str": str,
    COMPLEX.key: complex,
    **{c.key: c.handle for c in (*RETURNED, *NESTED, *COLUMNS.values())},
}


@frozen(slots=True)
class RecordConstant:
    """A module-level record of constants. ``items`` are constants or nested records of constants."""

    record: RecordClass
    items: tuple[object, ...]

    @staticmethod
    def of_range(r: range) -> RecordConstant:
        few = len(r) <= MOST_KEYS
        return RecordConstant(KNOWN_RANGE, tuple(r)) if few else RecordConstant(RANGE, (r.start, r.stop, r.step))


@frozen(slots=True)
class EnumMember:
    """A member of an enumeration. ``value`` is a constant or an `Opaque`. ``plain``: the member is equal to its
    value, as in `IntEnum`."""

    key: str  # of the class
    name: str
    value: object
    plain: bool = False


@frozen(slots=True)
class EnumClass:
    """An enumeration. ``names``: of its members and of their aliases, in order."""

    key: str
    names: tuple[tuple[str, EnumMember], ...]

    @property
    def by_name(self) -> dict[str, EnumMember]:
        return dict(self.names)

    @property
    def members(self) -> tuple[EnumMember, ...]:
        return tuple(m for n, m in self.names if n == m.name)


@frozen(slots=True)
class ErrorClass:
    """A user-defined exception. ``kind``: its module and qualified name, or the builtin exception that it derives
    from. ``classes``: the names of itself and its base classes up to a builtin one; empty for a class of a function,
    whose name says nothing, and None where only the text is known."""

    kind: str
    classes: tuple[str, ...] | None = None


@frozen
class Instance:
    """An object of a user class, or a class as a namespace. Its attributes are looked up in ``scope``, as those of a
    module.

    ``classes``: its class and the base classes of that. ``made``: for a class, why it cannot be called.
    """

    name: str  # the name under which the scope knows it
    key: str
    classes: tuple[str, ...]
    scope: Scope = field(compare=False, hash=False, repr=False)
    made: Opaque | None = None  # of a class: why it is not called
    handle: object = field(default=None, compare=False, hash=False, repr=False)  # for a class: the live class
    others: tuple[str, ...] = ()  # for a class: its attributes that are not attributes of objects
    made_by: str = ""  # for a class: its `__init__` if a call only runs that on an empty object, or "nothing"


@frozen(slots=True)
class Items:
    """A module-level tuple, list or dict whose items are not all constants. Each item is an entity of its own."""

    record: RecordClass | None
    items: tuple[Entity, ...]


@frozen(slots=True)
class Applied:
    """A partially applied function: a bound method or a `functools.partial`. ``now``: it is a property, called on
    access."""

    function: Entity
    args: tuple[Entity, ...] = ()
    keywords: tuple[tuple[str, Entity], ...] = ()
    now: bool = False


SETTER = "="  # suffix of the name of a class member that stands for the function that sets it
AFTER = " after "  # in the name of a class member: it is looked up in the classes after this one, as `super()` does
FACTORY = "factory of "  # prefix of the name of a field whose `default_factory` is looked up as a class member
DEFAULT = "default of "  # prefix of the name of a parameter whose default is looked up as a name: `default of f`
GIVEN = "given argument "  # prefix of the name of an argument that is looked up as a name: `given argument f`

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
        """The entity of a free name; None if there is no such name."""
        ...

    def names(self) -> tuple[str, ...]:
        """All names, for "did you mean"."""
        ...

    def member(self, record: RecordClass, name: str) -> Member | None:
        """The class attribute of that name, unless it is a field."""
        ...

    def implemented(self) -> frozenset[str]:
        """The library functions for which `linad.implements` declares an implementation."""
        ...

    def implementation(self, dotted: str) -> FunctionSource | None:
        """The implementation that `linad.implements` declares for a library function."""
        ...


class TextScope(Scope, Protocol):
    """A scope that is known from the text of its module."""

    def key(self, name: str) -> str:
        """A name that no other class has, in this or another module."""
        ...

    def source(self, node: ast.FunctionDef | ast.Lambda, name: str, decorators: tuple[ast.expr, ...]) -> FunctionSource:
        """The function ``node`` of this scope."""
        ...


@frozen(slots=True)
class CustomRule:
    """A user-defined derivative of a function.

    ``kind``: ``vjp`` is defined by a forward and a backward function, ``jvp`` by one function, ``jvps`` by one per
    parameter, None for parameters without a derivative. ``nondiff``: positions of parameters. ``functions`` is empty if
    the rule is not defined yet. ``tangent``: a second rule, for forward mode.
    """

    kind: str
    functions: tuple[FunctionSource | None, ...] = ()
    nondiff: tuple[int, ...] = ()
    tangent: CustomRule | None = None


@frozen(slots=True)
class Compiled:
    """A function that `linad.rule` declares: the name of the compiled function, and the parameters in which it is
    jointly linear."""

    key: str
    linear: tuple[str, ...] = ()


@frozen
class FunctionSource:
    """A function to be lowered. ``key`` distinguishes functions of the same name (closures, redefinitions)."""

    name: str
    node: ast.FunctionDef | ast.Lambda
    source: SourceFile
    scope: Scope = field(compare=False, hash=False, repr=False)
    key: str = ""
    defaults: tuple[tuple[str, object], ...] = ()  # defaults of parameters, as live values or constants
    updates: tuple[str, ...] = ()
    wrt: tuple[str | int, ...] | None = None
    elementwise: bool = False  # a scalar function that is applied to arrays elementwise
    again: bool = False  # under `linad.checkpoint`: the reverse sweep runs its body again
    running: bool = False  # a generator object: the parameters of its function are defaults, captured where it started
    strict: bool = False  # an update that is visible under a second name is an error
    rule: CustomRule | None = None  # under `linad.custom_vjp`, `linad.custom_jvp` or `linad.rule`
    compiled: Compiled | None = None  # under `linad.rule`: only the header is used
    library: bool = False  # of the prelude: nothing is said about what happens inside
    lengths: bool = False  # arrays of rank 1 in a list whose length is computed may have several lengths
    anywhere: bool = False  # lowered once for calls at all places: `engine.positions` gives each its own

    def run_again(self) -> FunctionSource:
        """The function as marked by `linad.checkpoint`."""
        if self.again or self.rule is not None:  # a rule defines itself what is kept
            return self
        return replace(self, again=True, key=f"{self.key}/again")

    def undecorated(self, name: str, node: ast.FunctionDef | ast.Lambda, key: str) -> FunctionSource:
        """Another function in place of this one, without what the decorators of this one specify."""
        return FunctionSource(name, node, self.source, self.scope, key, self.defaults)

    def plain(self) -> FunctionSource:
        """The function without its rule. Its key distinguishes it from other functions with the same text."""
        assert self.rule is not None
        tangent = () if self.rule.tangent is None else self.rule.tangent.functions
        by = ",".join("" if f is None else f.key for f in (*self.rule.functions, *tangent))
        return replace(self, rule=None, key=f"{self.key}/{self.rule.kind}({by}){self.rule.nondiff}")


def parameters(a: ast.arguments) -> list[ast.arg]:
    """The parameters in the order of `inspect.signature`. ``*args`` is one parameter, a tuple, and ``**options``
    one, a dict."""
    return [*a.posonlyargs, *a.args, *filter(None, (a.vararg,)), *a.kwonlyargs, *filter(None, (a.kwarg,))]


def written(node: ast.expr) -> str:
    """The source text of an expression. Names and dotted names, the most frequent case, are handled without
    `ast.unparse`."""
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
