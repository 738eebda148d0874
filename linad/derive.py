"""Calls and derivatives of a specialised function: convert arguments, run kernels, convert results and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pickle import PicklingError
from typing import Any, Literal, Protocol

import numpy as np
from linad_typecheck.signature import Leaf, ParamInfo, RecordStructure, Signature
from linad_typecheck.types import INTS, Array
from linad_typecheck.words import with_article

from .boundary.arguments import WANTED, Flat, checked_array, described, flatten, inside, leaves
from .boundary.dims import check_dims
from .boundary.errors import refusal
from .boundary.overlap import check_written, overlap
from .boundary.results import cotangents, float_leaves, is_scalar_float, leaf_types, restore
from .boundary.fast_checks import dim_rows, dims_hold, no_overlap
from .boundary.fast_call import BY_ONE_THREAD, MISSED, FastCall, fast_gradient, fast_value, fast_into, in_turns
from .options import Options
from .requests import EXACT, FRESH, Level, Request
from .specialise import Specialisation
from .structures import is_complex, map_leaves, parts, rebuilt
from .structures import leaves as parts_of

Values = list[object]


class CheckedFunction(Protocol):
    """The interface of a checked function, as needed here."""

    options: Options

    def specialisation(self, arguments: Sequence[object]) -> Specialisation: ...


Leaves = Sequence[object] | Mapping[int, object]  # by leaf index


def call(s: Specialisation, arguments: Sequence[object], exact: bool = False) -> object:
    """The value of the function. Declared updates reach the caller's arrays, even if an error is raised. With
    ``exact``, derivatives inside it are as in `pull`."""
    flat = _flatten(s, arguments)
    try:
        results = s.kernel((EXACT,) if exact else (), flat.values).run(flat.values, touched(s.signature))
    finally:
        if flat.back:
            flat.give_back()
    if s.signature.given_back:
        return next(a for p, a in zip(s.signature.params, arguments) if p.name == s.signature.given_back)
    return restore(s.signature.result, _given_back(s.signature, results, arguments))


def call_exactly(s: Specialisation, arguments: Sequence[object]) -> Any:
    """The value of a function that takes derivatives, again with ``exact`` if it contains a nan."""
    found = call(s, arguments)
    return call(s, arguments, exact=True) if contains_nan(found) else found


def contains_nan(value: object) -> bool:
    """Whether a float, or a cell of an array, of a structure is nan."""
    return has_nan(x for x in parts_of(value) if isinstance(x, float | np.ndarray | np.floating))


def _given_back(signature: Signature, results: tuple[object, ...], arguments: Sequence[object]) -> Leaves:
    """The flat results, with the caller's own arrays in place of copies of them."""
    if not signature.copied:
        return results
    found = (
        (leaf.index, x)
        for p, given in zip(signature.params, arguments)
        for leaf, x, _ in leaves(p.structure, given, p.name, loose=True)
    )
    mine = dict(found)
    return {**dict(enumerate(results)), **{k: mine[j] for k, j in signature.copied}}


def prepare(s: Specialisation, arguments: Sequence[object], wrt: tuple[str | int, ...] | None) -> None:
    """Compile the function and its derivative before the first call."""
    values = flat_values(s, arguments)
    requests: list[Request] = [()]
    if any(float_leaves(p.structure) for p in s.signature.params):
        leaves = wanted(s.signature, wrt).leaves
        scalar = is_scalar_float(s.signature.result)
        requests += [((leaves, False),), *([((leaves, True),)] if scalar else [])]
    for request in requests:
        s.kernel(fresh_request(s, request) if request else request, values).build("hoisted")


def _flatten(s: Specialisation, arguments: Sequence[object], update: bool = True, private: bool = False) -> Flat:
    hidden = [s.record.array(key) for key in s.signature.hidden]
    flat = flatten(s.signature, arguments, hidden, update=update, private=private)
    rows = s.known.get("dims", ...)
    if rows is ...:
        rows = s.known["dims"] = dim_rows(s.signature)
    if not dims_hold(rows, arguments):
        check_dims(s.signature, arguments)
    return flat


def flat_values(s: Specialisation, arguments: Sequence[object]) -> Values:
    """The flat arguments of a derivative, which never modifies the caller's arrays."""
    return _flatten(s, arguments, update=False).values


# ------------------------------------------------------------------------------------------------ what to differentiate


