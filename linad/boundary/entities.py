"""The meaning of live objects inside a checked function, decided by identity and never by name."""

from __future__ import annotations

import ast
import logging
import sys
from enum import Enum
from functools import _lru_cache_wrapper
from types import BuiltinFunctionType, FunctionType, GenericAlias, ModuleType, UnionType

import numpy as np
from linad_typecheck.names.scope import (
    FOREIGN,
    LIBRARIES,
    Annotation,
    Compiled,
    Constant,
    Entity,
    EnumClass,
    EnumMember,
    ErrorClass,
    External,
    GlobalArray,
    Module,
    Opaque,
    RecordClass,
)
from linad_typecheck.types import MAX_RANK, NUMPY_NAMES, Array, DType
from linad_typecheck.words import with_article

from .records import MEANING, constant, record_class, told

DTYPES: dict[str, DType] = {name: short for short, name in NUMPY_NAMES.items()}

_PLAIN = (int, float, bool, str)


def array_type(a: np.ndarray) -> Array | None:
    """The core type of an array, or None if its dtype or rank is not supported."""
    short = DTYPES.get(a.dtype.name) if a.dtype.isnative else None
    return Array(short, a.ndim) if short is not None and a.ndim <= MAX_RANK else None


def underlying(value: object) -> tuple[FunctionType, tuple[str, ...], tuple[str | int, ...] | None] | None:
    """The plain function under a decorated, checked or jitted function, with its declared options."""
    if isinstance(value, FunctionType):
        return value, (), None
    described = getattr(type(value), "__linad_source__", None)
    if described is not None:
        return described(value)
    if isinstance(value, _lru_cache_wrapper) and isinstance(value.__wrapped__, FunctionType):
        return value.__wrapped__, (), None  # a cached result equals a computed one
    if elementwise(value):
        plain = value.pyfunc if isinstance(value, np.vectorize) else value._dispatcher.py_func
        return (plain, (), None) if isinstance(plain, FunctionType) else None
    inner = getattr(value, "py_func", None)
    if isinstance(inner, FunctionType) and type(value).__module__.startswith("numba."):
        return inner, (), None
    return None


def elementwise(value: object) -> bool:
    """Whether a value is a scalar function that is applied to arrays element by element."""
    plain = isinstance(value, np.vectorize) and value.signature is None and not value.excluded
    return plain or (type(value).__name__ == "DUFunc" and type(value).__module__.startswith("numba."))


def rules_of(value: object) -> tuple[tuple[tuple[str, tuple[object, ...]], ...], tuple[int, ...]] | None:
    """The custom rule of a function under `linad.custom_vjp`, `linad.custom_jvp` or `linad.rule`.

    Returns pairs of a kind and functions (possibly including a second rule for forward mode), and the positions of the
    parameters that the rule does not differentiate by.
    """
    described = getattr(type(value), "__linad_rule__", None)
    return None if described is None else described(value)


def compiled_of(value: object) -> Compiled | None:
    """The compiled function declared by `linad.rule`."""
    described = getattr(type(value), "__linad_compiled__", None)
    return None if described is None else described(value)


def entity(value: object, key: str) -> Entity | None:
    """The entity of an object; None for functions to be lowered."""
    if isinstance(value, ModuleType):
        return Module(value.__name__)
    if is_constant(value):
        return Constant(value)
    record = constant(value)
    if record is not None:
        return Constant(record)
    if isinstance(value, Enum):
        return member(value)
    if is_mark(value):
        return EnumMember(f"{_class_key(type(value))} object", str(_number_of(value)), Opaque("an object"))
    if isinstance(value, type) and issubclass(value, Enum) and value.__members__:
        return EnumClass(_class_key(value), tuple((n, member(m)) for n, m in value.__members__.items()))
    if isinstance(value, type) and issubclass(value, Exception) and value.__module__ not in ("builtins", *LIBRARIES):
        known = lambda c: c.__module__ == "builtins" or c is np.linalg.LinAlgError
        builtin = next(c.__name__ for c in value.__mro__ if known(c))
        if "<locals>" in value.__qualname__:
            return ErrorClass(builtin, ())
        own = (_class_key(c) for c in value.__mro__ if not known(c))
        return ErrorClass(_class_key(value), (*own, builtin))
    if isinstance(value, np.ndarray):
        kind = array_type(value)
        return GlobalArray(kind, key) if kind else _no_array(value)
    single = value is ... or value is NotImplemented
    dotted = f"builtins.{value!r}" if single else canonical(value)
    if dotted is not None:
        return External(dotted)
    names: dict[str, RecordClass] = {}
    text = annotation_text(value, names)
    if text is not None:
        return Annotation(ast.parse(text, mode="eval").body, _AliasScope(names))
    outside = _foreign(value)
    if outside is not None:
        return External(outside)
    if underlying(value) is not None:
        return None
    if isinstance(value, type):
        return record_class(value)
    if callable(value) and hasattr(value, "__wrapped__"):
        return Opaque(_described(value), "call the function without this decorator")
    if _generator(value):
        return Opaque(_described(value), "draw the numbers outside the function and pass them as an array")
    if isinstance(value, np.generic):
        return Opaque(_described(value), "make it an `int`, a `float` or a `bool`")
    if (instead := getattr(type(value), "__linad_instead__", None)) is not None:
        return Opaque(_described(value), instead)
    return Opaque(
        _described(value),
        "write what it computes as a function of the module: `def g(x): ...`" if callable(value) else "",
    )


