"""Annotations of parameters and results, parsed to a `ParamType` or to a message.

An annotation that cannot be read counts as absent, and its message is only a hint: annotations in other people's code
are written for other tools.
"""

from __future__ import annotations

import ast
from difflib import get_close_matches
from keyword import iskeyword

from ..frozen import frozen
from ..infer.affine import Affine, atom, constant, multiply
from ..messages import Message
from ..messages.annotations import BadDimension, RankTooHigh, UnsupportedAnnotation, VariadicDimension
from ..names.scope import Annotation, External, GlobalArray, Opaque, RecordClass, Scope, resolve
from ..source import SourceFile
from ..span import Span
from ..types import DTYPE_CLASSES, FLOATS, INTS, MAX_RANK, NUMPY_NAMES, SIGNED, UNSIGNED, DType


@frozen(slots=True)
class UnknownType:
    """No annotation, or one without information."""


@frozen(slots=True)
class NoneType:
    """``None``; as a result annotation, nothing is returned."""


@frozen(slots=True)
class ScalarType:
    """A scalar; ``weak`` for Python's own scalars."""

    dtype: DType
    weak: bool


@frozen(slots=True)
class Dimension:
    """One annotated dimension: its text, and its size if it names one (``_`` does not)."""

    text: str
    size: Affine | None


@frozen(slots=True)
class ArrayType:
    """An array. ``dtypes``: the allowed dtypes (one if fixed, none if unknown). ``dims`` is None if the rank is
    unknown."""

    dtypes: tuple[DType, ...] = ()
    dims: tuple[Dimension, ...] | None = None

    @property
    def dtype(self) -> DType | None:
        return self.dtypes[0] if len(self.dtypes) == 1 else None

    @property
    def rank(self) -> int | None:
        return None if self.dims is None else len(self.dims)


@frozen(slots=True)
class TupleType:
    """A tuple, or with ``record`` an instance of that class."""

    items: tuple[ParamType, ...]
    record: RecordClass | None = None


@frozen(slots=True)
class ChoiceType:
    """One of several types, such as ``float | None``, decided by each call. Unreadable members are unknown types."""

    members: tuple[ParamType, ...]


ParamType = UnknownType | NoneType | ScalarType | ArrayType | TupleType | ChoiceType
UNKNOWN = UnknownType()

SCALARS = {name: ScalarType(d, name.startswith("builtins.")) for name, d in DTYPE_CLASSES.items()}

JAXTYPING: dict[str, tuple[DType, ...]] = {
    **{
        f"jaxtyping.{name.replace('uint', 'UInt') if name[0] == 'u' else name.title()}": (d,)
        for d, name in NUMPY_NAMES.items()
    },
    "jaxtyping.Float": FLOATS,
    "jaxtyping.Int": SIGNED,
    "jaxtyping.UInt": UNSIGNED,
    "jaxtyping.Integer": INTS,
}

# NumPy's abstract dtypes, as the element type of an array.
ELEMENTS: dict[str, tuple[DType, ...]] = {
    "numpy.floating": FLOATS,
    "numpy.integer": INTS,
    "numpy.signedinteger": SIGNED,
    "numpy.unsignedinteger": UNSIGNED,
    **dict.fromkeys(("numpy.number", "numpy.inexact", "numpy.generic"), ()),
}

