"""Checks of annotated dimensions at entry. An error names both arguments and both sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from linad_typecheck.signature import Leaf, Signature, Structure

from .arguments import inside

_TERM = re.compile(r"\s*(?:(?P<k>\d+)\s*\*\s*)?(?P<name>[A-Za-z]\w*)\s*(?:(?P<sign>[+-])\s*(?P<c>\d+))?\s*")


def check_dims(signature: Signature, arguments: Sequence[object]) -> None:
    """Check the sizes of array arguments against their annotations.

    Raises
    ------
    ValueError
        If a size differs from its annotation, or one name would stand for two sizes.

    Notes
    -----
    A name is bound by the first dimension that mentions it, even as ``"n+1"`` or ``"2*n"``.
    """
    bound: dict[str, tuple[int, str]] = {}
    for info, value in zip(signature.params, arguments):
        if info.dims:
            for dims, (name, a) in zip(info.dims, _arrays(info.structure, value, info.name)):
                for axis, text in enumerate(dims or ()):
                    _check(signature.name, name, axis, text, a.shape[axis], bound)


@cache
def parsed(text: str) -> tuple[int, str, int]:
    """A dimension as ``factor * name + shift``. The name is empty for a literal; the factor is 0 if any size is
    allowed.

    Examples
    --------
    >>> parsed("2*n+1"), parsed("3"), parsed("_")
    ((2, 'n', 1), (1, '', 3), (0, '', 0))
    """
    if text.strip().isdigit():
        return 1, "", int(text)
    term = _TERM.fullmatch(text)
    if term is None:
        return 0, "", 0
    return int(term["k"] or 1), term["name"], int(term["c"] or 0) * (-1 if term["sign"] == "-" else 1)


def _arrays(structure: Structure, value: object, name: str) -> list[tuple[str, np.ndarray]]:
    if isinstance(structure, Leaf):
        return [(name, value)] if isinstance(value, np.ndarray) else []
    return [] if structure is None else [a for part in inside(structure, value, name) for a in _arrays(*part)]


def _check(function: str, param: str, axis: int, text: str, size: int, bound: dict[str, tuple[int, str]]) -> None:
    factor, name, shift = parsed(text)
    if not name:
        if factor and size != shift:
            raise ValueError(f"{function}(): `{param}` has size {size} along axis {axis}, but it is annotated `{text}`")
        return
    if name in bound:
        known, origin = bound[name]
        if size != factor * known + shift:
            expected = factor * known + shift
            raise ValueError(
                f"{function}(): `{param}` has size {size} along axis {axis} where `{text}` is {expected}: {origin}"
            )
        return
    here = f"`{param}` has size {size} along axis {axis}"
    known, rest = divmod(size - shift, factor) if factor else (0, size - shift)
    if rest or known < 0:
        raise ValueError(f"{function}(): {here}, which no `{name}` makes `{text}`")
    bound[name] = (known, here)
