"""The private parts of Numba and llvmlite that linad uses, imported and checked here and nowhere else.

Any release of Numba may rename or move them. Importing this module looks for each, so that an unsupported release is
refused at the first compilation, with its version and what is missing, rather than by an AttributeError during a
compilation.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import llvmlite.binding as llvm

__all__ = [
    "INTR_MATH",
    "CompileResult",
    "CompilerBase",
    "DefaultPassBuilder",
    "Dispatcher",
    "Environment",
    "ExtractByteCode",
    "FunctionAttributes",
    "FunctionIdentity",
    "JITCodeLibrary",
    "LOCKS",
    "LoweringPass",
    "NumbaError",
    "PassManager",
    "PythonFunctionDescriptor",
    "Signature",
    "as_dtype",
    "cgutils",
    "check",
    "compile_result",
    "config",
    "cpu_target",
    "dumps",
    "fix_returning_optional",
    "global_compiler_lock",
    "register_pass",
    "reload_init",
    "require_attribute",
    "require_symbols",
    "signature",
]

SUPPORTED = "numba>=0.62,<0.69"  # as in pyproject.toml

# Methods and attributes used of each class or module, except those of `_instances`.
_CLASSES = {
    "cgutils": "alloca_once alloca_once_value for_range for_range_slice gep_inbounds get_or_insert_function "
    "is_not_null is_null memset raw_memcpy unpack_tuple",
    "config": "CPU_NAME CPU_FEATURES",
    "CompileResult": "_rebuild _reduce",
    "CompilerBase": "_compile_core compile_extra define_pipelines",
    "DefaultPassBuilder": "define_nopython_pipeline",
    "Dispatcher": "compile disable_compile is_compiling",
    "Environment": "from_fndesc",
    "ExtractByteCode": "run_pass",
    "FunctionAttributes": "_to_list",
    "FunctionIdentity": "from_function",
    "JITCodeLibrary": "add_ir_module create_ir_module enable_object_caching finalize get_pointer_to_function "
    "_ensure_finalized _finalize_dynamic_globals _finalize_final_module _get_module_for_linking "
    "_optimize_final_module _optimize_functions",
    "NRTContext": "decref incref meminfo_alloc_aligned_unchecked meminfo_data",
    "PassManager": "add_pass finalize",
    "PythonFunctionDescriptor": "from_specialized_function",
}
# Methods and attributes used of the objects that a compilation receives.
_INSTANCES = {
    "typing context": "resolve_function_type resolve_value_type",
    "target context": "add_dynamic_addr add_linking_libs refresh call_conv call_internal_no_propagate cast codegen "
    "create_cpython_wrapper fastmath data_model_manager declare_env_global declare_function enable_nrt get_abi_sizeof "
    "get_constant get_constant_generic get_data_type get_dummy_value get_env_name "
    "get_executable get_function get_preferred_array_alignment "
    "get_return_value get_value_type insert_user_function is_true make_array make_tuple mangler nrt pack_value "
    "post_lowering push_code_library unpack_value",
    "target context.call_conv": "call_function get_arguments get_function_type init_call_helper "
    "return_status_propagate return_user_exc return_value",
    "code generator": "_data_layout _module_pass_manager _pass_builder create_library magic_tuple set_env",
    "code library": "has_dynamic_globals _codegen _final_module _finalized _linking_libraries _recorded_timings",
}


def _import_array_functions() -> None:
    """Import Numba's array functions without SciPy, if both are installed and neither is imported yet.

    They import `scipy.linalg` only to see whether BLAS is available, which is over half of the cost of a warm start
    beyond ``import numba``. Whether SciPy is installed answers that question too; BLAS itself is still looked up by
    `numba.np.linalg.ensure_blas` in each function that calls it.
    """
    if "numba.np.arraymath" in sys.modules or "scipy.linalg" in sys.modules or find_spec("scipy") is None:
        return
    import numba.np.linalg as linalg

    ensure_blas = getattr(linalg, "ensure_blas", None)
    if ensure_blas is None:
        return
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = ensure_blas
        module = sys.modules.get("numba.np.arraymath")
        if module is not None and hasattr(module, "ensure_blas"):
            module.ensure_blas = ensure_blas


def _refusal(missing: str) -> ImportError:
    """The error about a Numba version that lacks something."""
    try:
        installed = f"numba {version('numba')} with llvmlite {version('llvmlite')}"
    except PackageNotFoundError:
        installed = "the installed numba"
    return ImportError(
        f"linad cannot compile with {installed}, which has no {missing}; it supports {SUPPORTED}: "
        f"pip install '{SUPPORTED}'"
    )


def _free_pass_managers() -> None:
    """Make llvmlite free its pass managers. The `_dispose` of their class is hidden by that of `ObjectRef`, which does
    nothing, so each compilation leaked some 200 kB."""
    passes = import_module("llvmlite.binding.newpassmanagers")
    dispose = getattr(getattr(passes, "NewPassManager", None), "_dispose", None)
    for kind in (getattr(passes, name, None) for name in ("ModulePassManager", "FunctionPassManager")):
        if dispose is not None and kind is not None and kind._dispose is llvm.ffi.ObjectRef._dispose:
            kind._dispose = dispose


_import_array_functions()
_free_pass_managers()
try:
    from llvmlite.ir.values import FunctionAttributes
    from numba.core import cgutils, config
    from numba.core.bytecode import FunctionIdentity
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, compile_result
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
    from numba.core.dispatcher import Dispatcher
    from numba.core.errors import NumbaError
    from numba.core.funcdesc import PythonFunctionDescriptor
    from numba.core.imputils import fix_returning_optional
    from numba.core.intrinsics import INTR_MATH
    from numba.core.lowering import Environment
    from numba.core.registry import cpu_target
    from numba.core.runtime.context import NRTContext
    from numba.core.serialize import dumps
    from numba.core.typing import Signature, signature
    from numba.core.untyped_passes import ExtractByteCode
    from numba.np.numpy_support import as_dtype
except ImportError as error:
    raise _refusal(f"`{error.name}`" if isinstance(error, ModuleNotFoundError) else str(error)) from error

# The locks of a compiling thread, in acquisition order: Numba's and, in some versions, llvmlite's.
LOCKS = (global_compiler_lock, *filter(None, [getattr(getattr(llvm.ffi, "lib", None), "_lock", None)]))


def _instances() -> dict[str, object]:
    context = cpu_target.target_context
    generator = context.codegen()
    return {
        "typing context": cpu_target.typing_context,
        "target context": context,
        "target context.call_conv": context.call_conv,
        "code generator": generator,
        "code library": generator.create_library("linad_compat"),
    }


def check() -> None:
    """Check that every private class and object of Numba that linad uses exists.

    Raises
    ------
    ImportError
        If one is missing; it names the installed and the supported versions.
    """
    missing = _first_missing({name: globals()[name] for name in _CLASSES}, _CLASSES)
    if missing is None:
        try:
            instances = _instances()
        except AttributeError as error:
            raise _refusal(str(error)) from error
        missing = _first_missing(instances, _INSTANCES)
    if missing is not None:
        raise _refusal(missing)


def _first_missing(owners: dict[str, object], parts: dict[str, str]) -> str | None:
    there = {owner: set(dir(owners[owner])) for owner in parts}  # not `hasattr`, which would evaluate properties
    return next(
        (f"`{owner}.{part}`" for owner in parts for part in parts[owner].split() if part not in there[owner]), None
    )


def require_symbols(*names: str) -> None:
    """Check that functions of Numba's helper libraries, which machine code calls by name, exist. LLVM terminates the
    process if one is missing.

    Raises
    ------
    ImportError
        If one is missing, as for `check`.
    """
    missing = next((name for name in names if not llvm.address_of_symbol(name)), None)
    if missing is not None:
        raise _refusal(f"helper function `{missing}`")


def require_attribute(module: str, name: str) -> None:
    """Check that a loaded Numba module has an attribute, as `check` does."""
    if not hasattr(sys.modules.get(module), name):
        raise _refusal(f"`{module}.{name}`")


def reload_init(library: JITCodeLibrary) -> set:
    """The functions to run when machine code of a library is loaded from a cache, which libraries of Numba 0.62 lack.

    In 0.62, a function does not inherit them from the functions that it calls. In generated code only parallel loops
    need them, and these start the threads when their module is imported (`threads`).
    """
    return library.__dict__.setdefault("_reload_init", set())


check()