@dataclass(frozen=True)
class Wanted:
    """The requested parameters and, in leaf order, everything that carries a derivative."""

    params: tuple[ParamInfo, ...]
    active: tuple[Leaf, ...]

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        return tuple(leaf.index for leaf in self.active)

    @cached_property
    def arrays(self) -> tuple[Leaf, ...]:
        """The active leaves that are arrays."""
        return tuple(leaf for leaf in self.active if isinstance(leaf.type, Array))

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The indices of the active arrays."""
        return tuple(leaf.index for leaf in self.arrays)

    @cached_property
    def scalars(self) -> tuple[int, ...]:
        """The indices of the active scalars."""
        return tuple(leaf.index for leaf in self.active if not isinstance(leaf.type, Array))

    @cached_property
    def plain(self) -> bool:
        """Whether the parameters are float arrays and scalars rather than structures of them."""
        return all(isinstance(p.structure, Leaf) for p in self.params)


def asked(s: Specialisation, wrt: tuple[str | int, ...] | None) -> Wanted:
    """The result of `wanted`, computed once."""
    found = s.known.get(("wanted", wrt))
    if found is None:
        found = s.known["wanted", wrt] = wanted(s.signature, wrt)
    return found


def wanted(signature: Signature, wrt: tuple[str | int, ...] | None) -> Wanted:
    """Resolve names and positions of parameters, by default all with float parts.

    Raises
    ------
    LinadError
        If there is no such parameter, or it has no float part, or there is nothing to differentiate by.
    """
    if wrt is None:
        params = tuple(p for p in signature.params if float_leaves(p.structure))
        if not params:
            what = f"`{signature.name}` has no float parameter to differentiate by"
            raise refusal("no-gradient", what, help=_FLOATS if signature.params else "")
    else:
        params = tuple(_param(signature, w) for w in wrt)
        names = [p.name for p in params]
        twice = next((n for k, n in enumerate(names) if n in names[:k]), None)
        if twice is not None:
            raise refusal("bad-option", f"`{signature.name}` is to be differentiated by `{twice}` twice")
    carried = (*params, *(p for p in signature.params if p.name in signature.updates))
    active = {leaf.index: leaf for p in carried for leaf in float_leaves(p.structure)}
    return Wanted(params, tuple(active[k] for k in sorted(active)))


def _param(signature: Signature, which: str | int) -> ParamInfo:
    names = [p.name for p in signature.params]
    if isinstance(which, int) and -len(names) <= which < len(names):
        found = signature.params[which]
    elif which in names:
        found = signature.params[names.index(which)]
    else:
        shown = f"`{which}`" if isinstance(which, str) else f"number {which}"
        told = f"`{signature.name}` has no parameter {shown}; it has {', '.join(names) or 'none'}"
        raise refusal("no-gradient", told)
    if not float_leaves(found.structure):
        told = f"parameter `{found.name}` of `{signature.name}` is not a float: it has no gradient"
        raise refusal("no-gradient", told, help=_FLOATS)
    return found


# ---------------------------------------------------------------------------------------------------------- gradients


Asked = Literal["value", "gradient", "both"]
By = tuple[str | int, ...] | None  # the names or positions of parameters; None for all float parameters


def answer(
    s: Specialisation,
    arguments: Sequence[object],
    asked_for: Asked,
    wrt: By,
    exact: bool = False,
    bare: bool = True,
) -> object:
    """The value, the gradient (that of a single parameter without a tuple if ``bare``), or both.

    ``exact``: the gradient is known to contain a nan unless a partial times a zero adjoint counts as zero.
    """
    if asked_for == "value":
        return call(s, arguments)
    value, grads = gradient(s, arguments, wrt, asked_for == "both", exact)
    found = grads[0] if bare and len(grads) == 1 else grads
    return (value, found) if asked_for == "both" else found


def fast_call(
    s: Specialisation, asked_for: Asked | Literal["exact", "into"], wrt: By = None, bare: bool = True, nan: bool = False
) -> FastCall | None:
    """The fast path for the same request (`boundary.fast_call`); None if the function does not qualify.

    ``nan``: whether it was nan without exact zeros.
    """
    key = "fast", asked_for, wrt, bare, nan
    found = s.known.get(key, MISSED)
    if found is MISSED:
        if nan and asked_for == "exact":
            found = in_turns(fast_call(s, asked_for), fast_value(s, exact=True))
        elif asked_for in ("value", "exact"):
            found = fast_value(s, asked_for == "exact")
        elif asked_for == "into":
            want = asked(s, wrt)
            found = fast_into(s, want.leaves, want.params, want.active)
        else:
            want, value = asked(s, wrt), asked_for == "both"
            level = want.leaves, value
            request = fresh_request(s, (EXACT, level) if nan else (level,))
            found = fast_gradient(s, request, want.params, want.active, value, bare)
            if nan:
                found = in_turns(fast_call(s, asked_for, wrt, bare), found)
        s.known[key] = found
    return found


def gradient(
    s: Specialisation, arguments: Sequence[object], wrt: tuple[str | int, ...] | None, value: bool, exact: bool = False
) -> tuple[object, tuple[object, ...]]:
    """The value (None if not requested) and the gradients of a scalar function.

    ``exact`` is as in `pull`. Without it, gradients that contain a nan are recomputed with it.

    Raises
    ------
    LinadError
        If the function does not return a single float.
    """
    signature = s.signature
    require_scalar(signature)
    want = asked(s, wrt)
    for exactly in (True,) if exact else (False, True):
        flat = _flatten(s, arguments, update=False)  # copies of the arrays that the function updates
        buffers = buffers_for(want, flat.values)
        try:
            seeds = [one(signature.result)]
            results, grads = pull(s, want, flat.values, seeds, buffers, value, exact=exactly, fresh=True)
        except MemoryError:
            raise
        except Exception:
            if signature.updates:  # `pull` has only what the adjoint has left of them
                raise_first(s, _flatten(s, arguments, update=False).values)
            raise
        if not has_nan(grads.values()):
            break
    return restore(signature.result, results) if value else None, structured(want, grads)


_FLOATS = "ints and bools have no derivatives: pass floats, `2.0` for `2`, or annotate the parameter `float`"


def require_scalar(signature: Signature) -> None:
    """Raise an error for a function without a gradient.

    Raises
    ------
    LinadError
        If the result is anything but one float scalar.
    """
    if not is_scalar_float(signature.result):
        only_ints = signature.params and not any(float_leaves(p.structure) for p in signature.params)
        raise refusal(
            "non-scalar-loss",
            f"`{signature.name}` returns {shape_word(signature.result)}, and only a float scalar has a gradient",
            help=_FLOATS if only_ints else "return one float, or use `linad.jacobian`, or `vjp` with a cotangent",
        )


def shape_word(structure: object) -> str:
    """A description of a result."""
    match structure:
        case None:
            return "nothing"
        case Leaf(type=Array()):
            return "an array"
        case Leaf(type=t):
            return {"bool": "a bool"}.get(t.dtype, "an int" if t.dtype in INTS else "a float")
        case RecordStructure(tag=tag):
            return with_article(f"`{tag.name}`")
        case _:
            return f"a tuple of {len(structure)}"


def one(leaf: Leaf) -> object:
    """The cotangent of a scalar result for its gradient."""
    return np.float32(1.0) if leaf.type.dtype == "f32" else 1.0


def buffers_for(want: Wanted, values: Values, but: Iterable[int] = ()) -> dict[int, np.ndarray]:
    """Zero-filled buffers for all active array leaves, except those in ``but``, which have a buffer."""
    return {k: np.zeros(values[k].shape, values[k].dtype) for k in want.indices if k not in but}


def pull(
    s: Specialisation,
    want: Wanted,
    values: Values,
    seeds: Values,
    buffers: dict[int, np.ndarray],
    value: bool,
    in_place: bool = False,
    exact: bool = False,
    fresh: bool = False,
) -> tuple[tuple[object, ...], dict[int, object]]:
    """Run the adjoint; return the flat results and the gradients by leaf.

    ``in_place``: the buffers may have any contents on entry. ``exact``: a partial times a zero adjoint is zero, even if
    the partial is infinite or nan. This is slower and only matters if the gradient contains a nan, so callers retry
    with it in that case. ``fresh``: the buffers are new.
    """
    level: Level = (want.leaves, value)
    request: Request = (EXACT, level) if exact else (level,)
    if fresh:
        request = fresh_request(s, request)
    changed = touched(s.signature)
    flat = [*values, *seeds, *[buffers[k] for k in want.indices]]
    places = range(len(values) + len(seeds), len(flat))
    holding = [p for k, p in zip(want.indices, places) if k in changed or in_place] if changed or in_place else ()
    written = (*changed, *holding)
    zeros = [p for p in places if p not in holding] if holding else places
    try:
        out = s.kernel(request, values).run(flat, written, zeros, in_place=in_place)
    except MemoryError:  # the function itself keeps no logs: it would only run for as long again
        raise
    except Exception:
        if not changed:
            raise_first(s, values)
        raise
    count = sum(1 for _ in leaf_types(s.signature.result)) if value else 0
    return out[:count], {**buffers, **dict(zip(want.scalars, out[count:], strict=True))}


def fresh_request(s: Specialisation, request: Request) -> Request:
    """The request of gradients in new arrays, which need not be zero unless the function updates arrays."""
    leaves = {leaf.index: leaf for p in s.signature.params for leaf in float_leaves(p.structure)}
    arrays = any(isinstance(leaves[k].type, Array) for k in request[-1][0])
    return (FRESH, *request) if arrays and not touched(s.signature) and s.options.update == "in-place" else request


def raise_first(s: Specialisation, values: Values) -> None:
    """Raise what the function itself does, if anything: of two exceptions, an adjoint may come to the later first."""
    primal(s, values)


def has_nan(values: Iterable[object]) -> bool:
    """Whether a number or a cell of an array is nan."""
    for v in values:
        if isinstance(v, np.ndarray):
            flat = v.ravel()
            if flat.size <= BY_ONE_THREAD and flat.itemsize == 8:
                v = np.vdot(flat, flat)  # nan if any cell is: the squares of other values never sum to nan
            else:
                v = np.maximum.reduce(flat, initial=0.0)
        if v != v:
            return True
    return False


def structured(want: Wanted, grads: dict[int, object]) -> tuple[object, ...]:
    """Gradients by parameter, with the structure of the arguments."""
    return tuple(restore(p.structure, grads) for p in want.params)


# ---------------------------------------------------------------------------------------------------------- pullbacks


def vjp(
    function: CheckedFunction, s: Specialisation, arguments: Sequence[object]
) -> tuple[object, Callable[[object], tuple[object, ...]]]:
    """The value and the pullback, which owns copies of the arguments and can be called repeatedly."""
    want = asked(s, function.options.wrt)
    flat = _flatten(s, arguments, update=False, private=True)
    values, results = primal(s, flat.values)
    pullback = Pullback(function, s, want, flat.values, results, values, _without_arrays(s.signature, arguments))
    return full_value(s.signature, results, values), pullback


def _without_arrays(signature: Signature, arguments: Sequence[object]) -> tuple[object, ...]:
    """The arguments with None for arrays."""
    kept = lambda x: None if isinstance(x, np.ndarray) else x
    return tuple(a if p.structure is None else map_leaves(kept, a) for p, a in zip(signature.params, arguments))


def _completed(own: Any, given: Any) -> Any:
    """A structure with the given values where it has None, which stands for what is known at compile time."""
    if own is None or (items := parts(own)) is None or is_complex(own):
        return given if own is None else own
    return rebuilt(own, map(_completed, items, parts(given)))


def primal(s: Specialisation, values: Values) -> tuple[Values, tuple[object, ...]]:
    """Run the function on copies of the arrays that it updates; return the arguments afterwards and the flat results.
    """
    after = refreshed(s.signature, values)
    return after, s.kernel((), after).run(after, touched(s.signature))


def refreshed(signature: Signature, values: Values) -> Values:
    """The flat arguments, with copies of those that the function updates."""
    changed = touched(signature)
    return [v.copy() if k in changed else v for k, v in enumerate(values)]


def touched(signature: Signature) -> tuple[int, ...]:
    """The flat positions of the arrays that the function updates."""
    if not signature.updates:
        return ()
    leaves = (leaf for p in updated(signature) for leaf in leaf_types(p.structure))
    return tuple(leaf.index for leaf in leaves if isinstance(leaf.type, Array))


def updated(signature: Signature) -> tuple[ParamInfo, ...]:
    """The parameters declared as updated."""
    by_name = {p.name: p for p in signature.params}
    return tuple(by_name[name] for name in signature.updates)


def full_value(signature: Signature, results: Leaves, values: Leaves) -> object:
    """The value of the function seen as pure: its result, then the final contents of updated arguments."""
    value = restore(signature.result, results)
    if not signature.updates:
        return value
    finals = tuple(restore(p.structure, values) for p in updated(signature))
    return finals if signature.result is None else (value, *finals)


def split_cotangent(
    signature: Signature, cotangent: object, results: Sequence[object], values: Values
) -> tuple[Values, dict[int, Any]]:
    """The flat cotangents of results and, by leaf, those of updated arrays and of scalars in the same structures; all
    are copies."""
    where = f"{signature.name}(): cotangent"
    if not signature.updates:
        return cotangents(signature.result, cotangent, results, where), {}
    own = () if signature.result is None else (signature.result,)
    count = len(own) + len(signature.updates)
    if not isinstance(cotangent, tuple) or len(cotangent) != count:
        raise TypeError(
            f"{where}: expected a tuple of {count} (results, then updated arrays), got {described(cotangent)}"
        )
    flat = cotangents(own, cotangent[: len(own)], results, where)
    finals: dict[int, Any] = {}
    for p, part in zip(updated(signature), cotangent[len(own) :]):
        pieces = cotangents(p.structure, part, values, f"{where} of `{p.name}`")
        finals.update(zip((leaf.index for leaf in float_leaves(p.structure)), pieces))
    return flat, finals


@dataclass(frozen=True, repr=False, eq=False)
class Pullback:
    """The function from a cotangent to gradients. ``values``: its own copies of the arguments. ``after``: the arguments
    after the function's updates. ``given``: the arguments without their arrays."""

    function: CheckedFunction
    specialisation: Specialisation
    want: Wanted
    values: Values
    results: Sequence[object]
    after: Values
    given: tuple[object, ...]

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        grads = self._pulled(cotangent)
        if has_nan(grads.values()):
            grads = self._pulled(cotangent, exact=True)
        return structured(self.want, grads)

    def _pulled(self, cotangent: object, exact: bool = False) -> dict[int, Any]:
        signature = self.specialisation.signature
        seeds, finals = split_cotangent(signature, cotangent, self.results, self.after)
        buffers = {**buffers_for(self.want, self.values), **finals}
        values = refreshed(signature, self.values)
        _, grads = pull(self.specialisation, self.want, values, seeds, buffers, value=False, exact=exact, fresh=True)
        for k, final in finals.items():  # a scalar in the same structure as updated arrays is itself part of the value
            if not isinstance(final, np.ndarray):
                grads[k] += final
        return grads

    @property
    def arguments(self) -> tuple[object, ...]:
        """The arguments of the function, whose cells are its own copies."""
        leaves = dict(enumerate(self.values))
        own = (restore(p.structure, leaves) for p in self.specialisation.signature.params)
        return tuple(map(_completed, own, self.given))

    def __deepcopy__(self, memo: object) -> Pullback:
        return self  # it is immutable

    def __reduce__(self) -> tuple[object, ...]:
        arguments = self.arguments
        if not self.specialisation.record.holds():
            name = self.specialisation.signature.name
            raise PicklingError(
                f"a name that `{name}` uses means something else since `{name}.vjp`, and a copy of its pullback would "
                f"rest on that"
            )
        return _pullback, (self.function, arguments, self.values, self.results, self.after)

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.want.params)
        return f"<pullback of {self.specialisation.signature.name} to {names}>"


