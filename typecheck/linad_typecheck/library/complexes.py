"""Library functions and operators of complex numbers.

A complex number is a pair of real numbers, an array of them a pair of arrays (`engine.complexes`). A function of the
prelude whose name begins with ``%complex`` defines a library function for complex arguments. Sums, rearrangements and
other functions that are applied to each part are in a table. Everything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..advice.unsupported_functions import elsewhere
from ..engine.complexes import as_complex, pair
from ..engine.elementwise import lift
from ..engine.growing import as_array, is_growing
from ..engine.numbers import as_scalar
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules, rule_of
from ..engine.sizes import is_array
from ..engine.state import Lowering, zero
from ..engine.values import (
    DTypeValue,
    EntityValue,
    ScalarValue,
    TextValue,
    TupleValue,
    Value,
    is_complex,
    literal,
)
from ..messages.language import BadCall, Unsupported
from ..names.scope import External
from ..types import DType

Call = Callable[[Lowering, str, Args], Value]
PREFIX = "%complex "
PARTS = "work with the real and the imaginary part, `z.real` and `z.imag`"

# functions that are applied to both parts
_BY_PARTS = frozenset(
    f"numpy.{name}"
    for name in """
    sum mean nansum nanmean cumsum diff ediff1d gradient trapezoid trapz array copy asarray asanyarray ascontiguousarray
    concatenate concat stack vstack hstack dstack column_stack append insert delete roll flip fliplr flipud rot90
    reshape
    ravel transpose permute_dims matrix_transpose squeeze expand_dims swapaxes moveaxis rollaxis atleast_1d atleast_2d
    atleast_3d broadcast_to broadcast_arrays repeat tile resize take take_along_axis compress extract diag diagflat
    diagonal
    trace tril triu zeros_like empty_like full meshgrid pad split array_split hsplit vsplit where add.reduce
    add.accumulate fft.fftshift fft.ifftshift interp round around nan_to_num linspace
    """.split()
) | {
    "builtins.sum", "scipy.integrate.trapezoid", "scipy.integrate.simpson", "scipy.integrate.cumulative_trapezoid",
    "scipy.fft.fftshift", "scipy.fft.ifftshift", "copy.copy", "copy.deepcopy",
}  # fmt: skip
# functions that are linear in each of their arguments
_MULTILINEAR = frozenset(
    f"numpy.{name}"
    for name in "matmul dot inner outer kron convolve tensordot einsum cross multiply.outer vecmat matvec "
    "linalg.matmul linalg.multi_dot average".split()
) | {"operator.matmul", "scipy.signal.convolve", "scipy.signal.fftconvolve"}  # fmt: skip
_SHAPES = frozenset({"numpy.size", "numpy.shape", "numpy.ndim", "builtins.len"})
# arguments that are numbers, too, if others are complex
_BESIDE = {"numpy.linspace": (0, 1), "numpy.where": (1, 2), "numpy.append": (0, 1), "numpy.insert": (0, 2)}
_DTYPES: dict[str, DType] = {
    "builtins.complex": "f64", "numpy.complex128": "f64", "numpy.cdouble": "f64", "numpy.complex64": "f32",
    "numpy.csingle": "f32",
}  # fmt: skip
_TEXTS: dict[str, DType] = {
    "complex": "f64",
    "complex128": "f64",
    "c16": "f64",
    "D": "f64",
    "complex64": "f32",
    "c8": "f32",
}


def complex_dtype(v: Value) -> DType | None:
    """The dtype of the parts, if a value denotes a complex dtype."""
    match v:
        case EntityValue(entity=External(dotted=dotted)):
            return _DTYPES.get(dotted)
        case TextValue(text=text):
            return _TEXTS.get(text)
    return None


def call(ctx: Lowering, dotted: str, args: Args, called: Call) -> Value | None:
    """A call with complex numbers among its arguments, or with a complex dtype; None for any other call."""
    given = (*args.values, *args.keywords.values())
    dtypes = [d for v in given if (d := complex_dtype(v)) is not None]
    if dtypes and dotted not in ("builtins.isinstance", "numpy.issubdtype"):
        return _of_dtype(ctx, dotted, args, dtypes[0], called)
    if dotted in _DTYPES or dotted.startswith(("cmath.", "%")) or not any(map(_has_complex, given)):
        return None
    args = _mapped(args, lambda v: as_array(ctx, v, args.hint, args.span) if is_growing(v) and _has_complex(v) else v)
    rule = rule_of(PREFIX + dotted)
    if rule is not None:
        return rule[0](ctx, replace(args, function=dotted))
    if dotted in _SHAPES:
        return called(ctx, dotted, _mapped(args, lambda v: v.items[0] if is_complex(v) else v))
    if dotted in _BY_PARTS:
        both = [called(ctx, dotted, _parts(ctx, dotted, args, k)) for k in (0, 1)]
        return _paired(ctx, both, args)
    if dotted in _MULTILINEAR:
        return _multilinear(ctx, dotted, args, called)
    raise Refused(Unsupported(args.span, f"`{args.name}` of complex numbers", elsewhere(dotted) or PARTS))


def _has_complex(v: Value) -> bool:
    if is_growing(v):
        return is_complex(v.items[0])
    return is_complex(v) or (isinstance(v, TupleValue) and not v.closed and any(map(_has_complex, v.items)))


def _mapped(args: Args, change: Callable[[Value], Value]) -> Args:
    return replace(
        args, values=tuple(map(change, args.values)), keywords={k: change(v) for k, v in args.keywords.items()}
    )


def _parts(ctx: Lowering, dotted: str, args: Args, k: int) -> Args:
    """The arguments with one part of each complex number."""
    numbers = _BESIDE.get(dotted, ())
    values = tuple(_part(ctx, v, k, n in numbers, args) for n, v in enumerate(args.values))
    return replace(args, values=values, keywords={n: _part(ctx, v, k, False, args) for n, v in args.keywords.items()})


def _part(ctx: Lowering, v: Value, k: int, beside: bool, args: Args) -> Value:
    """One part of a value; that of a real number only if it stands ``beside`` complex ones."""
    if is_complex(v):
        return v.items[k]
    if isinstance(v, TupleValue) and not v.closed and _has_complex(v):
        return replace(v, items=tuple(_part(ctx, x, k, True, args) for x in v.items))
    if not beside or k == 0 or not (isinstance(v, ScalarValue) or is_array(v)):
        return v
    return lift(ctx, (v,), lambda x: ScalarValue(zero(x[0].dtype), isinstance(v, ScalarValue) and v.weak), args.span)


def _paired(ctx: Lowering, both: Sequence[Value], args: Args) -> Value:
    """Complex numbers of the results for both parts."""
    real, imag = both
    if isinstance(real, TupleValue) and isinstance(imag, TupleValue):
        return replace(
            real, items=tuple(_paired(ctx, parts, args) for parts in zip(real.items, imag.items, strict=True))
        )
    if all(isinstance(v, ScalarValue) or is_array(v) for v in both):
        return pair(ctx, real, imag, args.span, args.hint)
    return real


def _multilinear(ctx: Lowering, dotted: str, args: Args, called: Call) -> Value:
    """A product: the sum over the parts of all complex arguments, each as often turned as it has imaginary parts."""
    if "weights" in args.keywords or len(args.values) > 8:
        raise Refused(Unsupported(args.span, f"`{args.name}` of complex numbers with weights", PARTS))
    sums: list[Value | None] = [None, None]
    for k in range(2 ** sum(map(is_complex, args.values))):
        left, turns, values = k, 0, []
        for v in args.values:
            if is_complex(v):
                values.append(v.items[left % 2])
                turns, left = turns + left % 2, left // 2
            else:
                values.append(v)
        term = called(ctx, dotted, replace(args, values=tuple(values)))
        old, name = sums[turns % 2], "operator.add" if turns % 4 < 2 else "operator.sub"
        sums[turns % 2] = term if old is None else called(ctx, name, replace(args, values=(old, term), keywords={}))
    real, imag = sums
    if real is None or imag is None:  # complex numbers in lists only
        raise Refused(
            Unsupported(args.span, f"`{args.name}` of complex numbers in a list", "make arrays of them first")
        )
    return pair(ctx, real, imag, args.span, args.hint)


def _of_dtype(ctx: Lowering, dotted: str, args: Args, dtype: DType, called: Call) -> Value:
    """A call with a complex dtype: of an array without complex numbers, all its imaginary parts are zero."""
    drops = any(map(_has_complex, (*args.values, *args.keywords.values())))
    if drops:
        kept = tuple(v for v in args.values if complex_dtype(v) is None)
        rest = {k: v for k, v in args.keywords.items() if complex_dtype(v) is None}
        return called(ctx, dotted, replace(args, values=kept, keywords=rest))
    real = called(ctx, dotted, _mapped(args, lambda v: v if complex_dtype(v) is None else DTypeValue(dtype)))
    if is_array(real):
        return as_complex(ctx, pair(ctx, real, real, args.span, args.hint).items[0], args.span)
    raise Refused(Unsupported(args.span, f"`{args.name}` with a complex dtype", PARTS))


def _made(ctx: Lowering, args: Args) -> Value:
    """``complex(re, im)``, ``np.complex128(z)``, of numbers that may be complex."""
    names = dict(zip(("real", "imag"), args.values, strict=False)) | args.keywords
    if len(args.values) > 2 or not names.keys() <= {"real", "imag"}:
        raise Refused(BadCall(args.span, args.name, "takes a real and an imaginary part"))
    real, imag = names.get("real", literal(0.0)), names.get("imag", literal(0.0))
    if is_complex(real) and "imag" not in names:
        return real
    numbers = [as_scalar(ctx, v, args.span, f"`{args.name}` takes real numbers") for v in (real, imag)]
    weak = args.function == "builtins.complex"
    return pair(ctx, *(ScalarValue(v.atom, weak) for v in numbers), args.span, args.hint)


def _of_cmath(ctx: Lowering, args: Args) -> Value:
    """A function of `cmath`: that of a complex number, also for real arguments."""
    name = args.function.partition(".")[2]
    if args.keywords or len(args.values) != 1:
        raise Refused(BadCall(args.span, args.name, "takes one number here"))
    known = rule_of(PREFIX + args.function) or rule_of(f"{PREFIX}numpy.{_OF_CMATH[name]}")
    number = args.values[0]
    if not is_complex(number):
        number = as_complex(ctx, as_scalar(ctx, number, args.span, f"`{args.name}` is of numbers"), args.span)
    return known[0](ctx, replace(args, values=(number,)))


def _rect(ctx: Lowering, args: Args) -> Value:
    """``cmath.rect(r, phi)``."""
    if args.keywords or len(args.values) != 2:
        raise Refused(BadCall(args.span, args.name, "takes 2 arguments"))
    r, phi = (as_scalar(ctx, v, args.span, f"`{args.name}` is of real numbers") for v in args.values)
    turn = ScalarValue(zero(phi.dtype), True), phi
    unit = rule_of(f"{PREFIX}numpy.exp")[0](ctx, replace(args, values=(pair(ctx, *turn, args.span, args.hint),)))
    return rule_of(f"{PREFIX}operator.mul")[0](ctx, replace(args, values=(r, unit)))


_OF_CMATH = {n: n for n in "exp log sqrt sin cos tan sinh cosh tanh log10 isnan isinf isfinite polar".split()} | {
    "phase": "angle", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "atanh": "arctanh",
}  # fmt: skip


def _pair(ctx: Lowering, args: Args) -> Value:
    """``pair(re, im)`` in the prelude."""
    return pair(ctx, *args.values, args.span, args.hint)


enter_rules({"%complex": _pair})
enter_rules({name: _made for name in _DTYPES})
enter_rules({**{f"cmath.{name}": _of_cmath for name in _OF_CMATH}, "cmath.rect": _rect})
