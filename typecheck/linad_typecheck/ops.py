"""The signature of every scalar primitive of the core: arity, result, cost and where it can be differentiated."""

from __future__ import annotations

from typing import Literal

from .frozen import frozen

Kind = Literal["add", "mul", "div", "unary", "pow", "compare", "logic", "int", "cast", "choose"]


@frozen(slots=True)
class Op:
    """A scalar primitive.

    ``result``: ``same`` as the first operand's type (operands agree), ``bool``, ``int`` (i64) or ``out`` (what the Let
    says: `cast`). ``diff``: operand positions through which a derivative flows. ``dear``: costs a library call, so its
    result is logged rather than recomputed.
    """

    name: str
    arity: int
    kind: Kind
    result: Literal["same", "bool", "int", "out", "second"] = "same"
    diff: tuple[int, ...] = ()
    dear: bool = False


# functions of an order, or of that many derivatives
FAMILIES = ("polygamma", "bessel_i", "bessel_ie", "bessel_j", "sinc")
LITERAL_SECOND = ("powi", *FAMILIES)  # their second operand is an i64 literal


def _table() -> dict[str, Op]:
    ops: list[Op] = [
        Op("add", 2, "add", diff=(0, 1)),
        Op("sub", 2, "add", diff=(0, 1)),
        Op("neg", 1, "add", diff=(0,)),
        Op("mul", 2, "mul", diff=(0, 1)),
        # of floats: a product that is rounded before it is added to something
        Op("mul_rounded", 2, "mul", diff=(0, 1)),
        Op("div", 2, "div", diff=(0, 1)),
        Op("floordiv", 2, "div"),  # of ints and floats; a zero int divisor has been checked
        Op("mod", 2, "div", diff=(0, 1)),  # the sign of the divisor, as in Python
        Op("pow", 2, "pow", diff=(0, 1), dear=True),  # of floats; of ints the exponent is a non-negative Const
        Op("powi", 2, "mul", diff=(0,)),  # float ** small int Const, by multiplication
        Op("min", 2, "choose", diff=(0, 1)),  # Python's: second if second < first else first
        Op("max", 2, "choose", diff=(0, 1)),  # Python's: second if second > first else first
        Op("minimum", 2, "choose", diff=(0, 1)),  # NumPy's: propagate nan
        Op("maximum", 2, "choose", diff=(0, 1)),
        Op("select", 3, "choose", result="second", diff=(1, 2)),  # select(cond, a, b), both evaluated
        # of an adjoint or tangent and its multiple: 0 where the first is 0, else the second
        Op("zero_or", 2, "choose", diff=(1,)),
        Op("copysign", 2, "choose", diff=(0,)),
        Op("atan2", 2, "unary", diff=(0, 1), dear=True),
        Op("hypot", 2, "unary", diff=(0, 1), dear=True),
        Op("fmod", 2, "div", diff=(0, 1)),  # the sign of the dividend, as in C
        Op("remainder", 2, "div", diff=(0, 1)),  # IEEE: from the nearest multiple
        Op("ldexp", 2, "unary", diff=(0,)),  # times a power of two, whose exponent is a whole float
        Op("cast", 1, "cast", result="out", diff=(0,)),  # to the type of the Let; float to int truncates
        Op("trips", 3, "int", result="int"),  # len(range(start, stop, step))
        Op("gcd", 2, "int"),
        Op("comb", 2, "int"),  # of ints >= 0; -1 where it has more than 63 bits, and so with perm
        Op("perm", 2, "int"),
        Op("isqrt", 1, "int"),
        Op("wrap", 2, "int", result="int"),  # wrap(i, n): i + n where i < 0, else i
    ]
    dear = (
        "exp exp2 expm1 log log2 log10 log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
        "erf erfc erfinv erfcinv erfcx ndtr ndtri log_ndtr mills expit logit log_expit entr gamma lgamma digamma"
    )
    ops += [Op(n, 1, "unary", diff=(0,), dear=True) for n in dear.split()]
    ops += [
        Op(n, 2, "unary", diff=(0, 1), dear=True) for n in ("logaddexp", "logaddexp2", "xlogy", "xlog1py", "rel_entr")
    ]
    ops += [Op(n, 2, "unary", diff=(0,), dear=True) for n in FAMILIES]
    ops += [Op(n, 1, "unary", diff=(0,)) for n in ("sqrt", "abs")]
    ops += [Op(n, 1, "unary") for n in ("sign", "floor", "ceil", "trunc", "rint")]
    ops += [Op("stop_gradient", 1, "unary")]  # of floats: its operand, as a constant to derivatives
    ops += [Op(n, 1, "compare", result="bool") for n in ("isnan", "isinf", "isfinite")]
    ops += [Op(n, 2, "compare", result="bool") for n in ("lt", "le", "gt", "ge", "eq", "ne")]
    ops += [Op(n, 2, "logic", result="bool") for n in ("and", "or")] + [Op("not", 1, "logic", result="bool")]
    ops += [Op(n, 2, "int") for n in ("bitand", "bitor", "bitxor", "shl", "shr")] + [Op("invert", 1, "int")]
    return {op.name: op for op in ops}


OPS = _table()