def _pullback(
    function: CheckedFunction, arguments: tuple[object, ...], values: Values, results: Sequence[object], after: Values
) -> Pullback:
    """Rebuild a pullback from a pickle; the arguments determine the types."""
    s = function.specialisation(arguments)
    given = _without_arrays(s.signature, arguments)
    return Pullback(function, s, asked(s, function.options.wrt), values, results, after, given)


# --------------------------------------------------------------------------------------- gradients into own buffers


def vjp_into(
    s: Specialisation, cotangent: object, arguments: Sequence[object], into: object, wrt: tuple[str | int, ...] | None
) -> object:
    """The value; the gradients are added to the caller's buffers.

    Raises
    ------
    TypeError, ValueError
        If a buffer is not an array of the argument's dtype and shape, overlaps an argument or is read-only.
    """
    signature = s.signature
    want = asked(s, wrt)
    flat = _flatten(s, arguments, update=False)
    places = _plain_buffers(want, into, flat)
    plain = places is not None
    if places is None:
        places = _places(want, into, flat.values, f"{signature.name}(): buffer")
        check_buffers(signature.name, places, flat)
    arrays_out = any(isinstance(leaf.type, Array) for leaf in float_leaves(signature.result))
    first = arrays_out or bool(signature.updates)  # shapes and final contents of results come from a separate run
    after, results = primal(s, flat.values) if first else (flat.values, ())
    where = f"{signature.name}(): cotangent"
    if signature.result is None and cotangent is not None:
        told = "as it returns nothing; those of updated arrays are in the buffers"
        raise TypeError(f"{where}: expected None, {told}, got {described(cotangent)}")
    seeds = cotangents(signature.result, cotangent, results, where)
    changed = set(touched(signature)) & places.keys()
    direct = ({*want.indices} & places.keys() if plain else _direct(want, places)) - changed
    buffers = {k: places[k][1] for k in direct} | {k: places[k][1].copy() for k in changed}
    buffers |= buffers_for(want, flat.values, but=buffers)
    before = {k: b.copy() for k, b in buffers.items()}
    out, grads = pull(s, want, refreshed(signature, flat.values), seeds, buffers, not first, in_place=True)
    if has_nan(grads.values()):
        for k, b in before.items():
            buffers[k][...] = b
        out, grads = pull(
            s, want, refreshed(signature, flat.values), seeds, buffers, not first, in_place=True, exact=True
        )
    for k, (_, place) in places.items():
        if k in changed:
            place[...] = grads[k]
        elif k not in direct:
            place[...] += grads[k]
    return full_value(signature, results if first else out, after)


