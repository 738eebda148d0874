"""Math functions known to LLVM's loop vectoriser: glibc's libmvec, if available, under the names of libm.

The scalar function is declared with an attribute that lists its vector variants. A vectorised loop calls these, scalar
code calls libm. Machine code that uses them needs the library in the process, even if it comes from a cache: it is
therefore loaded when this module is imported, which generated code does first, and `choice` is part of every cache key.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from functools import cache

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from .inline_math import InlineMath
from .numba_compat import FunctionAttributes, config

LIBRARY = "libmvec.so.1"
FUNCTIONS = (
    "exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "log1p", "expm1", "erf", "erfc",
    "exp2", "log2", "log10", "cbrt", "asin", "acos", "asinh", "acosh", "atanh",
)  # fmt: skip
PAIRS = ("pow", "hypot", "atan2")  # functions of two arguments
WIDTHS = {2: "b", 4: "d"}  # number of float64 elements, with the letter of the instruction set: SSE and AVX2
WIDEST = {8: "e"}  # AVX-512
CACHE_LINE = 64
NEWEST = "_ZGVdN4v_erf"  # added in glibc 2.35, with the last of the functions


@cache
def features() -> frozenset[str]:
    """The instruction sets that code is compiled for: those of the processor, or those set in Numba's configuration."""
    if config.CPU_FEATURES is not None:
        return frozenset(f[1:] for f in config.CPU_FEATURES.split(",") if f.startswith("+"))
    if config.CPU_NAME not in (None, "", "host"):  # LLVM knows the features of a named processor, we do not
        return frozenset()
    return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)


def widths() -> dict[int, str]:
    """The vector widths that may be called: wider arguments would be passed differently."""
    wide = {"avx512f", "avx512dq", "avx512vl"} <= features() and "prefer-256-bit" not in features()
    return WIDTHS | WIDEST if wide else WIDTHS


@cache
def choice() -> str:
    """``"libmvec"`` if its vector functions can be called, else ``"libm"``."""
    if platform.machine() not in ("x86_64", "AMD64") or "avx2" not in features():
        return "libm"
    try:
        llvm.load_library_permanently(LIBRARY)
    except RuntimeError:
        return "libm"
    return "libmvec" if llvm.address_of_symbol(NEWEST) else "libm"


class _Attributes(FunctionAttributes):
    """Function attributes that llvmlite does not know by name."""

    raw: tuple[str, ...] = ()

    def __init__(self, *raw: str) -> None:
        super().__init__(("nounwind",))
        self.raw = ("memory(none)", "willreturn", *raw)

    def _to_list(self, ret_type):
        return [*super()._to_list(ret_type), *self.raw]


def _given(name: str) -> str:
    """The arguments of a function in the mangled names of its vector variants: each is a vector."""
    return "vv" if name in PAIRS else "v"


def _declare(module: ir.Module, name: str) -> ir.Function:
    """Declare the scalar function in a module, with its vector variants."""
    if name in module.globals:
        return module.globals[name]
    scalar, given = ir.DoubleType(), _given(name)
    function = ir.Function(module, ir.FunctionType(scalar, [scalar] * len(given)), name=name)
    vectors = {width: f"_ZGV{isa}N{width}{given}_{name}" for width, isa in widths().items()}
    variants = ",".join(f"_ZGV_LLVM_N{width}{given}_{name}({vector})" for width, vector in vectors.items())
    function.attributes = _Attributes(f'"vector-function-abi-variant"="{variants}"')
    kept = []
    for width, vector in vectors.items():
        t = ir.VectorType(scalar, width)
        made = ir.FunctionType(t, [t] * len(given))
        kept.append(module.globals.get(vector) or ir.Function(module, made, name=vector))
    _keep(module, kept)
    return function


def _keep(module: ir.Module, functions: list[ir.Function]) -> None:
    """Mark vector variants as used, so that LLVM does not remove them."""
    byte = ir.IntType(8).as_pointer()
    kept = [f.bitcast(byte) for f in functions]
    used = "llvm.compiler.used"
    if used in module.globals:
        kept = [*module.globals[used].initializer.constant, *kept]
        del module.globals[used]
        module.scope._useset.discard(used)
    array = ir.GlobalVariable(module, ir.ArrayType(byte, len(kept)), name=used)
    array.linkage, array.section = "appending", "llvm.metadata"
    array.initializer = ir.Constant(array.value_type, kept)