COMPLEX_DTYPES = frozenset(("builtins.complex", "numbers.Complex", "numpy.complexfloating")) | {
    *(f"numpy.{n}" for n in "complex64 complex128 csingle cdouble".split()),
    *(f"jaxtyping.{n}" for n in "Complex Complex64 Complex128 Num Inexact Shaped".split()),
}
# Annotations without information about numbers and arrays: each call decides.
_OPEN = frozenset((
    "typing.Any", "numpy.typing.ArrayLike", "numpy.typing.DTypeLike", "builtins.object", "builtins.str",
    "builtins.list", "builtins.type", "builtins.slice", *COMPLEX_DTYPES,
    "numpy.random.Generator", "numpy.random.RandomState",
    *(
        f"numpy.{n}"
        for n in "generic number floating inexact integer signedinteger unsignedinteger dtype ufunc".split()
    ),
    *(f"numbers.{n}" for n in "Number Real Rational Integral".split()),
    *(
        f"{home}.{n}"
        for home in ("typing", "collections.abc")
        for n in "Sequence Iterable Collection Callable Mapping Hashable Sized".split()
    ),
    *(
        f"typing.{n}"
        for n in "List Literal LiteralString TypeVar SupportsFloat SupportsInt SupportsIndex SupportsAbs Type".split()
    ),
))  # fmt: skip
_EXAMPLE = 'write as in `Float64[np.ndarray, "n d"]`'
_ARRAYS = ("numpy.ndarray",)
_NDARRAY_OF = ("numpy.typing.NDArray",)
_TUPLES = ("builtins.tuple", "typing.Tuple")
_UNIONS = ("typing.Union", "typing.Optional")
_TRANSPARENT = ("typing.Annotated", "typing.Final")  # Annotated[T, ...] means T
_INSTEAD = {
    "builtins.dict": "pass its values as separate parameters or as a tuple",
    "numpy.float16": "use `np.float32` or `np.float64`",
    **dict.fromkeys(
        ("torch.Tensor", "jax.Array", "jax.numpy.ndarray", "tensorflow.Tensor", "pandas.Series"),
        'pass a NumPy array: `Float64[np.ndarray, "n"]`',
    ),
    "pandas.DataFrame": 'pass its numbers as an array, `Float64[np.ndarray, "n d"]`, or its columns as several',
}


def parse_annotation(node: ast.expr | None, scope: Scope, source: SourceFile) -> ParamType | Message:
    """Read an annotation of ``source`` as a type.

    Parameters
    ----------
    node
        The annotation, or None. Strings (also those that ``from __future__ import annotations`` creates) are parsed.
    scope
        The scope of its names.

    Returns
    -------
    ParamType or Message
        A type, or the problem, positioned at the annotation.
    """
    if node is None:
        return UNKNOWN
    try:
        return _Reader(source, None, ()).read(node, scope)
    except _Wrong as wrong:
        return wrong.message