Places = dict[int, tuple[str, np.ndarray]]


def _plain_buffers(want: Wanted, into: object, flat: Flat) -> Places | None:
    """The buffers, if each is a writable, contiguous array of its argument's type that shares memory with nothing; else
    None."""
    parts = (into,) if len(want.params) == 1 and not isinstance(into, tuple) else into
    if not want.plain or not isinstance(parts, tuple) or len(parts) != len(want.params):
        return None
    places: Places = {}
    for p, part in zip(want.params, parts):
        x = flat.values[p.structure.index]
        if part.__class__ is not np.ndarray or not part.flags.carray:
            return None
        if part.dtype is not WANTED[p.structure.type.dtype] or part.shape != (
            x.shape if isinstance(x, np.ndarray) else ()
        ):
            return None
        places[p.structure.index] = (p.name, part)
    return places if no_overlap(parts, [a for _, a in (*flat.read, *flat.written)]) else None


def _places(want: Wanted, into: object, values: Values, where: str) -> Places:
    several = isinstance(into, tuple | list)
    alone = len(want.params) == 1 and not (several and isinstance(want.params[0].structure, Leaf))
    parts = (into,) if alone or not several else into
    if len(parts) != len(want.params):
        raise TypeError(f"{where}: expected {len(want.params)} buffers, got {len(parts)}")
    places: Places = {}
    for p, part in zip(want.params, parts):
        _collect(p.structure, part, f"{where} for `{p.name}`", p.name, values, places)
    return places


