"""Print expressions as Python source, with as few parentheses as the grammar allows."""

from __future__ import annotations

import math
from collections.abc import Mapping

from linad_typecheck.ir.core import Block, Const, Let, Var, walk
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ops import LITERAL_SECOND, OPS
from linad_typecheck.types import F64, MAX_RANK, NUMPY_NAMES, Array, Scalar, wrapped
from linad_typecheck.types import KINDS as KINDS_OF

from linad.analysis.operation_costs import halves

from .tree import Apply, At, Cells, CopyOf, Expr, Grown, Hint, Leaf, New, Num, Size

CHOICE, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(14)

BINARY: dict[str, tuple[str, int]] = {
    "add": ("+", SUM),
    "sub": ("-", SUM),
    "mul": ("*", PRODUCT),
    "div": ("/", PRODUCT),
    "bitand": ("&", BITAND),
    "bitor": ("|", BITOR),
    "bitxor": ("^", BITXOR),
    "lt": ("<", COMPARE),
    "le": ("<=", COMPARE),
    "gt": (">", COMPARE),
    "ge": (">=", COMPARE),
    "eq": ("==", COMPARE),
    "ne": ("!=", COMPARE),
    "and": ("and", AND),
    "or": ("or", OR),
}
HELPERS = {
    "floordiv": {"int": "int_floordiv", "uint": "uint_floordiv", "float": "float_floordiv"},
    "mod": {"int": "int_mod", "uint": "uint_mod", "float": "float_mod"},
    "shl": {"int": "shift_left", "uint": "uint_shift_left"},
    "shr": {"int": "shift_right", "uint": "uint_shift_right"},
    "sign": {"int": "int_sign", "uint": "uint_sign", "float": "float_sign"},
    "minimum": {"int": "min", "uint": "min", "float": "np_minimum", "bool": "min"},
    "maximum": {"int": "max", "uint": "max", "float": "np_maximum", "bool": "max"},
    "logaddexp": {"float": "logaddexp"},
    "mul_rounded": {"float": "mul_rounded"},
    "min": {"int": "min", "uint": "min", "float": "min", "bool": "min"},
    "max": {"int": "max", "uint": "max", "float": "max", "bool": "max"},
    "trips": {"int": "trips"},
    "wrap": {"int": "wrap"},
    **{n: {"int": n} for n in ("gcd", "comb", "perm", "isqrt")},
}
SPECIAL = (
    "bessel_i bessel_ie bessel_j digamma entr erfcinv erfcx erfinv ldexp log_expit log_ndtr logaddexp2 logit mills "
    "ndtr ndtri polygamma rel_entr remainder sinc xlog1py xlogy"
).split()  # helpers of runtime.special, under these names
SORTING = ("dense_order", "dense_order_of_ints")  # helpers of runtime.sorting
MATRICES = tuple({f"dense_{op}" for op in DENSE if not DENSE[op].compiled} - {*SORTING})  # helpers of runtime.linalg
ROUNDING = ("floor", "ceil", "trunc", "rint")
NUMPY_DTYPE = {d: f"np.{name}{'_' * (d == 'bool')}" for d, name in NUMPY_NAMES.items()}
KINDS = tuple(NUMPY_DTYPE)
LOGS = ("grow", "grow_filled", "tried")  # helpers of runtime.logs
ERROR_WORDS = 1 + 4 * MAX_RANK  # of the error array: the site and its arguments, the sizes of four arrays
FLOOR = ERROR_WORDS  # given: the lowest address that the stack may grow to
# given, and noted: how long logs of each element type become that grow, and then those of each log known by name
HINTS = FLOOR + 1
CASTS = NUMPY_NAMES
BUILTIN = {"min", "max", "abs", "bool"}


def matrix_helper(op: str, flags: str) -> str:
    """The name of the helper function of a dense operation."""
    return f"{op}_{flags}" if DENSE[op].compiled else f"dense_{op}"


def matrix_flags(op: str, flags: str) -> tuple[str, ...]:
    """The flags of a dense operation as arguments of its helper."""
    if DENSE[op].compiled:
        return ()
    if op == "gemm":
        return str(flags[0] == "t"), str(flags[1] == "t"), "1.0" if flags[2] == "p" else "-1.0"
    return (str(flags == "t"),) if flags else ()