def _members(node: ast.expr) -> list[ast.expr]:
    """The types of ``A | B | C``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left), *_members(node.right)]
    return [node]


class _Wrong(Exception):
    def __init__(self, message: Message) -> None:
        self.message = message


@frozen
class _Reader:
    """Reads annotations. ``at``: the position to report while reading a string or an alias, whose nodes are
    elsewhere."""

    source: SourceFile
    at: Span | None
    seen: tuple[ast.expr | RecordClass, ...]
    field: str = ""  # the field of a record whose annotation is read, with a colon

    def span(self, node: ast.expr) -> Span:
        return self.at or self.source.span(node)

    def elsewhere(self, node: ast.expr, target: ast.expr) -> _Reader:
        """A reader for ``target``, the node that ``node`` stands for. An alias of itself is refused."""
        if target in self.seen:
            raise self.unsupported(node, "refers to itself")
        return _Reader(self.source, self.span(node), (*self.seen, target), self.field)

    def unsupported(self, node: ast.expr, reason: str = "", instead: str = "") -> _Wrong:
        return _Wrong(UnsupportedAnnotation(self.span(node), self.field + ast.unparse(node), reason, instead))

    def choice(self, members: list[ast.expr], scope: Scope) -> ParamType:
        """A choice of several types. Unreadable members become unknown types."""
        found: list[ParamType] = []
        for member in members:
            try:
                found.append(self.read(member, scope))
            except _Wrong:
                found.append(UNKNOWN)
        return ChoiceType(tuple(dict.fromkeys(found)))

    def record(self, node: ast.expr, cls: RecordClass) -> ParamType:
        """A record class: the annotations of its fields."""
        if cls in self.seen:
            raise self.unsupported(node, "holds itself, so that its size is not known", "use arrays and int indices")
        items: list[ParamType] = []
        for f in cls.fields:
            reader = _Reader(self.source, self.span(node), (*self.seen, cls), f"{cls.name}.{f.name}: ")
            items.append(UNKNOWN if f.note is None or f.scope is None else reader.read(f.note, f.scope))
        return TupleType(tuple(items), cls)

    def read(self, node: ast.expr, scope: Scope) -> ParamType:
        match node:
            case ast.Constant(value=None):
                return NoneType()
            case ast.Constant(value=str() as text):
                try:
                    inner = ast.parse(text.strip(), mode="eval").body
                except SyntaxError:
                    raise self.unsupported(node, "is not an expression") from None
                return self.elsewhere(node, inner).read(inner, scope)
            case ast.Name() | ast.Attribute():
                return self.named(node, scope)
            case ast.BinOp(op=ast.BitOr()):
                return self.choice(_members(node), scope)
            case ast.Subscript(value=base, slice=arguments):
                return self.subscript(node, base, arguments, scope)
            case ast.Tuple(elts=items):
                return TupleType(tuple(self.read(item, scope) for item in items))
        raise self.unsupported(node)

    def named(self, node: ast.expr, scope: Scope) -> ParamType:
        match resolve(node, scope):
            case External(dotted=dotted):
                if dotted in SCALARS:
                    return SCALARS[dotted]
                if dotted in _ARRAYS or dotted in _NDARRAY_OF:
                    return ArrayType()
                if dotted in JAXTYPING:
                    name = dotted.rpartition(".")[2]
                    raise self.unsupported(node, "has no dimensions", f'write `{name}[np.ndarray, "n"]`')
                if dotted in _OPEN or dotted in _UNIONS:
                    return UNKNOWN
                raise self.unsupported(node, instead=_INSTEAD.get(dotted, ""))
            case Annotation(node=target, scope=home):
                return self.elsewhere(node, target).read(target, home)
            case RecordClass() as cls:
                return self.record(node, cls)
            case Opaque(what=what, instead=instead):
                raise self.unsupported(node, f"is {what}", instead)
            case GlobalArray(type=None):  # its type is not in the text
                return UNKNOWN
            case None:
                raise self.nothing(node, scope)
        raise self.unsupported(node)

    def nothing(self, node: ast.expr, scope: Scope) -> _Wrong:
        """The error for a name without meaning, often a misspelt one."""
        close = get_close_matches(ast.unparse(node), scope.names(), 1)
        return self.unsupported(node, "names nothing", f"`{close[0]}` is near" if close else "")

    def subscript(self, node: ast.expr, base: ast.expr, arguments: ast.expr, scope: Scope) -> ParamType:
        items = arguments.elts if isinstance(arguments, ast.Tuple) else [arguments]
        entity, dotted = resolve(base, scope), self.dotted(base, scope)
        if dotted in JAXTYPING:
            return self.jaxtyped(node, JAXTYPING[dotted], items, scope)
        if dotted in _NDARRAY_OF and len(items) == 1:
            if self.dotted(items[0], scope) in COMPLEX_DTYPES:
                return UNKNOWN
            return ArrayType(self.element(items[0], scope))
        if dotted in _ARRAYS and len(items) in (1, 2):
            return self.ndarray_of(items, scope)
        if dotted in _TUPLES:
            return self.tuple_of(node, items, scope)
        if dotted in _UNIONS:
            return self.choice([*items, *([ast.Constant(None)] if dotted == "typing.Optional" else ())], scope)
        if dotted in _TRANSPARENT:
            return self.read(items[0], scope)
        if dotted in _OPEN:
            return UNKNOWN
        if entity is None and isinstance(base, ast.Name):
            raise self.nothing(base, scope)
        raise self.unsupported(node, instead=_INSTEAD.get(dotted, ""))

    def tuple_of(self, node: ast.expr, items: list[ast.expr], scope: Scope) -> ParamType:
        if any(isinstance(item, ast.Constant) and item.value is Ellipsis for item in items):
            return UNKNOWN
        return TupleType(tuple(self.read(item, scope) for item in items))

    def element(self, node: ast.expr, scope: Scope) -> tuple[DType, ...]:
        """The dtypes that an array may have; none if unspecified."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            one, other = self.element(node.left, scope), self.element(node.right, scope)
            return tuple(dict.fromkeys((*one, *other))) if one and other else ()
        match resolve(node, scope):
            case External(dotted=dotted) if dotted in ELEMENTS:
                return ELEMENTS[dotted]
        match self.read(node, scope):
            case ScalarType(dtype=dtype):
                return (dtype,)
            case UnknownType():
                return ()
        raise self.unsupported(node, "is not an element type")

    def ndarray_of(self, items: list[ast.expr], scope: Scope) -> ParamType:
        """``np.ndarray[tuple[int, int], np.dtype[np.float64]]``."""
        dims, dtypes = None, ()
        match items[0]:
            case ast.Subscript(value=base, slice=shape) if self.dotted(base, scope) in _TUPLES:
                sizes = shape.elts if isinstance(shape, ast.Tuple) else [shape]
                if not any(isinstance(s, ast.Constant) and s.value is Ellipsis for s in sizes):
                    dims = (Dimension("_", None),) * len(sizes)
                    if len(sizes) > MAX_RANK:
                        raise _Wrong(RankTooHigh(self.span(items[0]), len(sizes), MAX_RANK))
        match items[1:]:
            case [ast.Subscript(value=base, slice=element)] if self.dotted(base, scope) == "numpy.dtype":
                dtypes = self.element(element, scope)
        return ArrayType(dtypes, dims)

    def dotted(self, node: ast.expr, scope: Scope) -> str:
        found = resolve(node, scope)
        return found.dotted if isinstance(found, External) else ""

    def jaxtyped(self, node: ast.expr, dtypes: tuple[DType, ...], items: list[ast.expr], scope: Scope) -> ParamType:
        if len(items) != 2:
            raise self.unsupported(node, "needs an array type and dimensions", _EXAMPLE)
        array, dims = items
        match self.read(array, scope):
            case ArrayType(dims=None):
                pass
            case _:
                raise self.unsupported(array, "is not `np.ndarray`", "arrays of checked functions are NumPy arrays")
        match dims:
            case ast.Constant(value=str() as text):
                return ArrayType(dtypes, self.dimensions(dims, text))
        raise self.unsupported(dims, "is not a literal string of dimensions", _EXAMPLE)

    def dimensions(self, node: ast.expr, text: str) -> tuple[Dimension, ...]:
        dims = tuple(self.dimension(node, word) for word in text.split())
        if len(dims) > MAX_RANK:
            raise _Wrong(RankTooHigh(self.span(node), len(dims), MAX_RANK))
        return dims

    def dimension(self, node: ast.expr, word: str) -> Dimension:
        name, equals, value = word.partition("=")
        text = value if equals else word  # `rows=3` documents the number
        if text.startswith(("...", "*")):
            raise _Wrong(VariadicDimension(self.span(node), word))
        if text.startswith("_"):
            return Dimension("_", None)
        if text.startswith(("#", "?")):
            reason = f"uses the modifier `{text[0]}`, which has no meaning here"
            raise _Wrong(BadDimension(self.span(node), word, reason))
        try:
            named = text.isidentifier() and not iskeyword(text)
            size = atom(text) if named else _size(ast.parse(text, mode="eval").body)
        except SyntaxError:
            size = None
        if size is None:
            raise _Wrong(BadDimension(self.span(node), word, "is not a sum of names and numbers"))
        if size.value is not None and size.value < 0:
            raise _Wrong(BadDimension(self.span(node), word, "is negative"))
        return Dimension(text, size)


def _size(node: ast.expr) -> Affine | None:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return constant(value)
        case ast.Name(id=name):
            return atom(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _size(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _size(left), _size(right)
            if a is None or b is None:
                return None
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return multiply(a, b)
    return None
