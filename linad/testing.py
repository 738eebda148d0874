"""Support for user tests: gradients against central differences, and Hypothesis strategies for arguments."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from linad_typecheck.types import INTS, NUMPY_NAMES, Array

from .boundary.arguments import described
from .boundary.results import float_leaves, is_scalar_float, leaf_types, restore
from .compiled import tested
from .composed import by_position, calling
from .decorator import LinearGrad
from .function import CheckedFunction
from .structures import is_complex, leaves, map_leaves, parts, rebuilt
from .transforms.application import checked
from .transforms.hessian import gradient as gradient_function

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["arguments", "check_grads", "float_arrays", "index_arrays", "tame_floats"]


@dataclass(frozen=True)
class _Cell:
    """One number in an argument: its position, and its value."""

    argument: int
    path: tuple[int, ...]  # path into nested tuples
    index: tuple[int, ...]  # index into the array


def _differentiable(f: Any, args: Sequence[Any]) -> list[int]:
    """The positions of the parameters that `grad` differentiates by."""
    plain = getattr(f, "py_func", f)
    parameters = list(inspect.signature(plain, follow_wrapped=False).parameters.values())
    wrt = getattr(getattr(f, "options", None), "wrt", None)
    if wrt is not None:
        wanted = {
            parameters[w].name if isinstance(w, int) else w for w in ([wrt] if isinstance(wrt, int | str) else wrt)
        }
        return [k for k, p in enumerate(parameters) if p.name in wanted]
    return [k for k, (p, a) in enumerate(zip(parameters, args)) if p.annotation in (float, "float") or _has_float(a)]


def _has_float(a: Any) -> bool:
    items = parts(a)
    if items is not None:
        return any(map(_has_float, items))
    return not isinstance(a, bool | int) and np.asarray(a).dtype.kind == "f"


def _cells(value: Any, argument: int, path: tuple[int, ...] = (), declared: bool = False) -> Iterator[_Cell]:
    items = parts(value)
    if items is not None:
        for k, v in enumerate(items):
            yield from _cells(v, argument, (*path, k), declared)
    elif declared or _has_float(value):
        for index in np.ndindex(np.shape(value)):
            yield _Cell(argument, path, index)


def _at(value: Any, cell: _Cell) -> Any:
    for k in cell.path:
        value = parts(value)[k]
    return value[cell.index] if isinstance(value, np.ndarray) else value


def _moved(value: Any, path: tuple[int, ...], index: tuple[int, ...], by: float) -> tuple[Any, float]:
    """A copy of an argument with one number changed, and the actual change."""
    if path:
        items = list(parts(value))
        items[path[0]], really = _moved(items[path[0]], path[1:], index, by)
        return rebuilt(value, items), really
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy[index] += by
        return copy, float(copy[index]) - float(value[index])
    moved = value.dtype.type(value + by) if isinstance(value, np.floating) else float(value) + by
    return moved, float(moved) - float(value)


def _copied(args: Sequence[Any]) -> list[Any]:
    return [map_leaves(lambda x: x.copy() if isinstance(x, np.ndarray) else x, a) for a in args]


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: str | Sequence[str] = ("fwd", "rev"),
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Compare the derivatives of a checked function with central differences, number by number.

    Parameters
    ----------
    f : LinearGrad
        A function decorated with `linad.linear_grad`, or any other that `linad.grad` takes. If it returns more than one
        float, the sum of its results with fixed weights is checked.
    args : sequence
        The arguments at which to check, in parameter order; they should not be near kinks. They are not modified.
    order : int
        1 for first derivatives; 2 for second derivatives, too. Higher orders are those of lower order of the sum of the
        gradient's numbers with fixed weights.
    modes : str, or sequence of str
        ``"rev"`` compares reverse mode with differences; ``"fwd"`` compares forward mode in one direction with reverse
        mode. For second derivatives, the product of the Hessian with one direction is compared with differences of the
        gradient, in reverse-over-reverse and forward-over-reverse mode, respectively.
    rtol, atol : float, optional
        Tolerances; by default 1e-5 and 1e-6, or 1e-2 and 1e-3 if float32 is involved.

    Raises
    ------
    AssertionError
        With the argument and index of the largest error, both numbers and, if other differences reveal it, the likely
        cause: a kink, a jump, rounding, or a step that is too large for how fast the derivative changes. Also if a
        function under `linad.rule` is not linear in the parameters declared as linear.
    ValueError
        If the order or a mode does not exist, or if no argument is differentiable.
    TypeError
        If `args` is not a tuple of arguments.

    Examples
    --------
    >>> import math
    >>> from linad import linear_grad
    >>> from linad.testing import check_grads
    >>> @linear_grad
    ... def damped(x: float, c: float) -> float:
    ...     return math.exp(-c * x) * math.sin(x)
    >>> check_grads(damped, (0.5, 2.0), order=2)
    """
    modes = (modes,) if isinstance(modes, str) else modes
    if not isinstance(args, tuple | list):
        raise TypeError(f"args: expected a tuple with the arguments, got {described(args)}: write `(x,)` for one")
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"order: expected 1 for first derivatives, 2 for second ones, or more, got {order!r}")
    unknown = [m for m in modes if m not in ("fwd", "rev")]
    if unknown:
        raise ValueError(f"there is no mode {unknown[0]!r} to check, only 'fwd' and 'rev'")
    f = f if hasattr(f, "value_and_grad") else checked(f)
    if isinstance(f, LinearGrad):
        f, args = by_position(f), f._in_order(tuple(args))
    if isinstance(f, CheckedFunction) and not f.options.updates:
        result = f.specialisation(args).signature.result
        f = f if is_scalar_float(result) or not float_leaves(result) else _weighted(f, args)
    positions = _differentiable(f, args)
    if not positions:
        raise ValueError("none of the arguments is differentiable")
    value, gradient = f.value_and_grad(*_copied(args))
    plain_value = f(*_copied(args))
    if not np.array_equal(value, plain_value, equal_nan=True):
        _close("the value of value_and_grad", float(value), float(plain_value), rtol or 1e-9)
    single = any(_single(a) for a in args)
    rtol = rtol if rtol is not None else (1e-2 if single else 1e-5)
    atol = atol if atol is not None else (1e-3 if single else 1e-6)
    entries = dict(zip(positions, (gradient,) if len(positions) == 1 else gradient, strict=True))
    if isinstance(f, CheckedFunction) and f.specialisation(args).record.calls_compiled():
        interpreted = CheckedFunction(f.py_func, replace(f.options, backend="interpret"), f._surroundings)
        with tested():
            interpreted.value_and_grad(*_copied(args))
    if "fwd" in modes:
        _check_direction(f, args, entries, max(rtol, 1e-9), atol)
    if "rev" in modes:
        _check_cells("derivative", f, f, args, entries, rtol, atol)
    if order >= 2:
        _check_second(f, args, gradient, positions, modes, rtol, atol)
    if order > 2:
        try:
            check_grads(_weighted(gradient_function(f).composed, args), args, order - 1, modes, rtol, atol)
        except AssertionError as error:
            raise AssertionError(f"of the sum of the gradient's numbers with fixed weights: {error}") from None