def family(dtype: str) -> str:
    """The kind of a dtype: ``int``, ``uint``, ``float`` or ``bool``."""
    return {"f": "float", "i": "int", "u": "uint", "b": "bool"}[KINDS_OF[dtype]]


def gaussians(block: Block) -> frozenset[str]:
    """The variables for which ``exp(-(x * x))`` is computed, as in the derivative of `erf`."""
    lets = {s.out: s for s in walk(block) if isinstance(s, Let)}
    found = set()
    for s in lets.values():
        match s:
            case Let(op="exp", ins=(minus,)):
                match lets.get(minus):
                    case Let(op="neg", ins=(square,)):
                        match lets.get(square):
                            case Let(op="mul", ins=(Var(name=x), y)) if isinstance(y, Var) and y.name == x:
                                found.add(x)
    return frozenset(found)


class Text:
    """Prints the expressions of one function.

    ``names``: the Python names of variables. ``plain``: loop indices that start at a literal and count up. ``needed``
    collects what the module has to import. ``vector``: the vectorised math functions that may be used. ``logs``: the
    numbers of logs whose length is recorded individually. ``gauss``: the variables for which ``exp(-(x * x))`` is
    computed.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        needed: set[str],
        vector: tuple[str, ...] = (),
        logs: Mapping[str, int] = {},
        gauss: frozenset[str] = frozenset(),
    ) -> None:
        self.names = names
        self.needed = needed
        self.vector = vector
        self.logs = logs
        self.gauss = gauss
        self.plain: set[str] = set()
        self.even = False  # whether library functions must give the same bits in vector and scalar code

    def __call__(self, e: Expr, level: int = CHOICE) -> str:
        text, own = self._print(e)
        return text if own >= level else f"({text})"

    def helper(self, name: str) -> str:
        if name not in BUILTIN:
            self.needed.add(name)
        return name

    def call(self, name: str, *args: Expr) -> str:
        return f"{self.helper(name)}({', '.join(map(self, args))})"

    def _print(self, e: Expr) -> tuple[str, int]:
        match e:
            case Leaf(var):
                return self.names[var.name], ATOM
            case Num(const):
                return self.number(const)
            case At(array, index):
                return f"{self.names[array.name]}[{self.index(index)}]", ATOM
            case Size(array, axis):
                return f"{self.names[array.name]}.shape[{axis}]", ATOM
            case CopyOf(array):
                return f"{self.names[array.name]}.copy()", ATOM
            case New():
                return self.new(e), ATOM
            case Cells(shape):
                return f"{self.helper('cells')}({self.tuple(shape)})", ATOM
            case Hint(log):
                return f"err[{self.noted(log)}]", ATOM
            case Grown(array, size, fill):
                name = self.names[array.name]
                noted = self.noted(array)
                if fill is None:
                    return f"{self.helper('grow')}({name}, {self(size)}, err, {noted})", ATOM
                filled = self.helper("grow_filled")
                return f"{filled}({name}, {self(size)}, {self.number(fill)[0]}, err, {noted})", ATOM
            case Apply(type=Scalar("i32" | "u64" as dtype), op=op) if op not in (
                "cast",
                "select",
                "min",
                "max",
                "minimum",
                "maximum",
            ):
                # Numba widens int32, and makes the result of a negation signed
                return f"{self.helper(CASTS[dtype])}({self.apply(e)[0]})", ATOM
            case Apply():
                return self.apply(e)
        raise AssertionError(e)

    def noted(self, log: Var) -> int:
        """The error word that records the length of a log."""
        return HINTS + (len(KINDS) + self.logs[log.name] if log.name in self.logs else KINDS.index(log.type.dtype))

    def apply(self, e: Apply) -> tuple[str, int]:
        op, args, kind = e.op, e.args, family(e.source.dtype)
        match op, args:
            case ("add", (a, Num(Const(value=v)))) if _negative(v):
                return f"{self(a, SUM)} - {self.negated(args[1], PRODUCT)}", SUM
            case ("sub", (a, Num(Const(value=v)))) if _negative(v):
                return f"{self(a, SUM)} + {self.negated(args[1], PRODUCT)}", SUM
            case ("neg", (a,)):
                return f"-{self(a, SIGN)}", SIGN
            case ("not", (a,)):
                return f"not {self(a, NOT)}", NOT
            case ("invert", (a,)) if kind == "bool":
                return f"not {self(a, NOT)}", NOT
            case ("invert", (a,)):
                return f"~{self(a, SIGN)}", SIGN
            case ("bitand" | "bitor" | "bitxor", (a, b)) if kind == "bool":
                return f"bool({self(a, BITAND + 1)} {BINARY[op][0]} {self(b, BITAND + 1)})", ATOM
            case ("pow", (_, b)) if e.type.dtype == "f64" and "vector_pow" in self.vector and not _is_root(b):
                return self.call("even_pow" if self.even else "vector_pow", *args), ATOM
            case ("pow", (a, b)) if kind == "float":
                return f"{self(a, ATOM)} ** {self(b, SIGN)}", POWER
            case ("pow" | "powi", (a, Num(Const(value=k)))):
                return self.power(e, a, int(k))
            case ("floordiv" | "mod", (a, Num(Const(value=k)))) if kind == "int" and k > 0:
                return f"{self(a, PRODUCT)} {'//' if op == 'floordiv' else '%'} {self(args[1], PRODUCT + 1)}", PRODUCT
            case ("shl" | "shr", (a, Num(Const(value=k)))) if kind == "int" and 0 <= k < 31:
                return f"{self(a, SHIFT)} {'<<' if op == 'shl' else '>>'} {k}", SHIFT
            case ("select", (c, a, b)):
                return f"{self(a, OR)} if {self(c, OR)} else {self(b, CHOICE)}", CHOICE
            case ("zero_or", (factor, a)):
                zero = self(Num(Const(0.0, e.type)), CHOICE)
                return f"{self(a, OR)} if {self(factor, COMPARE + 1)} != {zero} else {zero}", CHOICE
            case ("cast", (a,)):
                return self.cast(e, a)
            case ("truncate", (a,)):  # a cast of a float that fits
                return self.call(CASTS["i64"], a), ATOM
            case ("abs", (a,)):
                return self.call("abs", a), ATOM
        if op == "and" and (chain := self.chain(args)):
            return chain, COMPARE
        if op in BINARY:
            symbol, level = BINARY[op]
            # comparisons do not associate: `a < b < c` would be a chain
            return f"{self(args[0], level + (level == COMPARE))} {symbol} {self(args[1], level + 1)}", level
        if op == "stop_gradient" or op in ROUNDING and kind != "float":
            return self._print(args[0])
        if op in HELPERS:
            text = self.call(HELPERS[op][kind], *args)
            narrow = e.type.dtype == "f32" and op not in ("min", "max", "minimum", "maximum")
            return (f"{self.helper('float32')}({text})" if narrow else text), ATOM
        if op in SPECIAL:  # these compute in float64
            if e.type.dtype == "f32":
                floats = args[: 1 if op in LITERAL_SECOND else None]
                args = (*(Apply("cast", (a,), F64, e.source) for a in floats), *args[len(floats) :])
                return f"{self.helper('float32')}({self.call(op, *args)})", ATOM
            return self.call(op, *args), ATOM
        if op == "expit":
            return self.expit(e, args[0])
        if e.type.dtype == "f64" and f"vector_{op}" in self.vector and len(args) <= 2:
            shared = op == "erf" and self.even and isinstance(args[0], Leaf) and args[0].var.name in self.gauss
            return self.call("shared_erf" if shared else f"{'even' if self.even else 'vector'}_{op}", *args), ATOM
        prefix = OPS[op].code
        assert prefix, op
        self.needed.add(prefix)
        text = f"{prefix}.{op}({', '.join(map(self, args))})"
        return (f"{self.helper('float32')}({text})" if e.type.dtype == "f32" else text), ATOM

    def chain(self, args: tuple[Expr, ...]) -> str | None:
        """``a <= b < c`` for two comparisons that share ``b``, a variable or a number."""
        match args:
            case (Apply(op="lt" | "le" as p, args=(a, b)), Apply(op="lt" | "le" as q, args=(c, d))) if (
                b == c and isinstance(b, Leaf | Num)
            ):
                level = COMPARE + 1
                return f"{self(a, level)} {BINARY[p][0]} {self(b, level)} {BINARY[q][0]} {self(d, level)}"
        return None

    def expit(self, e: Apply, a: Expr) -> tuple[str, int]:
        """``1 / (1 + exp(-x))``, with the vectorised exponential."""
        one = self.number(Const(1.0, e.type))[0]
        exp = self(Apply("exp", (Apply("neg", (a,), e.type, e.source),), e.type, e.source))
        return f"{one} / ({one} + {exp})", PRODUCT

    def power(self, e: Apply, a: Expr, k: int) -> tuple[str, int]:
        if k < 0:  # Numba raises ZeroDivisionError for `0.0 ** -1`
            one = self.number(Const(1.0, e.type))[0]
            text, level = f"{one} / {self(a, ATOM)} ** {-k}", PRODUCT
        else:
            text, level = f"{self(a, ATOM)} ** {k}", POWER
        return (f"{self.helper('float32')}({text})", ATOM) if e.source.dtype == "f32" else (text, level)

    def cast(self, e: Apply, a: Expr) -> tuple[str, int]:
        to, source = e.type.dtype, e.source.dtype
        if to == source:
            return self._print(a)
        match family(source), to:
            case "float", "i64" | "i32" | "u64":
                return self.call(f"float_to_{to}", a), ATOM
            case "float" | "int" | "uint", "bool":
                return f"{self(a, COMPARE + 1)} != 0", COMPARE
        return self.call(CASTS[to], a), ATOM

    def negated(self, e: Expr, level: int) -> str:
        assert isinstance(e, Num)
        return self(Num(Const(-e.const.value, e.const.type)), level + 1)

    def number(self, const: Const) -> tuple[str, int]:
        match const.type.dtype:
            case "bool":
                return str(bool(const.value)), ATOM
            case "i64":
                text = str(int(const.value))
                return text, SIGN if text[0] == "-" else ATOM
            case "f64" | "f32":
                pass
            case dtype:
                return f"{self.helper(CASTS[dtype])}({wrapped(int(const.value), 'i64')})", ATOM
        v = float(const.value)
        if math.isfinite(v):
            text = repr(v)
        else:
            self.needed.add("math")
            text = "math.nan" if v != v else "math.inf" if v > 0 else "-math.inf"
        if const.type.dtype == "f32":
            return f"{self.helper('float32')}({text})", ATOM
        return text, SIGN if text[0] == "-" else ATOM

    def tuple(self, parts: tuple[Expr, ...]) -> str:
        return f"({', '.join(map(self, parts))}{',' if len(parts) == 1 else ''})"

    def new(self, e: New) -> str:
        self.needed.add("np")
        assert isinstance(e.type, Array)
        if e.tried:
            return f"{self.helper('tried')}({NUMPY_DTYPE[e.type.dtype]}, {self.tuple(e.shape)})"
        shape = self(e.shape[0]) if len(e.shape) == 1 else f"({', '.join(map(self, e.shape))})"
        dtype = "" if e.type.dtype == "f64" else f", {NUMPY_DTYPE[e.type.dtype]}"
        if e.fill is None:
            return f"np.empty({shape}{dtype})"
        if repr(e.fill.value) in ("0", "0.0", "False"):
            return f"np.zeros({shape}{dtype})"
        return f"np.full({shape}, {self.number(e.fill)[0]}, {NUMPY_DTYPE[e.type.dtype]})"

    # -------------------------------------------------------------------------------------------------- indices

    def index(self, index: tuple[Expr, ...]) -> str:
        return ", ".join(map(self.one_index, index)) if index else "()"

    def one_index(self, e: Expr) -> str:
        """An index, cast to unsigned if Numba's handling of negative indices would prevent vectorisation."""
        match e:
            case Num(Const(value=v)) if v >= 0:
                return self(e)
            case Leaf(var) if var.name in self.plain:
                return self(e)
            case Apply(op="add" | "sub", args=(Leaf(var), Num())) if var.name in self.plain:
                return self(e)
        return self.call("uint64", e)


def _is_root(e: Expr) -> bool:
    """Whether a power with this exponent is computed by products and a square root."""
    return isinstance(e, Num) and halves(float(e.const.value)) is not None


def _negative(v: float) -> bool:
    return math.copysign(1.0, v) < 0 and v == v and v != 0 and v != -(2**63)