def _declare_even(module: ir.Module, name: str) -> ir.Function:
    """A function that applies the widest vector function to vectors and scalars alike, so that the remainder iterations
    of a loop compute exactly what vector iterations compute."""
    own = f"linad_{name}"
    if own in module.globals:
        return module.globals[own]
    scalar, word, given = ir.DoubleType(), ir.IntType(32), _given(name)
    widest, isa = max(widths().items())
    t = ir.VectorType(scalar, widest)
    vector = f"_ZGV{isa}N{widest}{given}_{name}"
    called = module.globals.get(vector) or ir.Function(module, ir.FunctionType(t, [t] * len(given)), name=vector)
    called.attributes = _Attributes()
    narrow = {width: f"{own}_{width}" for width in widths() if width < widest}
    forms = {widest: vector} | narrow
    variants = ",".join(f"_ZGV_LLVM_N{width}{given}_{own}({form})" for width, form in forms.items())
    made = {}
    for width, form in {1: own, **narrow}.items():
        kind = scalar if width == 1 else ir.VectorType(scalar, width)
        made[width] = function = ir.Function(module, ir.FunctionType(kind, [kind] * len(given)), name=form)
        function.linkage = "linkonce_odr"
        function.attributes = _Attributes("noinline", f"alignstack({CACHE_LINE})")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        undefined = ir.Constant(t if width == 1 else kind, ir.Undefined)
        xs = function.args
        if width == 1:
            xs = [builder.insert_element(undefined, x, ir.Constant(word, 0)) for x in xs]
        lanes = ir.Constant(ir.VectorType(word, widest), [k % width for k in range(widest)])
        y = builder.call(called, [builder.shuffle_vector(x, undefined, lanes) for x in xs])
        if width == 1:
            builder.ret(builder.extract_element(y, ir.Constant(word, 0)))
        else:
            first = ir.Constant(ir.VectorType(word, width), list(range(width)))
            builder.ret(builder.shuffle_vector(y, ir.Constant(t, ir.Undefined), first))
    made[1].attributes.raw += (f'"vector-function-abi-variant"="{variants}"',)
    _keep(module, [called, *(made[width] for width in narrow)])
    return made[1]


def _vector(name: str, declare: Callable[[ir.Module, str], ir.Function] = _declare):
    def generate(context, builder, signature, args):
        # a call of a vector function clobbers all registers: spilled vectors should not straddle cache lines
        builder.function.attributes.alignstack = CACHE_LINE
        builder.function.attributes.add("noinline")  # inlining in LLVM would lose the alignment
        return builder.call(declare(builder.module, name), args)

    def function(typing_context, x):
        return types.float64(types.float64), generate

    def pair(typing_context, x, y):
        return types.float64(types.float64, types.float64), generate

    return intrinsic(pair if name in PAIRS else function)


def _scalar(name: str):
    function = getattr(math, name)

    def call(x):
        return function(x)

    def pair(x, y):
        return function(x, y)

    def power(x, y):
        return x**y

    return njit(error_model="numpy")(power if name == "pow" else pair if name in PAIRS else call)


_make = _vector if choice() == "libmvec" else _scalar
vector_exp, vector_log, vector_sin, vector_cos, vector_tan, vector_tanh, vector_sinh = map(_make, FUNCTIONS[:7])
vector_cosh, vector_atan, vector_log1p, vector_expm1, vector_erf, vector_erfc = map(_make, FUNCTIONS[7:13])
vector_exp2, vector_log2, vector_log10, vector_cbrt, vector_asin, vector_acos = map(_make, FUNCTIONS[13:19])
vector_asinh, vector_acosh, vector_atanh = map(_make, FUNCTIONS[19:])
vector_pow, vector_hypot, vector_atan2 = map(_make, PAIRS)


def _even(name: str):
    """The function whose results have the same bits in vector and scalar code."""
    return _scalar(name) if choice() != "libmvec" else _inline(name) if name == "exp" else _vector(name, _declare_even)


def _inline(name: str):
    """The function as inline arithmetic, whose bits never depend on the position; for processors with fused
    multiply-add."""
    if "fma" not in features():
        return _vector(name, _declare_even)

    @intrinsic
    def function(typing_context, x):
        def generate(context, builder, signature, args):
            return getattr(InlineMath(builder), name)(*args)

        return types.float64(types.float64), generate

    return function


even_exp, even_log, even_sin, even_cos, even_tan, even_tanh, even_sinh = map(_even, FUNCTIONS[:7])
even_cosh, even_atan, even_log1p, even_expm1, even_erf, even_erfc = map(_even, FUNCTIONS[7:13])
even_exp2, even_log2, even_log10, even_cbrt, even_asin, even_acos = map(_even, FUNCTIONS[13:19])
even_asinh, even_acosh, even_atanh = map(_even, FUNCTIONS[19:])
even_pow, even_hypot, even_atan2 = map(_even, PAIRS)
# used where the exponential of its derivative is computed, too; otherwise it is slower than the library function
shared_erf = _inline("erf") if choice() == "libmvec" else _scalar("erf")
EVEN = ("shared_erf", *(f"even_{name}" for name in (*FUNCTIONS, *PAIRS)))
NAMES = (*EVEN, *(f"vector_{name}" for name in (*FUNCTIONS, *PAIRS)))