def member(value: Enum) -> EnumMember:
    """A member of an enumeration."""
    held = value.value
    known = held if is_constant(held) else Opaque(with_article(type(held).__name__))
    return EnumMember(_class_key(type(value)), value.name, known, isinstance(value, int | str))


_OF_MARKS = frozenset(
    "__module__ __qualname__ __doc__ __slots__ __dict__ __weakref__ __firstlineno__ __static_attributes__ __new__ "
    "__repr__ __str__ __reduce__".split()
)
_marks: dict[int, object] = {}  # by `id`; they are kept, so that no other object has that number


def is_mark(value: object) -> bool:
    """Whether nothing but its identity can be known of an object, such as a default that no caller gives."""
    cls = type(value)
    if cls.__module__ == "builtins":
        return cls is object
    own = cls.__bases__ == (object,) and type(cls) is type and not isinstance(value, ModuleType | type)
    return own and not getattr(value, "__dict__", None) and vars(cls).keys() <= _OF_MARKS


def _number_of(value: object) -> int:
    """The number of an object, in the order in which they are met."""
    _marks.setdefault(id(value), value)
    return list(_marks).index(id(value))


def _class_key(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


REAL_PARTS = "pass the array as an argument, or keep its real and its imaginary part"


def _no_array(a: np.ndarray) -> Opaque:
    """An array of an unsupported dtype or rank."""
    if a.ndim > MAX_RANK:
        instead = f"reshape it: arrays have at most {MAX_RANK} axes"
    elif a.dtype.kind == "c":
        instead = REAL_PARTS
    elif a.dtype.kind in "fiub":
        instead = f"convert it where it is made: `.astype(np.{'float64' if a.dtype.kind == 'f' else 'int64'})`"
    else:
        instead = "keep its numbers in an array of floats, ints or bools"
    return Opaque(f"an array of dtype {a.dtype} and rank {a.ndim}", instead)


def _nameless(value: object) -> str | None:
    """The name of an object without `__name__`, such as `numpy.typing.NDArray` or `scipy.stats.norm`, found in its
    module."""
    home = type(value).__module__
    places = ("numpy", "numpy.typing") if home.partition(".")[0] in ("numpy", "typing", "types") else ()
    for place in ("scipy.stats",) if home.startswith("scipy.stats.") else places:
        for name, found in vars(sys.modules.get(place, ModuleType(""))).items():
            if found is value and name[0] != "_":
                return f"{place}.{name}"
    return None


def _generator(value: object) -> str:
    """The library whose random numbers an object generates, or an empty string."""
    home = type(value).__module__
    return "numpy.random" if home.startswith("numpy.random") else "random" if home == "random" else ""


def is_constant(value: object) -> bool:
    """Whether a value is a scalar, a string, None, or a nested tuple of these."""
    if type(value) is tuple:
        return all(is_constant(v) for v in value)
    return value is None or type(value) in _PLAIN or (isinstance(value, np.generic) and value.dtype.name in DTYPES)


def canonical(value: object) -> str | None:
    """The dotted name under which a library exports an object: ``numpy.sin`` for ``from numpy import sin as s``."""
    if isinstance(value, np.dtype):
        value = value.type
    if isinstance(value, logging.Logger):
        return "logging.Logger"
    if not isinstance(value, (type, FunctionType, BuiltinFunctionType)) and not callable(value):
        return _nameless(value)
    if value is object.__setattr__:
        return "builtins.object.__setattr__"
    name = getattr(value, "__name__", None)
    home = getattr(value, "__module__", None)
    owner = getattr(value, "__self__", None)
    if isinstance(owner, np.ufunc):  # e.g. `np.add.reduce`
        return f"{canonical(owner)}.{name}"
    if type(owner).__module__.startswith("scipy.stats.") and (distribution := _nameless(owner)) is not None:
        return f"{distribution}.{name}"
    if draws := _generator(owner):  # e.g. `np.random.rand`, `random.gauss`
        return f"{draws}.{name}"
    # the functions of `operator` are defined in `_operator`
    homes = [home.removeprefix("_")] if isinstance(home, str) else []
    if home == "scipy._lib._sparse":  # which exports to `scipy.sparse`
        homes = ["scipy.sparse"]
    if isinstance(value, np.ufunc):
        homes = ["numpy", "scipy.special"]
    for module in homes:
        parts = module.split(".")
        if parts[0] not in LIBRARIES or not isinstance(name, str):
            continue
        # e.g. `scipy.special._basic` exports to `scipy.special`
        for place in (".".join(parts[: k + 1]) for k in range(len(parts))):
            if vars(sys.modules.get(place, ModuleType(""))).get(name) is value or _lazily(place, name) is value:
                return f"{place}.{name}"
    return _nameless(value)


def _foreign(value: object) -> str | None:
    """The dotted name of an object whose source cannot be read: a compiled function, a builtin class, or anything from
    a library with its own array semantics."""
    name, home = getattr(value, "__name__", None), getattr(value, "__module__", None)
    owner = getattr(value, "__self__", None)
    if isinstance(owner, type) and owner.__module__ != "builtins":  # `itertools.chain.from_iterable`
        of = _foreign(owner)
        return None if of is None else f"{of}.{name}"
    if not (isinstance(name, str) and isinstance(home, str)):
        return None
    root = home.partition(".")[0]
    made = isinstance(value, BuiltinFunctionType) or (isinstance(value, type) and not issubclass(value, tuple))
    return f"{home}.{name}" if root in FOREIGN or (root in sys.stdlib_module_names and made) else None


def _lazily(place: str, name: str) -> object:
    module = sys.modules.get(place)
    return getattr(module, name, None) if place == "linad" and name in dir(module) else None


def annotation_text(value: object, names: dict[str, RecordClass]) -> str | None:
    """A type alias as source text, in the names of `_AliasScope`. ``names`` collects the record classes it mentions."""
    if type(value).__name__ == "TypeAliasType":  # Python 3.12: type Vec = ...
        return annotation_text(value.__value__, names) or canonical(value.__value__)
    if isinstance(value, GenericAlias) and value.__origin__ is np.ndarray:
        shape, element = [*value.__args__, None][:2]
        rank = getattr(shape, "__args__", (...,)) if getattr(shape, "__origin__", None) is tuple else (...,)
        sizes = "tuple[...]" if ... in rank else f"tuple[{', '.join('int' for _ in rank)}]"
        elements = " | ".join(map(_element_text, _either(*getattr(element, "__args__", ()))))
        return f"numpy.ndarray[{sizes}, numpy.dtype[{elements}]]"
    if isinstance(value, GenericAlias) and value.__origin__ is tuple:
        parts = [annotation_text(v, names) or canonical(v) or _record_text(v, names) for v in value.__args__]
        return None if None in parts else f"tuple[{', '.join(p.removeprefix('builtins.') for p in parts)}]"
    dims, dtype = getattr(value, "dim_str", None), getattr(value, "dtype", None)
    if isinstance(dims, str) and type(value).__module__.startswith("jaxtyping") and isinstance(dtype, type):
        return f"jaxtyping.{dtype.__name__}[numpy.ndarray, {dims!r}]"
    return None


def _either(element: object = None) -> tuple[object, ...]:
    """The members of a union, or the annotation itself."""
    return element.__args__ if isinstance(element, UnionType) else (element,)


def _element_text(element: object) -> str:
    """The element type of an array as text; ``typing.Any`` if it is open, such as a type variable."""
    named = canonical(element) if isinstance(element, type) else None
    return "typing.Any" if named is None else named.removeprefix("builtins.")


def _record_text(value: object, names: dict[str, RecordClass]) -> str | None:
    found = record_class(value) if isinstance(value, type) else None
    if not isinstance(found, RecordClass):
        return None
    text = f"record{len(names)}"
    names[text] = found
    return text


class _AliasScope:
    """The scope in which texts of `annotation_text` are evaluated."""

    _modules = ("jaxtyping", "numpy", "typing")
    _builtins = ("tuple", "float", "int", "bool")

    def __init__(self, records: dict[str, RecordClass]) -> None:
        self._records = records

    def lookup(self, name: str) -> Entity | None:
        if name in self._records:
            return self._records[name]
        if name in self._modules:
            return Module(name)
        return External(f"builtins.{name}") if name in self._builtins else None

    def names(self) -> tuple[str, ...]:
        return (*self._modules, *self._builtins)


def _described(value: object) -> str:
    kind = type(value).__name__
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    return with_article(kind if type(value).__module__ in ("builtins", "numpy", "functools") else f"`{kind}` object")


def fingerprint(value: object) -> str:
    """A text that is equal for two values only if lowering cannot distinguish them (functions are compared by source).
    """
    found = entity(value, "")
    match found:
        case Constant(value=v):
            return f"constant {told(v)}"
        case Annotation():
            names: dict[str, RecordClass] = {}
            return f"annotation {annotation_text(value, names)} {tuple(names.values())}"
        case GlobalArray(type=t):
            return f"array {t}"
        case _:
            return repr(found)


MEANING |= {"entity": entity, "member": member, "fingerprint": fingerprint, "is_constant": is_constant}
