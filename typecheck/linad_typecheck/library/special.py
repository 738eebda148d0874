"""Less common functions of numpy, math and scipy.special on scalars: tables from dotted names to compositions of
primitives."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from ..ir.core import Atom, Check, Const
from ..engine.arithmetic import binary, check_nonzero, truth
from ..engine.numbers import as_index, as_scalar, cast, promote
from ..engine.refusal import Refused
from ..engine.rulebook import Args, enter_rules, scalars
from ..engine.state import Lowering
from ..engine.values import ScalarValue, TupleValue, Value, describe, literal, type_of
from ..messages.language import BadCall, Unsupported
from ..messages.types import WrongType
from ..types import BOOL, F64, FLOATS, I64, INTS, DType, Scalar
from .scalars import choose

Rule = Callable[[Lowering, Args], Value]


class Writer:
    """Emits scalar operations at the position of a call."""

    def __init__(self, ctx: Lowering, args: Args) -> None:
        self.ctx, self.args, self.span = ctx, args, args.span

    def op(self, name: str, *ins: Atom, type: Scalar | None = None) -> Atom:
        return self.ctx.let(self.args.hint, name, ins, type or ins[0].type, self.span)

    def test(self, name: str, *ins: Atom) -> Atom:
        return self.ctx.let("b", name, ins, BOOL, self.span)

    def select(self, cond: Atom, a: Atom, b: Atom) -> Atom:
        return self.ctx.let(self.args.hint, "select", (cond, a, b), a.type, self.span)

    def c(self, value: float, like: Atom) -> Const:
        return Const(float(value) if like.type.dtype in FLOATS else int(value), like.type)


def floats(ctx: Lowering, args: Args, count: int, wide: bool = False) -> list[Atom]:
    """The arguments in their common float dtype. It is f64 for ints, and with ``wide``."""
    values = scalars(ctx, args, count)
    best = values[0]
    for v in values[1:]:
        dtype, weak = promote(best, v)
        best = ScalarValue(Const(0, Scalar(dtype)), weak)
    numbers(args, values)
    dtype: DType = best.dtype if best.dtype in FLOATS and not wide else "f64"
    return [cast(ctx, v.atom, dtype, args.span) for v in values]


def ints(ctx: Lowering, args: Args, least: int, most: int | None = None) -> list[ScalarValue]:
    """The arguments, checked to be ints."""
    values = scalars(ctx, args, least, most)
    if any(v.dtype in FLOATS for v in values):
        raise Refused(WrongType(args.span, f"`{args.name}` is of ints", "float", "convert it: `int(...)`"))
    return values


def numbers(args: Args, values: list[ScalarValue]) -> None:
    """Refuse arguments if all of them are bools."""
    if all(v.dtype == "bool" for v in values):
        raise Refused(WrongType(args.span, f"`{args.name}` is of numbers", "bool", "convert it: `float(...)`"))


def composed(arity: int, make: Callable[..., Atom], weak: bool = False, wide: bool = False) -> Rule:
    """A rule for a function of floats: ``make(writer, *operands)``.

    ``weak``: a function of `math`, which computes in f64 and returns a Python float. ``wide``: another function that
    computes in f64.
    """

    def apply(ctx: Lowering, args: Args) -> Value:
        ins = floats(ctx, args, arity, wide or weak)
        return ScalarValue(make(Writer(ctx, args), *ins), weak)

    return apply


def primitive(op: str, arity: int = 1, weak: bool = False) -> Rule:
    return composed(arity, lambda w, *ins: w.op(op, *ins), weak)


def _order(op: str, order: int) -> Rule:
    """A function of a family whose order is fixed by the name."""
    return composed(1, lambda w, x: w.op(op, x, Const(order, I64)))


def _given_order(op: str, wide: bool = False, least: int = -100) -> Rule:
    """A function of a family whose order is a literal first argument."""

    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        n = values[0].atom
        if not isinstance(n, Const) or n.value != int(n.value) or not least <= n.value <= 100:
            what = f"an order of `{args.name}` that is not a literal int from {least} to 100"
            raise Refused(Unsupported(args.span, what, f"write the order as a number: `{args.name}(1, x)`"))
        dtype = values[1].dtype if values[1].dtype in FLOATS and not wide else "f64"
        x = cast(ctx, values[1].atom, dtype, args.span)
        return ScalarValue(Writer(ctx, args).op(op, x, Const(int(n.value), I64)))

    return apply


# ------------------------------------------------------------------------------------------------ functions of floats


def _fmin(w: Writer, x: Atom, y: Atom, better: str = "lt") -> Atom:
    """The smaller one; the other operand if one is NaN, and the first of two equal ones."""
    second = w.test("or", w.test(better, y, x), w.test("ne", x, x))
    return w.select(second, y, x)


def _fmax(w: Writer, x: Atom, y: Atom) -> Atom:
    return _fmin(w, x, y, "gt")


def _heaviside(w: Writer, x: Atom, h: Atom) -> Atom:
    right = w.select(w.test("gt", x, w.c(0, x)), w.c(1, x), w.c(math.nan, x))
    left = w.select(w.test("lt", x, w.c(0, x)), w.c(0, x), right)
    return w.select(w.test("eq", x, w.c(0, x)), h, left)


def _kl_div(w: Writer, x: Atom, y: Atom) -> Atom:
    inside = w.op("rel_entr", x, y)
    positive = w.test("and", w.test("gt", x, w.c(0, x)), w.test("gt", y, w.c(0, y)))
    outside = w.test("and", w.test("eq", inside, w.c(math.inf, x)), w.test("not", positive))
    return w.select(outside, inside, w.op("add", w.op("sub", inside, x), y))


def _gammaln(w: Writer, x: Atom) -> Atom:
    """SciPy's `gammaln`: C's `lgamma`, except that -inf gives -inf."""
    return w.select(w.test("eq", x, w.c(-math.inf, x)), x, w.op("lgamma", x))


def _signbit(w: Writer, x: Atom) -> Atom:
    return w.test("lt", w.op("copysign", w.c(1, x), x), w.c(0, x))


def _infinite(sign: float) -> Rule:
    return composed(1, lambda w, x: w.test("eq", x, w.c(sign * math.inf, x)))


def _exp10(w: Writer, x: Atom) -> Atom:
    return w.op("pow", w.c(10, x), x)


def _softplus(w: Writer, x: Atom) -> Atom:
    return w.op("neg", w.op("log_expit", w.op("neg", x)))


def _ldexp(weak: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        if not weak:
            numbers(args, values[:1])
        x, k = values
        if k.dtype in FLOATS:
            what = f"the second argument of `{args.name}` is an int"
            raise Refused(WrongType(args.span, what, "float", "convert it: `int(...)`"))
        dtype = x.dtype if x.dtype in FLOATS and not weak else "f64"
        w, out, count = Writer(ctx, args), cast(ctx, x.atom, "f64", args.span), as_index(ctx, k.atom, args.span)
        count = w.op("max", w.op("min", count, Const(2100, I64)), Const(-2100, I64))
        out = w.op("ldexp", out, w.op("cast", count, type=F64))
        return ScalarValue(cast(ctx, out, dtype, args.span), weak)

    return apply


def _modf(weak: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        ins = floats(ctx, args, 1, wide=weak)
        w, (x,) = Writer(ctx, args), ins
        whole = w.op("trunc", x)
        part = w.select(w.test("isinf", x), w.c(0, x), w.op("sub", x, whole))
        return TupleValue((ScalarValue(w.op("copysign", part, x), weak), ScalarValue(whole, weak)))

    return apply


def _nan_to_num(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, Args(args.name, args.span, args.values, {}, args.hint), 1)
    unknown = args.keywords.keys() - {"nan", "posinf", "neginf"}
    if unknown:
        if unknown:
            raise Refused(BadCall(args.span, args.name, "takes a number and `nan`, `posinf` and `neginf`"))
        raise Refused(None)
    x = values[0].atom
    if values[0].dtype not in FLOATS:
        return ScalarValue(x)
    w, big = Writer(ctx, args), 1.7976931348623157e308 if values[0].dtype == "f64" else 3.4028234663852886e38
    for name, value in (("nan", 0.0), ("posinf", big), ("neginf", -big)):
        given = args.keywords.get(name, literal(value))
        if not isinstance(given, ScalarValue):
            raise Refused(WrongType(args.span, f"`{name}` is a number", describe(type_of(given))))
        new = cast(ctx, given.atom, x.type.dtype, args.span)
        limit = {"posinf": math.inf, "neginf": -math.inf}.get(name)
        found = (
            w.test("ne", values[0].atom, values[0].atom)
            if limit is None
            else w.test("eq", values[0].atom, w.c(limit, x))
        )
        x = w.select(found, new, x)
    return ScalarValue(x)


def _isclose(names: tuple[str, str], defaults: tuple[float, float], numpy: bool) -> Rule:
    """``math.isclose`` is relative to the larger operand, ``np.isclose`` to the second one."""

    def apply(ctx: Lowering, args: Args) -> Value:
        given = [args.keywords.get(n, literal(d)) for n, d in zip(names, defaults, strict=True)]
        rest = {k: v for k, v in args.keywords.items() if k not in (*names, *["equal_nan"] * numpy)}
        nan = args.keywords.get("equal_nan", literal(False))
        ins = floats(ctx, Args(args.name, args.span, (*args.values, *given), rest, args.hint), 4, wide=True)
        w, (a, b, rel, tol) = Writer(ctx, args), ins
        distance, size = w.op("abs", w.op("sub", a, b)), w.op("abs", b)
        if not numpy:
            size = w.op("max", w.op("abs", a), size)
        by_size = w.op("mul", rel, size)
        allowed = w.op("add", tol, by_size) if numpy else w.op("max", by_size, tol)
        finite = w.test("and", w.test("isfinite", a), w.test("isfinite", b))
        near = w.test("and", finite, w.test("le", distance, allowed))
        same = w.test("eq", a, b)
        if nan != literal(False):
            both = w.test("and", w.test("isnan", a), w.test("isnan", b))
            same = w.test("or", same, w.test("and", both, as_scalar(ctx, nan, args.span, "`equal_nan`").atom))
        return ScalarValue(w.test("or", same, near), not numpy)

    return apply


def _hypot(ctx: Lowering, args: Args) -> Value:
    """``math.hypot`` of any number of coordinates."""
    return _norm(ctx, args, args.values)


def _norm(ctx: Lowering, args: Args, values: tuple[Value, ...]) -> Value:
    if not values and not args.keywords:
        return literal(0.0)
    ins = floats(ctx, Args(args.name, args.span, values, args.keywords, args.hint), len(values), wide=True)
    w = Writer(ctx, args)
    total = w.op("abs", ins[0]) if len(ins) == 1 else ins[0]
    for x in ins[1:]:
        total = w.op("hypot", total, x)
    return ScalarValue(total, True)


# ------------------------------------------------------------------------------------------------- functions of ints


def _fmod(weak: bool) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        if weak or any(v.dtype in FLOATS for v in values):
            return primitive("fmod", 2, weak)(ctx, args)
        dtype, _ = promote(*values)
        if dtype not in INTS:
            raise Refused(WrongType(args.span, f"`{args.name}` is of numbers", "bool", "convert it: `int(...)`"))
        a, b = (cast(ctx, v.atom, dtype, args.span) for v in values)
        check_nonzero(ctx, b, "ZeroDivisionError", "integer division or modulo by zero", args.span)
        w = Writer(ctx, args)
        r, zero = w.op("mod", a, b), w.c(0, a)
        apart = w.test("ne", w.test("lt", a, zero), w.test("lt", b, zero))
        return ScalarValue(w.select(w.test("and", apart, w.test("ne", r, zero)), w.op("sub", r, b), r))

    return apply


def _common(make: Callable[[Writer, Atom, Atom], Atom], start: int, weak: bool) -> Rule:
    """A common divisor or multiple of several ints."""

    def apply(ctx: Lowering, args: Args) -> Value:
        values = ints(ctx, args, *((0, 99) if weak else (2, 2)))
        if not weak:
            numbers(args, values)
        w, total = Writer(ctx, args), Const(start, I64)
        for v in values:
            total = make(w, total, as_index(ctx, v.atom, args.span))
        return ScalarValue(total if weak else cast(ctx, total, promote(*values)[0], args.span), weak)

    return apply


def _gcd(w: Writer, a: Atom, b: Atom) -> Atom:
    return w.op("gcd", a, b)


def _lcm(w: Writer, a: Atom, b: Atom) -> Atom:
    divisor = w.op("gcd", a, b)
    common = w.select(w.test("eq", divisor, Const(0, I64)), Const(1, I64), divisor)
    return w.op("mul", w.op("floordiv", w.op("abs", a), common), w.op("abs", b))


def _counted(op: str, least: int, most: int) -> Rule:
    """comb, perm and isqrt of non-negative ints. A result of more than 63 bits raises OverflowError."""

    def apply(ctx: Lowering, args: Args) -> Value:
        values = ints(ctx, args, least, most)
        ins = [as_index(ctx, v.atom, args.span) for v in values]
        if op == "perm" and len(ins) == 1:
            ins = [ins[0], ins[0]]
        w = Writer(ctx, args)
        for x in ins:
            if not ctx.is_nonneg(x):
                ok = Const(False, BOOL) if isinstance(x, Const) else w.test("ge", x, Const(0, I64))
                ctx.emit(Check(ok, "ValueError", f"{args.name} is of ints that are not negative", (), args.span))
        out = w.op(op, *ins, type=I64)
        if op != "isqrt":
            fits = w.test("ge", out, Const(0, I64))
            ctx.emit(
                Check(
                    fits,
                    "OverflowError",
                    f"the result of {args.name} is too large for an int of 64 bits",
                    (),
                    args.span,
                )
            )
        ctx.not_negative(out)
        return ScalarValue(out, True)

    return apply


def _logical_xor(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 2)
    return ScalarValue(Writer(ctx, args).test("ne", *(truth(ctx, v, args.span) for v in values)))


def _operator(op: type) -> Rule:
    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        found = binary(ctx, op, *values, args.span, args.hint)
        return ScalarValue(found.atom) if isinstance(found, ScalarValue) else found

    return apply


def _invert(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    if values[0].dtype in FLOATS:
        raise Refused(WrongType(args.span, f"`{args.name}` is of ints", "float", "convert it: `int(...)`"))
    return ScalarValue(Writer(ctx, args).op("not" if values[0].dtype == "bool" else "invert", values[0].atom))


def _positive(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    numbers(args, values)
    return ScalarValue(values[0].atom)


def _fix(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 1)
    if values[0].dtype not in FLOATS:
        return ScalarValue(values[0].atom)
    return ScalarValue(Writer(ctx, args).op("trunc", values[0].atom))


def _of_numbers(make: Callable[[Writer, Atom, Atom], Atom], op: str) -> Rule:
    """A choice between two floats by ``make``, or between two ints, which are never NaN, by the primitive ``op``."""

    def apply(ctx: Lowering, args: Args) -> Value:
        values = scalars(ctx, args, 2)
        whole = all(v.dtype not in FLOATS for v in values)
        return choose(ctx, op, *values, args) if whole else composed(2, make)(ctx, args)

    return apply


def _divmod(ctx: Lowering, args: Args) -> Value:
    values = scalars(ctx, args, 2)
    found = [binary(ctx, op, *values, args.span) for op in (ast.FloorDiv, ast.Mod)]
    return TupleValue(tuple(ScalarValue(v.atom) if isinstance(v, ScalarValue) else v for v in found))


_SPECIAL = "erfinv erfcinv erfcx ndtr ndtri log_ndtr expit logit log_expit entr digamma gamma exp2 expm1 log1p cbrt"

RULES: dict[str, Rule] = {
    **{f"scipy.special.{n}": primitive(n) for n in _SPECIAL.split()},
    **{f"scipy.special.{n}": primitive(n, 2) for n in ("xlogy", "xlog1py", "rel_entr")},
    **{f"scipy.special.{b}{n}": _order(op, n) for b, op in (("i", "bessel_i"), ("j", "bessel_j")) for n in (0, 1)},
    **{f"scipy.special.i{n}e": _order("bessel_ie", n) for n in (0, 1)},
    "scipy.special.psi": primitive("digamma"),
    "scipy.special.gammaln": composed(1, _gammaln),
    "scipy.special.kl_div": composed(2, _kl_div),
    "scipy.special.exp10": composed(1, _exp10),
    "scipy.special.softplus": composed(1, _softplus),
    "scipy.special.polygamma": _given_order("polygamma", True, 0),
    "scipy.special.iv": _given_order("bessel_i"),
    "scipy.special.ive": _given_order("bessel_ie"),
    "scipy.special.jv": _given_order("bessel_j"),
    "scipy.special.jn": _given_order("bessel_j"),
    "scipy.special.sinc": _order("sinc", 0),
    "numpy.sinc": _order("sinc", 0),
    "numpy.i0": _order("bessel_i", 0),
    "numpy.logaddexp2": primitive("logaddexp2", 2),
    "numpy.float_power": composed(2, lambda w, x, y: w.op("pow", x, y), wide=True),
    "numpy.fmod": _fmod(False),
    "numpy.fmin": _of_numbers(_fmin, "minimum"),
    "numpy.fmax": _of_numbers(_fmax, "maximum"),
    "numpy.heaviside": composed(2, _heaviside),
    "numpy.signbit": composed(1, _signbit),
    "numpy.isposinf": _infinite(1.0),
    "numpy.isneginf": _infinite(-1.0),
    "numpy.fix": _fix,
    "numpy.ldexp": _ldexp(False),
    "numpy.modf": _modf(False),
    "numpy.nan_to_num": _nan_to_num,
    "numpy.isclose": _isclose(("rtol", "atol"), (1e-5, 1e-8), True),
    "numpy.gcd": _common(_gcd, 0, False),
    "numpy.lcm": _common(_lcm, 1, False),
    "numpy.divmod": _divmod,
    "numpy.positive": _positive,
    "numpy.logical_xor": _logical_xor,
    **{f"numpy.{n}": _invert for n in ("invert", "bitwise_not", "bitwise_invert")},
    **{f"numpy.{n}": _operator(ast.LShift) for n in ("left_shift", "bitwise_left_shift")},
    **{f"numpy.{n}": _operator(ast.RShift) for n in ("right_shift", "bitwise_right_shift")},
    "math.fmod": _fmod(True),
    "math.remainder": primitive("remainder", 2, True),
    "math.hypot": _hypot,
    "math.ldexp": _ldexp(True),
    "math.modf": _modf(True),
    "math.isclose": _isclose(("rel_tol", "abs_tol"), (1e-9, 0.0), False),
    "math.gcd": _common(_gcd, 0, True),
    "math.lcm": _common(_lcm, 1, True),
    "math.comb": _counted("comb", 2, 2),
    "math.perm": _counted("perm", 1, 2),
    "math.factorial": _counted("perm", 1, 1),
    "math.isqrt": _counted("isqrt", 1, 1),
}
enter_rules(RULES, "scalars")
