"""A Numba pipeline with a short path for generated functions and the usual one for everything else."""

from __future__ import annotations

import ast
import logging
import os

from numba import types

from ..numba_compat import (
    CompilerBase, DefaultPassBuilder, Environment, ExtractByteCode, FunctionIdentity, LoweringPass, NumbaError,
    PassManager, compile_result, register_pass, reload_init, signature,
)
from .library import Handed, HandedUsual, Whole
from .lowering import Lowering
from .recursion import Open, by_numba, in_a_circle
from .source import Unsupported, tree_of
from .typing import Types

USUAL: list[tuple[str, str]] = []  # functions left to Numba, with the reason
SWITCH = "LINAD_FALLBACK"  # `error` turns a fallback into an error: nothing that linad generates should need it

_log = logging.getLogger("linad")
_told: set[str] = set()


class LeftToNumba(RuntimeError):
    """A function is outside the small language, and the environment makes that an error."""


def tell(name: str, reason: str) -> None:
    """Log, once per function, that it is compiled by Numba's own pipeline; an error if the environment says so."""
    USUAL.append((name, reason))
    first = reason.strip().partition("\n")[0]
    text = f"{name} is left to Numba's own compiler, which takes several times as long: {first}"
    if os.environ.get(SWITCH) == "error":
        raise LeftToNumba(text)
    if name not in _told:
        _told.add(name)
        _log.warning("%s (please report it; what it computes is the same)", text)


class DirectCompiler(CompilerBase):
    """Numba's compiler with the short path."""

    noalias = False  # written array arguments overlap no others
    apart = False  # the function must not be inlined
    # whether linad generated the function; handwritten ones may use more of Python than the small language
    generated = True

    usual = False  # whether the function is left to Numba
    function: Open | None = None

    def compile_extra(self, func):
        """Numba's entry point. The bytecode of a long function, which only Numba's own pipeline reads, is not decoded
        before that needs it."""
        self.state.func_id = FunctionIdentity.from_function(func)
        self.state.lifted, self.state.lifted_from = (), None
        return self._compile_core()

    def _compile_core(self):
        """Choose the path. A failure of the short path is no error of the program: the function then takes the
        usual path."""
        given = self.state.return_type
        try:
            return super()._compile_core()
        except LeftToNumba:
            raise
        except Unsupported as unsupported:
            reason = str(unsupported)
        except Exception as error:  # noqa: BLE001 - any failure of the short path
            reason = f"{type(error).__name__}: {error}"
        self.leave(reason, given)
        with by_numba():
            return super()._compile_core()

    def leave(self, reason: str, given: types.Type | None) -> None:
        """Leave the function to Numba. ``given``: its declared result type."""
        state = self.state
        if self.generated:
            tell(state.func_id.func_qualname, reason)
        self.usual = True
        ExtractByteCode().run_pass(state)
        if self.function is not None:
            self.function.withdraw()
        state.return_type, state.cr = given, None
        handed = state.flags.no_cpython_wrapper and not in_a_circle(state.func_id.func)
        state.library = made(HandedUsual, state) if handed else None

    def define_pipelines(self):
        """A single pipeline: the short one, if the function is in the small language."""
        state = self.state
        state.flags.noalias = self.noalias
        if self.usual:
            return [DefaultPassBuilder.define_nopython_pipeline(state)]
        self.function = state.function = opening(state)
        state.return_type = understood(self.function)
        state.apart = self.apart
        state.library = made(Handed if state.flags.no_cpython_wrapper else Whole, state)
        manager = PassManager("direct")
        manager.add_pass(DirectLowering, "generated text to LLVM")
        manager.finalize()
        return [manager]


def made(kind: type, state):
    """Create an empty library for the current function."""
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library


def opening(state) -> Open:
    """A function whose body has not been typed yet."""
    tree = tree_of(state.func_id.func)
    a = tree.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or state.return_type is not None or state.locals:
        raise Unsupported("parameters")
    found = Types(state.func_id.func, state.typingctx, {})
    found.assigned |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for p, t in zip(a.args, state.args, strict=True):
        if isinstance(t, types.Omitted):
            t = state.typingctx.resolve_value_type(t.value)
        found.bind(p.arg, types.unliteral(t))
    return Open(state, tree, found)


def understood(function: Open) -> types.Type:
    """Infer the types in a function; return its result type."""
    try:
        with function.typed():
            function.typing.block(function.tree.body)
    except NumbaError as error:
        raise Unsupported(str(error)) from None
    return function.typing.result()


@register_pass(mutates_CFG=True, analysis_only=False)
class DirectLowering(LoweringPass):
    """Types and instructions in one pass, then the steps with which Numba finishes a library."""

    _name = "linad_direct_lowering"

    def __init__(self):
        LoweringPass.__init__(self)

    def run_pass(self, state):
        """Set the compile result of a function that `understood` accepted."""
        function, found = state.function, state.function.typing
        context, library, flags = state.targetctx, state.library, state.flags
        reload_init(library).update(state.reload_init)
        library.needs = found.needs - {function}
        fndesc = function.fndesc
        with context.push_code_library(library):
            module = library.create_ir_module(fndesc.unique_name)
            context.declare_env_global(module, context.get_env_name(fndesc))
            declared = context.declare_function(module, fndesc)
            if state.apart:
                declared.attributes.add("noinline")
            lowering = Lowering(
                context, found, declared, fndesc.argtypes, function.params, state.return_type, flags.noalias
            )
            lowering.lower(function.tree.body)
            context.add_linking_libs([o.state.library for o in library.needs if o.closed])
            context.post_lowering(module, library)
            library.add_ir_module(module)
            environment = Environment.from_fndesc(fndesc)
            if not flags.no_cpython_wrapper:
                context.create_cpython_wrapper(
                    library, fndesc, environment, lowering.helper, release_gil=flags.release_gil
                )
        cfunc = context.get_executable(library, fndesc, environment)
        context.insert_user_function(cfunc, fndesc, [library])
        state.reload_init.extend(reload_init(library))
        state.cr = compile_result(
            typing_context=state.typingctx, target_context=context, entry_point=cfunc, typing_error=None,
            type_annotation="", library=library, call_helper=lowering.helper,
            signature=signature(state.return_type, *state.args), objectmode=False, lifted=(), fndesc=fndesc,
            environment=environment, metadata=state.metadata, reload_init=state.reload_init,
        )  # fmt: skip
        return True
