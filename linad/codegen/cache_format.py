"""Serialisation as JSON: a tuple is a list, and a dataclass is its name followed by its fields.

Reading only creates values of these types: unlike unpickling, it cannot run code.
"""

from __future__ import annotations

import json
from dataclasses import fields

from linad_typecheck.diagnostics import Diagnostic, Edit, Fix, Label
from linad_typecheck.signature import Leaf, ParamInfo, RecordStructure, RecordTag, Signature
from linad_typecheck.span import Span
from linad_typecheck.types import Array, Scalar

from .error_sites import Site

_CLASSES = (
    Array, Diagnostic, Edit, Fix, Label, Leaf, ParamInfo, RecordStructure, RecordTag, Scalar, Signature, Site, Span,
)  # fmt: skip
# Fields by class name. Fields excluded from comparison, such as the class of a record, are left out.
_FIELDS = {c.__name__: (c, tuple(f.name for f in fields(c) if f.compare)) for c in _CLASSES}
_ATOMS = (str, int, bool, type(None))


def dump(value: object) -> bytes:
    """Serialise a value to one line of text.

    Raises
    ------
    TypeError
        If a part of the value is of another type, subclasses included.
    """
    return json.dumps(_plain(value), separators=(",", ":")).encode()


def load(text: bytes) -> object:
    """The value that `dump` turned into the text.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the text was not produced by `dump`.
    """
    return _value(json.loads(text))


def _plain(value: object) -> object:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is tuple:
        return [_plain(v) for v in value]
    known, names = _FIELDS.get(kind.__name__, (None, ()))
    if kind is not known:
        raise TypeError(f"the cache keeps no {kind.__qualname__}")
    return {kind.__name__: [_plain(getattr(value, n)) for n in names]}


def _value(plain: object) -> object:
    if isinstance(plain, list):
        return tuple(map(_value, plain))
    if isinstance(plain, dict):
        ((name, values),) = plain.items()
        kind, names = _FIELDS[name]
        return kind(**dict(zip(names, map(_value, values), strict=True)))
    return plain
