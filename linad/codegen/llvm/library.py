"""Libraries that keep the IR of a function until the function that Python calls is compiled together with all its
callees.

Numba optimises and assembles every function separately, and then again in each function that calls it. A kernel is only
called by its driver, so its IR is passed on and optimised once, there.
"""

from __future__ import annotations

from weakref import WeakSet

import llvmlite.binding as llvm

from ..numba_compat import JITCodeLibrary, reload_init
from ..options import GENERATED
from .shared_compares import X86, with_own_compares


class _NoEnvironment:
    """The code generator of a library that is never loaded, and hence needs no environment."""

    def __init__(self, codegen) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str):
        return getattr(self._codegen, name)

    def set_env(self, env_name, env) -> None:
        """Do nothing."""


# libraries of functions that are not inlined: already optimised, they are linked after everything else
LATE: WeakSet = WeakSet()


class _Collecting(JITCodeLibrary):
    """A library that collects modules to be linked later by the final library."""

    def __init__(self, codegen, name):
        super().__init__(codegen, name)
        self.late: dict[object, None] = {}
        self.needs: set[object] = set()  # functions still being compiled that this one calls: see `recursion`

    def finalize(self):
        """Link the modules that are optimised together, then finish as Numba does."""
        soon = []
        for library in dict.fromkeys(self._linking_libraries):
            if library in LATE:
                self.late[library] = None
                continue
            soon.append(library.without_late() if isinstance(library, HandedUsual) else library)
            self.late |= getattr(library, "late", {})
        self._linking_libraries = soon
        super().finalize()


class _Bare:
    """The modules of a library that are linked immediately."""

    def __init__(self, library) -> None:
        self._library = library
        self._reload_init = reload_init(library)

    def _get_module_for_linking(self):
        return JITCodeLibrary._get_module_for_linking(self._library)


class HandedUsual(_Collecting):
    """A library with IR from Numba's lowering that is only linked into others."""

    @property
    def codegen(self):
        """The code generator, but without environments."""
        return _NoEnvironment(self._codegen)

    def without_late(self) -> _Bare:
        """The library without its late modules, for libraries that link these themselves."""
        return _Bare(self)

    def _get_module_for_linking(self):
        module = super()._get_module_for_linking()
        if self.late:
            module = module.clone()
            for library in self.late:
                module.link_in(library._get_module_for_linking(), preserve=True)
        return module

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Return 0: there is no machine code, so no address."""
        self._ensure_finalized()
        return 0


class Handed(HandedUsual):
    """A library with IR from `lowering` that is only linked into others."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


def forget_instructions(library: JITCodeLibrary) -> None:
    """Empty the module of a library whose machine code has been generated and stored. LLVM's engine keeps the module,
    with its instructions, as long as the process lives, because Numba found its removal unsafe."""
    module = library._final_module
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.linkage != llvm.Linkage.appending:
            value.linkage = llvm.Linkage.internal
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, library._codegen._pass_builder())


def _is_kernel(function: llvm.ValueRef) -> bool:
    """Whether a function is of this module alone.

    Functions of the runtime, Numba's and ours, are linked into several modules of a process and keep their linkage:
    where one module made them internal, a call from a later module crashed.
    """
    mine = function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration
    return mine and GENERATED in function.name


def _variants(function: llvm.ValueRef) -> bool:
    """Whether a function has vector variants, which must keep the same parameters."""
    return any(b"vector-function-abi-variant" in attribute for attribute in function.attributes)


class Whole(_Collecting):
    """The library of a function that Python calls, optimised once together with everything that it calls."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        for function in self._final_module.functions:  # of which only those that others call keep all their parameters
            if _is_kernel(function) and not _variants(function):
                function.linkage = llvm.Linkage.internal
        manager, builder = self._codegen._module_pass_manager()
        with self._recorded_timings.record("Module passes", builder):
            manager.run(self._final_module, builder)
        self._give_own_compares()
        for library in self.late:
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)

    def _give_own_compares(self) -> None:
        """Give the selects of kernels compares of their own (see `shared_compares`)."""
        module = self._final_module
        texts = [str(f) for f in module.functions if X86 and not f.is_declaration and GENERATED in f.name]
        changed = {text: made for text in texts if (made := with_own_compares(text)) != text}
        if changed:
            whole = str(module)
            for text, made in changed.items():
                whole = whole.replace(text, made)
            self._final_module = llvm.parse_assembly(whole)
            self._final_module.name = module.name