def _collect(structure: object, part: object, where: str, name: str, values: Values, places: Places) -> None:
    if isinstance(structure, (tuple, RecordStructure)):
        for inner, x, place in inside(structure, part, where, loose=True):
            _collect(inner, x, place, name, values, places)
    elif structure is not None and float_leaves(structure):
        rank = structure.type.rank if isinstance(structure.type, Array) else 0
        checked_array(Array(structure.type.dtype, rank), part, where)
        if part.shape != np.shape(values[structure.index]):
            raise ValueError(f"{where}: expected shape {np.shape(values[structure.index])}, got {part.shape}")
        places[structure.index] = (f"into[{name}]", part)


def check_buffers(function: str, places: Places, flat: Flat) -> None:
    """Raise an error for buffers that are read-only or share memory with an argument; they may share memory with each
    other.

    Raises
    ------
    ValueError
        Naming the buffer.
    """
    for place in places.values():
        check_written(function, (place,), (*flat.read, *flat.written))


def _direct(want: Wanted, places: Places) -> set[int]:
    """The buffers that a kernel can add to in place: contiguous arrays that no other buffer overlaps."""
    arrays = {leaf.index for leaf in want.active if isinstance(leaf.type, Array)} & places.keys()

    def alone(k: int) -> bool:
        return not any(overlap(places[k][1], a) for j, (_, a) in places.items() if j != k)

    return {k for k in arrays if places[k][1].flags.c_contiguous and places[k][1].flags.aligned and alone(k)}
