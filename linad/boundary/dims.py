"""Annotated dimensions at entry: one clear error that names both arguments and both sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from linad_typecheck.signature import Leaf, Signature, Structure

_TERM = re.compile(r"\s*(?:(?P<k>\d+)\s*\*\s*)?(?P<name>[A-Za-z]\w*)\s*(?:(?P<sign>[+-])\s*(?P<c>\d+))?\s*")


def check_dims(signature: Signature, arguments: Sequence[object]) -> None:
    """Check the sizes of array arguments against their annotations.

    Raises
    ------
    ValueError
        Where a size is not the annotated one, or one name stands for two sizes.

    Notes
    -----
    A name is bound by the first dimension that gives it; ``"n+1"`` and ``"2*n"`` give one too.
    """
    bound: dict[str, tuple[int, str]] = {}
    for info, value in zip(signature.params, arguments):
        if info.dims:
            for dims, a in zip(info.dims, _arrays(info.structure, value)):
                for axis, text in enumerate(dims or ()):
                    _check(signature.name, info.name, axis, text, a.shape[axis], bound)


def _arrays(structure: Structure, value: object) -> list[np.ndarray]:
    if isinstance(structure, Leaf):
        return [value] if isinstance(value, np.ndarray) else []
    return [a for s, v in zip(structure or (), value) for a in _arrays(s, v)]


def _check(function: str, param: str, axis: int, text: str, size: int, bound: dict[str, tuple[int, str]]) -> None:
    here = f"`{param}` has size {size} along axis {axis}"
    if text.strip().isdigit():
        if size != int(text):
            raise ValueError(f"{function}(): {here}, but it is annotated `{text}`")
        return
    term = _TERM.fullmatch(text)
    if term is None:
        return
    factor, shift = int(term["k"] or 1), int(term["c"] or 0) * (-1 if term["sign"] == "-" else 1)
    name = term["name"]
    if name in bound:
        known, origin = bound[name]
        if size != factor * known + shift:
            raise ValueError(f"{function}(): {here} where `{text}` is {factor * known + shift}: {origin}, so `{name}` is {known}")
        return
    known, rest = divmod(size - shift, factor) if factor else (0, size - shift)
    if rest or known < 0:
        raise ValueError(f"{function}(): {here}, which no `{name}` makes `{text}`")
    bound[name] = (known, here)
