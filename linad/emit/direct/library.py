"""Where the instructions of a function are kept until a function that Python calls is compiled with all that it calls.

Numba optimises and assembles every function by itself, then once more in each function that calls it. A kernel is called by its
driver only: so its instructions are only handed on, and are optimised once, where they end.
"""

from __future__ import annotations

from numba.core.codegen import JITCodeLibrary


class _NoEnvironment:
    """The code generator of a library that is never loaded, so that there is no place for an environment in it."""

    def __init__(self, codegen) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str):
        return getattr(self._codegen, name)

    def set_env(self, env_name, env) -> None:
        """Nothing to set."""


class HandedUsual(JITCodeLibrary):
    """A library that is only linked into others, of instructions that Numba's lowering made."""

    @property
    def codegen(self):
        """As of any library, but for environments."""
        return _NoEnvironment(self._codegen)

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """No machine code, no address."""
        self._ensure_finalized()
        return 0


class Handed(HandedUsual):
    """A library that is only linked into others, of instructions that `lowering` made."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout


class Whole(JITCodeLibrary):
    """The library of a function that Python calls: optimised once, with everything that it calls."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        manager, builder = self._codegen._module_pass_manager()
        with self._recorded_timings.record("Module passes", builder):
            manager.run(self._final_module, builder)
