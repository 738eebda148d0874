"""The table of scalar primitives of the core: arity, result type, cost, differentiability, and names in other
libraries.

The front end's library, the interpreter, generated code and the baselines take names and flags from here. A new
function such as `hypot` needs a row here, its slope in `linad/derivatives/table.py` and, independently, in
`linad/baseline/rules.py`.
"""

from __future__ import annotations

from typing import Any, Literal

from .frozen import frozen

Kind = Literal["add", "mul", "div", "unary", "pow", "compare", "logic", "int", "cast", "choose"]


@frozen(slots=True)
class Op:
    """A scalar primitive.

    ``result``: ``same`` as the type of the first operand (operands agree), ``bool``, ``int`` (i64), or ``out`` (the
    type of the Let's variable: `cast`). ``diff``: positions of operands through which a derivative flows.
    ``expensive``: it costs a library call, so its result is logged rather than recomputed. ``singular``: its slope is
    infinite or nan at some point.

    ``numpy``: the ufuncs that compute exactly this for floats; the first one exists in every version of NumPy.
    ``math``: the function of `math` that does; ``variadic`` if it takes any number of arguments. ``code``: the module
    whose function generated code calls, under the name ``math`` or the first name in ``numpy``. ``raises``: the
    exceptions of `math`, as error kinds and tests of `engine/try_statements.py`; None if unknown.
    """

    name: str
    arity: int
    kind: Kind
    result: Literal["same", "bool", "int", "out", "second"] = "same"
    diff: tuple[int, ...] = ()
    expensive: bool = False
    singular: bool = False
    numpy: tuple[str, ...] = ()
    math: str = ""
    variadic: bool = False
    code: Literal["", "math", "np"] = ""
    raises: tuple[tuple[str, str], ...] | None = None


_TOO_LARGE = (("OverflowError", "overflow"),)
_NOT_POSITIVE = (("ValueError", "not positive"),)
_BEYOND_ONE = (("ValueError", "beyond one"),)
_INFINITE = (("ValueError", "infinite"),)


def _function(
    name: str,
    numpy: tuple[str, ...] = (),
    math: str = "",
    raises: tuple[tuple[str, str], ...] | None = None,
    singular: bool = False,
    **more: Any,
) -> Op:
    """A function of one float with the same name in NumPy and in `math`, unless names are given."""
    facts = {"arity": 1, "kind": "unary", "diff": (0,), "expensive": True, "code": "math"} | more
    return Op(name, numpy=numpy or (name,), math=math or name, raises=raises, singular=singular, **facts)


def _inverse(name: str, **more: Any) -> Op:
    return _function(name, (f"arc{name[1:]}", name), **more)


# functions with an order as their first parameter, or a number of derivatives
FAMILIES = ("polygamma", "bessel_i", "bessel_ie", "bessel_j", "sinc")
LITERAL_SECOND = ("powi", *FAMILIES)  # the second operand is an i64 literal


