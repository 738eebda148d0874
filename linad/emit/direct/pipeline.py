"""A pipeline of Numba's in which generated functions have a shorter way, and whatever else comes the usual one."""

from __future__ import annotations

import ast
from types import SimpleNamespace

from numba.core import errors, types, typing
from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_result
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.funcdesc import PythonFunctionDescriptor
from numba.core.lowering import Environment

from .library import Handed, HandedUsual, Whole
from .lowering import Lowering
from .source import Unsupported, tree_of
from .typing import Types

USUAL: list[tuple[str, str]] = []  # functions that were left to Numba, with the reason; for tests and for the curious


class DirectCompiler(CompilerBase):
    """Numba's compiler with the shorter way."""

    noalias = False  # whether array arguments that are written overlap no other
    apart = False  # whether the function stays one of its own in machine code

    usual = False  # whether the function is left to Numba

    def _compile_core(self):
        """Numba's entry. What goes wrong on the shorter way is no error of the program: the function takes the other one then."""
        try:
            return super()._compile_core()
        except Exception as error:
            if self.usual:
                raise
            self.leave(f"{type(error).__name__}: {error}")
            return super()._compile_core()

    def leave(self, reason: str) -> None:
        """Let Numba have the function."""
        state = self.state
        USUAL.append((state.func_id.func_qualname, reason))
        self.usual = True
        state.return_type = state.cr = None
        state.library = made(HandedUsual, state) if state.flags.no_cpython_wrapper else None

    def define_pipelines(self):
        """One pipeline: the shorter one where the function is of the small language."""
        state = self.state
        state.flags.noalias = self.noalias
        if not self.usual:
            given = state.return_type
            try:
                state.direct = understood(state)
            except Unsupported as reason:
                self.leave(str(reason))
                state.return_type = given
        if self.usual:
            return [DefaultPassBuilder.define_nopython_pipeline(state)]
        state.apart = self.apart
        state.library = made(Handed if state.flags.no_cpython_wrapper else Whole, state)
        manager = PassManager("direct")
        manager.add_pass(DirectLowering, "generated text to LLVM")
        manager.finalize()
        return [manager]


def made(kind: type, state):
    """An empty library for the function at hand."""
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.enable_object_caching()
    return library


def understood(state) -> tuple[ast.FunctionDef, Types]:
    """The tree of a function and the types of everything in it; `Unsupported` where it is not of the small language."""
    function = state.func_id.func
    tree = tree_of(function)
    a = tree.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or state.return_type is not None or state.locals:
        raise Unsupported("parameters")
    given = {}
    for p, t in zip(a.args, state.args, strict=True):
        if isinstance(t, types.Omitted):
            t = state.typingctx.resolve_value_type(t.value)
        given[p.arg] = types.unliteral(t)
    found = Types(function, state.typingctx, {})
    found.assigned |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name, t in given.items():
        found.bind(name, t)
    try:
        found.block(tree.body)
    except errors.NumbaError as error:
        raise Unsupported(str(error)) from None
    state.return_type = found.result()
    return tree, found


@register_pass(mutates_CFG=True, analysis_only=False)
class DirectLowering(LoweringPass):
    """Types and instructions in one pass, then the library as Numba finishes it."""

    _name = "linad_direct_lowering"

    def __init__(self):
        LoweringPass.__init__(self)

    def run_pass(self, state):
        """The compile result, of a function that `understood` took."""
        tree, found = state.direct
        context, library, flags = state.targetctx, state.library, state.flags
        library._reload_init.update(state.reload_init)
        params = [p.arg for p in tree.args.args]
        args = dict(zip((f"arg.{p}" for p in params), state.args, strict=True))
        described = SimpleNamespace(func_id=state.func_id, arg_names=params)
        fndesc = PythonFunctionDescriptor.from_specialized_function(
            described, args, state.return_type, {}, mangler=context.mangler, inline=flags.forceinline,
            noalias=flags.noalias, abi_tags=[flags.get_mangle_string()],
        )  # fmt: skip
        with context.push_code_library(library):
            module = library.create_ir_module(fndesc.unique_name)
            context.declare_env_global(module, context.get_env_name(fndesc))
            function = context.declare_function(module, fndesc)
            if state.apart:
                function.attributes.add("noinline")
            lowering = Lowering(context, found, function, fndesc.argtypes, params, state.return_type)
            lowering.lower(tree.body)
            context.post_lowering(module, library)
            library.add_ir_module(module)
            environment = Environment.from_fndesc(fndesc)
            if not flags.no_cpython_wrapper:
                context.create_cpython_wrapper(library, fndesc, environment, lowering.helper, release_gil=flags.release_gil)
        cfunc = context.get_executable(library, fndesc, environment)
        context.insert_user_function(cfunc, fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state.cr = compile_result(
            typing_context=state.typingctx, target_context=context, entry_point=cfunc, typing_error=None,
            type_annotation="", library=library, call_helper=lowering.helper,
            signature=typing.signature(state.return_type, *state.args), objectmode=False, lifted=(), fndesc=fndesc,
            environment=environment, metadata=state.metadata, reload_init=state.reload_init,
        )  # fmt: skip
        return True

