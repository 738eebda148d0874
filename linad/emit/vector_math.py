"""Math functions that LLVM's loop vectoriser knows: glibc's libmvec, where there is one, behind the names of libm.

The scalar function is declared with the attribute that lists its vector forms; in a loop that vectorises they are
called for several elements at once, elsewhere libm is. Machine code that uses them needs the library in the process, also when
it comes from a cache: so it is loaded when this module is imported, which generated code does first, and `choice`
belongs into the key of every cache.
"""

from __future__ import annotations

import math
import platform
from functools import cache

import llvmlite.binding as llvm
from llvmlite import ir
from llvmlite.ir.values import FunctionAttributes
from numba import njit, types
from numba.core import config
from numba.extending import intrinsic

LIBRARY = "libmvec.so.1"
FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "log1p", "expm1", "erf", "erfc")
WIDTHS = {2: "b", 4: "d"}  # elements of float64, by the letter of the instruction set: SSE and AVX2
WIDEST = {8: "e"}  # AVX-512
CACHE_LINE = 64
NEWEST = "_ZGVdN4v_erf"  # of glibc 2.35, with which the last of the functions came


@cache
def features() -> frozenset[str]:
    """The instruction sets that code is compiled for: the processor's, or those that Numba is told to use."""
    if config.CPU_FEATURES is not None:
        return frozenset(f[1:] for f in config.CPU_FEATURES.split(",") if f.startswith("+"))
    if config.CPU_NAME not in (None, "", "host"):  # LLVM knows what that one has, we do not
        return frozenset()
    return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)


def widths() -> dict[int, str]:
    """The forms of a function that may be called: an argument that no register holds would be handed over in another way."""
    wide = {"avx512f", "avx512dq", "avx512vl"} <= features() and "prefer-256-bit" not in features()
    return WIDTHS | WIDEST if wide else WIDTHS


@cache
def choice() -> str:
    """``"libmvec"`` where its vector functions can be called, else ``"libm"``."""
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

    def _to_list(self, ret_type):
        return [*super()._to_list(ret_type), *self.raw]


def _declare(module: ir.Module, name: str) -> ir.Function:
    """The scalar function in a module, with its vector forms, which must not be thrown away before they are used."""
    if name in module.globals:
        return module.globals[name]
    scalar = ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(scalar, [scalar]), name=name)
    byte = ir.IntType(8).as_pointer()
    vectors = {width: f"_ZGV{isa}N{width}v_{name}" for width, isa in widths().items()}
    variants = ",".join(f"_ZGV_LLVM_N{width}v_{name}({vector})" for width, vector in vectors.items())
    function.attributes = _Attributes()
    function.attributes.add("nounwind")
    function.attributes.raw = ("memory(none)", "willreturn", f'"vector-function-abi-variant"="{variants}"')
    kept = []
    for width, vector in vectors.items():
        t = ir.VectorType(scalar, width)
        kept.append(ir.Function(module, ir.FunctionType(t, [t]), name=vector).bitcast(byte))
    used = "llvm.compiler.used"
    if used in module.globals:
        kept = [*module.globals[used].initializer.constant, *kept]
        del module.globals[used]
        module.scope._useset.discard(used)
    array = ir.GlobalVariable(module, ir.ArrayType(byte, len(kept)), name=used)
    array.linkage, array.section = "appending", "llvm.metadata"
    array.initializer = ir.Constant(array.value_type, kept)
    return function


def _vector(name: str):
    @intrinsic
    def function(typing_context, x):
        def generate(context, builder, signature, args):
            # a call of a vector function leaves no register alone: what is kept on the stack is not to lie across two cache lines
            builder.function.attributes.alignstack = CACHE_LINE
            builder.function.attributes.add("noinline")  # LLVM forgets the alignment where it inlines
            return builder.call(_declare(builder.module, name), args)

        return types.float64(types.float64), generate

    return function


def _scalar(name: str):
    function = getattr(math, name)

    @njit(error_model="numpy")
    def call(x):
        return function(x)

    return call


_make = _vector if choice() == "libmvec" else _scalar
vector_exp, vector_log, vector_sin, vector_cos, vector_tan, vector_tanh, vector_sinh = map(_make, FUNCTIONS[:7])
vector_cosh, vector_atan, vector_log1p, vector_expm1, vector_erf, vector_erfc = map(_make, FUNCTIONS[7:])
NAMES = tuple(f"vector_{name}" for name in FUNCTIONS)