def _table() -> dict[str, Op]:
    ops: list[Op] = [
        Op("add", 2, "add", diff=(0, 1)),
        Op("sub", 2, "add", diff=(0, 1)),
        Op("neg", 1, "add", diff=(0,)),
        Op("mul", 2, "mul", diff=(0, 1)),
        # for floats: a product that is rounded before it is used in an addition
        Op("mul_rounded", 2, "mul", diff=(0, 1)),
        Op("div", 2, "div", diff=(0, 1), singular=True),
        Op("floordiv", 2, "div"),  # ints and floats; a zero int divisor has been checked for
        Op("mod", 2, "div", diff=(0, 1), singular=True),  # has the sign of the divisor, as in Python
        # floats; for ints the exponent is a non-negative Const
        Op("pow", 2, "pow", diff=(0, 1), expensive=True, singular=True),
        Op("powi", 2, "mul", diff=(0,), singular=True),  # float ** small int Const, by multiplication
        Op("min", 2, "choose", diff=(0, 1)),  # Python's: second if second < first else first
        Op("max", 2, "choose", diff=(0, 1)),  # Python's: second if second > first else first
        Op("minimum", 2, "choose", diff=(0, 1)),  # NumPy's: propagate nan
        Op("maximum", 2, "choose", diff=(0, 1)),
        Op("select", 3, "choose", result="second", diff=(1, 2)),  # select(cond, a, b); both are evaluated
        # of an adjoint or tangent, and a multiple of it: 0 if the first is 0, otherwise the second
        Op("zero_or", 2, "choose", diff=(1,)),
        _function("copysign", arity=2, kind="choose", expensive=False, raises=()),
        _inverse("atan2", arity=2, diff=(0, 1), raises=(), singular=True),
        _function("hypot", arity=2, diff=(0, 1), variadic=True, raises=(), singular=True),
        Op("fmod", 2, "div", diff=(0, 1), singular=True, code="np"),  # has the sign of the dividend, as in C
        Op("remainder", 2, "div", diff=(0, 1), singular=True),  # IEEE remainder, with respect to the nearest multiple
        Op("ldexp", 2, "unary", diff=(0,)),  # multiplication by a power of two; the exponent is an integral float
        Op("cast", 1, "cast", result="out", diff=(0,)),  # to the type of the Let; float to int truncates
        Op("trips", 3, "int", result="int"),  # len(range(start, stop, step))
        Op("gcd", 2, "int"),
        Op("comb", 2, "int"),  # ints >= 0; -1 if the result needs more than 63 bits; likewise `perm`
        Op("perm", 2, "int"),
        Op("isqrt", 1, "int"),
        Op("wrap", 2, "int", result="int"),  # wrap(i, n): i + n if i < 0, else i
    ]
    ops += [
        _function("exp", raises=_TOO_LARGE, singular=True),
        _function("exp2", raises=_TOO_LARGE, singular=True, code="np"),
        _function("expm1", raises=_TOO_LARGE, singular=True),
        *(_function(n, raises=_NOT_POSITIVE, singular=True) for n in ("log", "log2", "log10")),
        _function("log1p", singular=True),
        _function("cbrt", raises=(), singular=True, code="np"),
        _function("sin", raises=_INFINITE),
        _function("cos", raises=_INFINITE),
        _function("tan", raises=_INFINITE, singular=True),
        _inverse("asin", raises=_BEYOND_ONE, singular=True),
        _inverse("acos", raises=_BEYOND_ONE, singular=True),
        _inverse("atan", raises=()),
        _function("sinh", raises=_TOO_LARGE, singular=True),
        _function("cosh", raises=_TOO_LARGE, singular=True),
        _function("tanh", raises=()),
        _inverse("asinh", raises=()),
        _inverse("acosh", singular=True),
        _inverse("atanh", singular=True),
        *(Op(n, 1, "unary", diff=(0,), expensive=True, math=n, code="math", raises=()) for n in ("erf", "erfc")),
        *(
            Op(n, 1, "unary", diff=(0,), expensive=True, math=n, code="math", singular=True)
            for n in ("gamma", "lgamma")
        ),
    ]
    special = "erfinv erfcinv erfcx ndtri log_ndtr logit entr digamma"
    ops += [Op(n, 1, "unary", diff=(0,), expensive=True, singular=True) for n in special.split()]
    ops += [Op(n, 1, "unary", diff=(0,), expensive=True) for n in ("ndtr", "mills", "expit", "log_expit")]
    ops += [Op("logaddexp", 2, "unary", diff=(0, 1), expensive=True, numpy=("logaddexp",))]
    ops += [Op("logaddexp2", 2, "unary", diff=(0, 1), expensive=True)]
    ops += [Op(n, 2, "unary", diff=(0, 1), expensive=True, singular=True) for n in ("xlogy", "xlog1py", "rel_entr")]
    ops += [Op(n, 2, "unary", diff=(0,), expensive=True, singular=n in ("polygamma", "bessel_i")) for n in FAMILIES]
    ops += [_function("sqrt", expensive=False, raises=(("ValueError", "negative"),), singular=True)]
    ops += [_function("abs", ("absolute", "abs", "fabs"), "fabs", expensive=False, code="", raises=())]
    ops += [Op("sign", 1, "unary", numpy=("sign",))]
    ops += [Op(n, 1, "unary", numpy=(n,), code="np") for n in ("floor", "ceil", "trunc", "rint")]
    ops += [Op("stop_gradient", 1, "unary")]  # identity on floats; a constant for derivatives
    ops += [Op(n, 1, "compare", result="bool", code="math") for n in ("isnan", "isinf", "isfinite")]
    ops += [Op(n, 2, "compare", result="bool") for n in ("lt", "le", "gt", "ge", "eq", "ne")]
    ops += [Op(n, 2, "logic", result="bool") for n in ("and", "or")] + [Op("not", 1, "logic", result="bool")]
    ops += [Op(n, 2, "int") for n in ("bitand", "bitor", "bitxor", "shl", "shr")] + [Op("invert", 1, "int")]
    return {op.name: op for op in ops}


OPS = _table()