def _weighted(f: CheckedFunction[..., Any], args: Sequence[Any]) -> CheckedFunction[..., Any]:
    """The sum of all numbers that a function returns, each times a weight of its own."""
    rng, weights, terms = np.random.default_rng(1), {}, []

    def visit(value: Any, place: str) -> None:
        items = parts(value)
        for step, x in zip(_steps(value), items or ()):
            visit(x, place + step)
        if items is None and _has_float(value):
            name = f"_weight{len(weights)}"
            weights[name] = rng.uniform(0.5, 1.5, np.shape(value)).astype(np.asarray(value).dtype)
            terms.append(f"_np.sum({name} * {place})" if np.ndim(value) else f"{float(weights[name])!r} * {place}")

    visit(f(*_copied(args)), "y")
    text = f"(lambda y: {' + '.join(terms)})(_function(...))"
    names = {**f._surroundings, "_function": f, "_np": np, **weights}
    made = calling(by_position(f).py_func, "weighted", text, f"<weighted {f.__name__}>", names, by_position=True)
    return CheckedFunction(made, f.options, f._surroundings)


def _steps(value: Any) -> list[str]:
    """How the parts of a structure are written."""
    if isinstance(value, dict):
        return [f"[{key!r}]" for key in value]
    if isinstance(value, tuple | list):
        return [f"[{k}]" for k in range(len(value))]
    if is_complex(value):
        return [".real", ".imag"]
    return [f".{f.name}" for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else []


def _check_second(
    f: LinearGrad[..., Any],
    args: Sequence[Any],
    gradient: Any,
    positions: Sequence[int],
    modes: Sequence[str],
    rtol: float,
    atol: float,
) -> None:
    """Compare products of the Hessian with a direction with differences of the gradient along it."""
    second = gradient_function(f).composed
    entries = dict(zip(positions, [gradient] if len(positions) == 1 else gradient, strict=True))
    direction = tuple(step for step, _ in _directions(entries, args).values())
    cotangent = direction[0] if len(positions) == 1 else direction

    def slope(*given: Any) -> float:
        return _dot(cotangent, f.grad(*given))

    products: dict[str, Any] = {}
    if "rev" in modes:
        every = dict(zip(_differentiable(second, args), second.vjp(*_copied(args))[1](cotangent), strict=True))
        products["reverse over reverse"] = [every[k] for k in positions]
    if "fwd" in modes:
        tangents = dict(zip(positions, direction, strict=True))
        product = second.jvp(_copied(args), tuple(tangents.get(k) for k in range(len(args))))[1]
        products["forward over reverse"] = [product] if len(positions) == 1 else product
    for mode, found in products.items():
        entries = dict(zip(positions, found, strict=True))
        _check_cells(f"derivative of the gradient along a direction, {mode},", f, slope, args, entries, rtol, atol)


def _dot(a: Any, b: Any) -> float:
    items = parts(a)
    if items is not None:
        return sum(_dot(x, y) for x, y in zip(items, parts(b), strict=True))
    return 0.0 if b is None else float(np.sum(np.multiply(a, b)))


def _check_cells(
    what: str,
    f: LinearGrad[..., Any],
    function: Callable[..., Any],
    args: Sequence[Any],
    entries: dict[int, Any],
    rtol: float,
    atol: float,
) -> None:
    """Compare each number of a gradient of ``function``, which has the parameters of ``f``, with its central
    difference."""
    names = list(inspect.signature(getattr(f, "py_func", f), follow_wrapped=False).parameters)
    worst: tuple[float, str, _Cell, float] | None = None
    for position, entry in entries.items():
        for cell in _cells(args[position], position, declared=True):
            if _at(entry, cell) is None:  # an int
                continue
            ours, theirs = float(_at(entry, cell)), _difference_quotient(function, args, cell)
            excess = abs(ours - theirs) - (atol + rtol * abs(theirs))
            if not excess <= 0 and not (np.isnan(ours) and np.isnan(theirs)):
                place = names[position] + "".join(f"[{k}]" for k in cell.path)
                place += f"[{', '.join(map(str, cell.index))}]" if cell.index else ""
                excess = np.inf if np.isnan(excess) else excess
                if worst is None or excess > worst[0]:
                    told = f"the {what} by {place} is {ours!r}, central differences give {theirs!r}"
                    worst = excess, told, cell, ours
    if worst is not None:
        _, told, cell, ours = worst
        raise AssertionError(f"{told}; {_cause(function, args, cell, ours, rtol, atol)}")


def _directions(gradient: dict[int, Any], args: Sequence[Any]) -> dict[int, tuple[Any, float]]:
    """A direction for each entry of a gradient, with the same structure, and the product of both."""
    steps = np.random.default_rng(0)

    def along(g: Any, x: Any) -> tuple[Any, float]:
        items = parts(g)
        if items is not None:
            pairs = [along(part, value) for part, value in zip(items, parts(x), strict=True)]
            return rebuilt(g, (step for step, _ in pairs)), sum(d for _, d in pairs)
        if g is None:
            return 0, 0.0
        step = steps.standard_normal(np.shape(g)).astype(np.asarray(g).dtype)
        return (step if np.ndim(g) or isinstance(x, np.ndarray) else float(step)), float(np.sum(step * g))

    return {k: along(g, args[k]) for k, g in gradient.items()}


def _check_direction(
    f: Callable[..., Any], args: Sequence[Any], gradient: dict[int, Any], rtol: float, atol: float
) -> None:
    """Compare the tangent in one direction with the gradient times that direction."""
    steps_of = _directions(gradient, args)
    tangents = tuple(steps_of[k][0] if k in steps_of else None for k in range(len(args)))
    _, tangent = f.jvp(_copied(args), tangents)
    tangent = tangent[0] if isinstance(tangent, tuple) else tangent
    expected = sum(d for _, d in steps_of.values())
    if not np.isclose(tangent, expected, rtol=rtol, atol=atol, equal_nan=True):
        raise AssertionError(
            f"forward mode gives {float(tangent)!r} in a direction in which reverse mode gives {expected!r}"
        )


def _close(what: str, a: float, b: float, rtol: float) -> None:
    assert np.isclose(a, b, rtol=rtol, equal_nan=True), f"{what} is {a!r}, a call gives {b!r}"


def _single(a: Any) -> bool:
    return any(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves(a))


def _step(args: Sequence[Any], cell: _Cell) -> float:
    """The step of central differences: the cube root of the machine precision, scaled."""
    single = any(_single(a) for a in args)
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    return eps ** (1 / 3) * max(1.0, abs(float(_at(args[cell.argument], cell))))


def _end(f: Callable[..., Any], args: Sequence[Any], cell: _Cell, by: float) -> tuple[float, float]:
    """The value with one number changed, and the actual change."""
    moved, really = _moved(args[cell.argument], cell.path, cell.index, by)
    given = _copied(args)
    given[cell.argument] = moved
    return float(f(*given)), really


def _difference_quotient(f: Callable[..., Any], args: Sequence[Any], cell: _Cell) -> float:
    step = _step(args, cell)
    (up, forward), (down, back) = (_end(f, args, cell, by) for by in (step, -step))
    return (up - down) / (forward - back)


def _cause(f: Callable[..., Any], args: Sequence[Any], cell: _Cell, ours: float, rtol: float, atol: float) -> str:
    """The likely reason why a derivative differs from central differences, found by one-sided differences with
    decreasing steps."""
    single = any(_single(a) for a in args)
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    middle = float(f(*_copied(args)))
    steps = [_step(args, cell) / by for by in (1.0, 16.0, 256.0)]
    slopes = []
    for h in steps:
        (up, forward), (down, back) = (_end(f, args, cell, by) for by in (h, -h))
        slopes.append(((up - middle) / forward + 0.0, (down - middle) / back + 0.0))
    if not np.all(np.isfinite([*np.ravel(slopes), ours])):
        return "a value near by is not finite"
    far = [abs(ours - (right + left) / 2.0) for right, left in slopes]
    noise = eps * abs(middle) / steps[0]
    if noise > 0.1 * far[0]:
        kind = "float32" if single else "the precision of floats"
        return f"likely {kind}: rounding of a value of {middle:.3g} alone makes differences uncertain by {noise:.2g}"
    _, before, gap = (abs(right - left) for right, left in slopes)
    right, left = slopes[-1]
    if min(abs(right), abs(left)) > 8.0 * max(map(abs, slopes[1])):
        return f"likely a jump: the slopes to both sides, {right:.6g} and {left:.6g}, grow as the step shrinks"
    if gap > atol + rtol * abs(ours) + 4.0 * 256.0 * noise:
        if gap > 8.0 * before:
            return f"likely a jump: the slopes to both sides, {right:.6g} and {left:.6g}, grow as the step shrinks"
        if gap > 0.5 * before:
            return f"likely a kink or a tie: the slope is {right:.6g} to the right and {left:.6g} to the left"
    for h, d, (right, left) in zip(steps[1:], far[1:], slopes[1:], strict=True):
        if d < 0.25 * far[0]:
            shorter = f"with one of {h:.2g}, in place of {steps[0]:.2g}"
            return f"likely a step too large: {shorter}, they give {(right + left) / 2.0:.6g}"
    for h in (256.0 * steps[0], 16.0 * steps[0]):
        (up, forward), (down, back) = (_end(f, args, cell, by) for by in (h, -h))
        longer = (up - down) / (forward - back)
        if abs(ours - longer) < 0.25 * far[0]:
            return (
                "likely rounding inside, as where the function computes in float32:"
                f" with a step of {h:.2g}, in place of {steps[0]:.2g}, they give {longer:.6g}"
            )
    return "differences to both sides agree: no kink was found"


# ------------------------------------------------------------------------------------------------------ strategies


def tame_floats(low: float = -3.0, high: float = 3.0) -> SearchStrategy[float]:
    """Hypothesis strategy: finite floats of moderate size, none so small that its square underflows.

    Parameters
    ----------
    low, high : float
        The bounds.

    Returns
    -------
    SearchStrategy
        A strategy for floats, with 0.0 in place of those smaller than 1e-3 in absolute value.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(tame_floats(), lambda x: True)
    0.0
    """
    from hypothesis import strategies as st

    return st.floats(low, high, allow_nan=False).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


def float_arrays(shape: int | tuple[int, ...], dtype: type = np.float64) -> SearchStrategy[np.ndarray]:
    """Hypothesis strategy: arrays of `tame_floats`.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : type
        The type of the elements.

    Returns
    -------
    SearchStrategy
        A strategy for arrays.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(float_arrays(2), lambda x: True)
    array([0., 0.])
    """
    from hypothesis import strategies as st

    shape = (shape,) if isinstance(shape, int) else shape
    size = int(np.prod(shape))
    cells = st.lists(tame_floats(), min_size=size, max_size=size)
    return cells.map(lambda c: np.array(c, dtype).reshape(shape))


def index_arrays(length: int, size: int, negative: bool = True) -> SearchStrategy[np.ndarray]:
    """Hypothesis strategy: arrays of valid indices.

    Parameters
    ----------
    length : int
        The length of the array.
    size : int
        The size of the indexed axis.
    negative : bool
        Whether to include negative indices, which count from the end.

    Returns
    -------
    SearchStrategy
        A strategy for int64 arrays of shape (length,).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(index_arrays(2, 5), lambda x: True)
    array([0, 0])
    """
    from hypothesis import strategies as st

    cell = st.integers(-size if negative else 0, size - 1)
    return st.lists(cell, min_size=length, max_size=length).map(lambda c: np.array(c, np.int64))


def arguments(
    f: Callable[..., Any], max_size: int = 4, **strategies: SearchStrategy[Any]
) -> SearchStrategy[tuple[Any, ...]]:
    """Hypothesis strategy: arguments that match the annotations of a function.

    Parameters
    ----------
    f : function
        A checked or plain function with annotated parameters.
    max_size : int
        The largest size along an axis, and the largest int. Axes with the same name have the same size.
    **strategies : SearchStrategy
        Strategies for parameters by name, instead of those that follow from their annotations.

    Returns
    -------
    SearchStrategy
        A strategy for tuples with an argument for each parameter. Floats are those of `tame_floats`; ints are between 0
        and `max_size`; ints in arrays are valid indices of the smallest named axis.

    Raises
    ------
    ValueError
        If the annotations are incomplete and there is no strategy for each parameter, or if a strategy names an unknown
        parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from hypothesis import find
    >>> from jaxtyping import Float64, Int64
    >>> from linad.testing import arguments
    >>> def gather(x: Float64[np.ndarray, "n"], index: Int64[np.ndarray, "m"], w: float) -> float:
    ...     return w * np.sum(x[index])
    >>> find(arguments(gather), lambda given: len(given[1]) == 2)
    (array([0.]), array([0, 0]), 0.0)
    """
    from hypothesis import strategies as st

    function = checked(f)
    names = list(inspect.signature(function.py_func, follow_wrapped=False).parameters)
    unknown = [n for n in strategies if n not in names]
    if unknown:
        raise ValueError(f"`{function.__name__}` has no parameter `{unknown[0]}`; it has {', '.join(names)}")
    if set(strategies) == set(names):
        return st.tuples(*(strategies[n] for n in names))
    signature = function.signature
    parameters = inspect.signature(function.py_func, follow_wrapped=False).parameters
    bare = [n for n, p in parameters.items() if p.annotation is p.empty and n not in strategies]
    if signature is None or bare:
        bare = bare or names
        told = f"the annotations of `{function.__name__}` do not give all types: annotate `{bare[0]}`"
        raise ValueError(f"{told}, or give a strategy for each parameter")
    known = {p.name: p for p in signature.params}
    wanted = [known[n] for n in names if n not in strategies]
    symbols = sorted({s for p in wanted for dims in p.dims for d in dims or () for s in _symbols(d)})
    numbers = {"f64": tame_floats(), "f32": tame_floats().map(np.float32), "bool": st.booleans()}

    def scalar(leaf: Any) -> SearchStrategy[Any]:
        kind = leaf.type.dtype
        if kind in INTS:
            return st.integers(0, max_size).map(int if leaf.weak else np.dtype(_DTYPES[kind]).type)
        return numbers[kind] if leaf.weak or kind == "bool" else numbers[kind].map(np.dtype(_DTYPES[kind]).type)

    def array(leaf: Any, dims: Sequence[str], sizes: dict[str, int], least: int) -> SearchStrategy[np.ndarray]:
        shape = tuple(_size_of(d, sizes) for d in dims)
        kind = leaf.type.dtype
        cell = st.integers(0, least - 1) if kind in INTS else numbers[kind]
        count = int(np.prod(shape))
        cells = st.lists(cell, min_size=count, max_size=count)
        return cells.map(lambda c: np.array(c, _DTYPES[kind]).reshape(shape))

    @st.composite
    def every(draw: Any) -> tuple[Any, ...]:
        sizes = {s: draw(st.integers(1, max_size)) for s in symbols}
        least = min(sizes.values(), default=1)
        found = []
        for n in names:
            if n in strategies:
                found.append(draw(strategies[n]))
                continue
            p = known[n]
            every_leaf = list(leaf_types(p.structure))
            arrays = iter(p.dims)
            values = {}
            for leaf in every_leaf:
                if isinstance(leaf.type, Array):
                    dims = next(arrays, None) or ("_",) * leaf.type.rank
                    values[leaf.index] = draw(array(leaf, dims, sizes, least))
                else:
                    values[leaf.index] = draw(scalar(leaf))
            found.append(restore(p.structure, values))
        return tuple(found)

    return every()


_DTYPES = {d: np.dtype(name).type for d, name in NUMPY_NAMES.items()}


def _symbols(dim: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", dim)) - {"_"}


def _size_of(dim: str, sizes: dict[str, int]) -> int:
    """The value of an annotated size: a number, a name, or sums and multiples of these; 2 if it is open."""
    if dim == "_":
        return 2
    return max(0, int(eval(dim, {"__builtins__": {}}, sizes)))  # noqa: S307 - the checker has read it as such a size
