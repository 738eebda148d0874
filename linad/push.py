"""Forward derivatives of a specialised function: from tangents to tangents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from linad_typecheck.names.scope import COMPLEX
from linad_typecheck.signature import Leaf, RecordStructure, Signature, Structure
from linad_typecheck.types import Array, is_float

from .adjoint.errors import CannotSplit
from .boundary.arguments import described, inside
from .boundary.results import cotangents, float_leaves, leaf_types, restore, zeros_for
from .boundary.fast_call import MISSED, FastCall, fast_tangent, in_turns
from .derive import call, flat_values, full_value, has_nan, refreshed, touched, updated
from .requests import EXACT, FORWARD, MOVED, RECORD, REPLAY, Level
from .specialise import Specialisation
from .structures import complex_of


def jvp(
    s: Specialisation,
    primals: Sequence[object],
    tangents: object,
    value: bool = True,
    name: str = "",
    exact: bool = False,
) -> tuple[object, object]:
    """The value (None unless requested) and its directional derivative, in one sweep.

    The caller's arrays are not modified. Errors refer to the function as ``name``. ``exact``: a partial times a zero is
    zero, because it is known that the tangent contains a nan otherwise.

    Raises
    ------
    TypeError, ValueError
        If a tangent does not have the structure, dtype or shape of its argument.
    """
    signature = s.signature
    values = flat_values(s, primals)
    dots = _dots(signature, values, tangents, name)
    for p in updated(signature):
        dots |= {k.index: zeros_for(k, values[k.index]) for k in float_leaves(p.structure) if k.index not in dots}
    if not dots:
        values = refreshed(signature, values)
        results = s.kernel((), values).run(values, touched(signature))
        pushed = {k.index: _zero(k, results) for k in float_leaves(signature.result)}
        return full_value(signature, results, values), full_value(signature, pushed, {})
    leaves = tuple(sorted(dots))
    changed = touched(signature)
    written = [*changed, *(len(values) + at for at, k in enumerate(leaves) if k in changed)]
    places = float_leaves(signature.result)

    def run(*exact: Level) -> tuple[list[object], Sequence[object], Sequence[object]]:
        own, tangents = refreshed(signature, values), [dots[k].copy() if k in changed else dots[k] for k in leaves]
        out = s.kernel((*exact, (leaves, FORWARD if value else MOVED)), own).run([*own, *tangents], written)
        dots.update(zip(leaves, tangents))
        return own, out[: len(out) - len(places)], out[len(out) - len(places) :]

    given = dict(dots)
    after, results, moved = run(*((EXACT,) if exact else ()))
    if not exact and has_nan((*moved, *(dots[k] for k in changed if k in dots))):
        dots.update(given)
        after, results, moved = run(EXACT)
    pushed = dict(zip((leaf.index for leaf in places), moved))
    return full_value(signature, results, after) if value else None, full_value(signature, pushed, dots)


def fast_call(s: Specialisation, given: Sequence[bool], value: bool, nan: bool = False) -> FastCall | None:
    """The fast path of `jvp` if these parameters have a tangent (`boundary.fast_call`); None if the function does not
    qualify. ``nan``: whether it was nan without exact zeros."""
    key = "pushed", tuple(given), value, nan
    if key not in s.known:
        leaves = tuple(k for k, has in enumerate(given) if has)  # of plain parameters, which have one leaf each
        level = leaves, FORWARD if value else MOVED
        if not leaves:
            s.known[key] = None
        elif nan:
            s.known[key] = in_turns(fast_call(s, given, value), fast_tangent(s, (EXACT, level), given, value))
        else:
            s.known[key] = fast_tangent(s, (level,), given, value)
    return s.known[key]  # type: ignore[return-value]


def try_fast(
    table: Mapping[object, FastCall | None], key: object, primals: Sequence[object], tangents: object
) -> object:
    """The answer of the fast path that a table holds; `MISSED` if it does not apply, `NAN` if it contains a nan."""
    found = table.get(key)
    return MISSED if found is None else found(primals, tangents)


def given_of(tangents: object) -> tuple[bool, ...]:
    """Which of the tangents are given."""
    return tuple([t is not None for t in tangents]) if isinstance(tangents, tuple | list) else ()


def _dots(signature: Signature, values: Sequence[object], tangents: object, name: str = "") -> dict[int, object]:
    """The given tangents, by leaf index."""
    if not isinstance(tangents, (tuple, list)) or len(tangents) != len(signature.params):
        got = f"{len(tangents)}" if isinstance(tangents, (tuple, list)) else described(tangents)
        count = len(signature.params)
        how = ": write `(x_dot,)`" if count == 1 and not isinstance(tangents, (tuple, list)) else ""
        wanted = f"a tuple of {count} tangent{'s' * (count != 1)}"
        raise TypeError(f"{name or signature.name}(): expected {wanted}, got {got}{how}")
    dots: dict[int, object] = {}
    for p, tangent in zip(signature.params, tangents):
        places = float_leaves(p.structure)
        where = f"{name or signature.name}(): tangent of `{p.name}`"
        if tangent is not None and not places:
            raise TypeError(f"{where}: expected None, as it has no float part, got {described(tangent)}")
        if tangent is not None:
            pieces = cotangents(p.structure, _filled(p.structure, tangent, values, where), values, where, "argument")
            dots |= zip((leaf.index for leaf in places), pieces)
    return dots


def _filled(structure: Structure, tangent: object, values: Sequence[object], where: str) -> object:
    """A tangent with zeros for those of its parts that are None."""
    if isinstance(structure, Leaf):
        return _zero(structure, values) if tangent is None and is_float(structure.type) else tangent
    if structure is None:
        return tangent
    if isinstance(structure, RecordStructure) and structure.tag.key == COMPLEX.key:
        return complex_of(*(_filled(s, None, values, where) for s in structure)) if tangent is None else tangent
    if tangent is None:
        return tuple(_filled(s, None, values, where) for s in structure)
    return tuple(_filled(s, part, values, place) for s, part, place in inside(structure, tangent, where, loose=True))


# --------------------------------------------------------------------------------------------- one run, several
# tangents


def recorded(s: Specialisation, primals: Sequence[object]) -> tuple[object, tuple[np.ndarray, ...] | None]:
    """The value, and the logs for `replayed`; None if each tangent takes a run of its own."""
    leaves = _float_leaves(s.signature)
    if leaves and float_leaves(s.signature.result) and s.known.get(RECORD, True):
        try:
            out = s.kernel(((leaves, RECORD),), (values := flat_values(s, primals))).run(values)
        except CannotSplit:
            s.known[RECORD] = False
        except MemoryError:
            pass
        else:
            count = sum(1 for _ in leaf_types(s.signature.result))
            return restore(s.signature.result, out[:count]), tuple(out[count:])
    return call(s, primals), None


def replayed(
    s: Specialisation, primals: Sequence[object], tangents: object, logs: Sequence[np.ndarray]
) -> tuple[object] | None:
    """The tangent of the value, in a tuple; None if it contains a nan, possibly from zero times infinity."""
    values = flat_values(s, primals)
    dots = _dots(s.signature, values, tangents)
    leaves = _float_leaves(s.signature)
    by_index = {leaf.index: leaf for p in s.signature.params for leaf in float_leaves(p.structure)}
    given = [dots[k] if k in dots else _zero(by_index[k], values) for k in leaves]
    moved = s.kernel(((leaves, REPLAY),), values).run([*values, *given, *logs])
    if has_nan(moved):
        return None
    pushed = dict(zip((leaf.index for leaf in float_leaves(s.signature.result)), moved))
    return (full_value(s.signature, pushed, {}),)


def _float_leaves(signature: Signature) -> tuple[int, ...]:
    return tuple(sorted(leaf.index for p in signature.params for leaf in float_leaves(p.structure)))


def _zero(leaf: Leaf, results: Sequence[object]) -> object:
    if isinstance(leaf.type, Array):
        return zeros_for(leaf, results[leaf.index])
    return np.float32(0.0) if leaf.type.dtype == "f32" else 0.0
