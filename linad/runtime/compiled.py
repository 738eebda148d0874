"""Wrappers for functions declared by `linad.rule`, callable from generated code on arrays.

A wrapper is created when it is imported from this module under the name ``compiled_`` plus the function's key.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba import njit, types

from linad_typecheck.engine.compiled import Declared
from linad_typecheck.types import NUMPY_NAMES

from ..boundary.errors import refusal
from ..interpret.functions import FUNCTIONS

PREFIX = "compiled_"


def __getattr__(name: str) -> object:
    if not name.startswith(PREFIX):
        raise AttributeError(name)
    f = FUNCTIONS[name.removeprefix(PREFIX)]
    if f.caller is None:
        f.caller = _caller(f)
    return f.caller


def _caller(f: Any) -> object:
    """Make the wrapper: a function of the status, the results and the arguments, each an array."""
    declared = f.declared
    args = [f"a{k}" if p.dims is not None else f"a{k}[0]" for k, p in enumerate(declared.params)]
    given = ", ".join(f"a{k}" for k in range(len(args)))
    outs = [f"r{k}" for k in range(len(declared.results))]
    if f.is_numba:
        function = _function_of_numba(f)
        values = [f"value[{k}]" for k in range(len(outs))] if declared.several else ["value"]
        pairs = list(zip(outs, values, declared.results, strict=True))
        differ = " or ".join(f"{v}.shape != {o}.shape" for o, v, r in pairs if r.dims is not None) or "False"
        lines = [
            "    try:",
            f"        value = function({', '.join(args)})",
            f"        if {differ}:",
            "            status[0] = 1",
            "        else:",
            *(line for o, v, r in pairs for line in _copying(o, v, len(r.dims or ()))),
            "    except Exception:",
            "        status[0] = 1",
        ]
    else:
        by_value, *parameters = f.c_types
        function = ctypes.CFUNCTYPE(by_value, *parameters)(f.address)
        places = [f"a{k}.ctypes" if p.dims is not None else f"a{k}[0]" for k, p in enumerate(declared.params)]
        places += [] if by_value is not None else [f"{o}.ctypes" for o in outs]
        lines = [f"    {'r0[0] = ' if by_value is not None else ''}function({', '.join(places)})"]
    text = "\n".join([f"def caller(status, {', '.join(outs)}, {given}):", *lines]) + "\n"
    names: dict[str, object] = {"function": function}
    exec(text, names)
    return njit(nogil=True, error_model="numpy")(names["caller"])


def _copying(out: str, value: str, rank: int) -> list[str]:
    """Statements that copy a result with loops, which compile faster than ``out[...] = value``."""
    index = ", ".join(f"i{k}" for k in range(rank))
    loops = [f"{'    ' * (k + 3)}for i{k} in range({out}.shape[{k}]):" for k in range(rank)]
    return [*loops, f"{'    ' * (rank + 3)}{out}[{index or 0}] = {value}{f'[{index}]' if rank else ''}"]


def _function_of_numba(f: Any) -> object:
    """Compile the function for the declared types.

    Raises
    ------
    LinadError
        If Numba cannot compile it for these types, or it returns other types than declared.
    """
    declared, name = f.declared, f.plain.__name__
    names: dict[str, object] = {"function": f.target}
    given = ", ".join(f"a{k}" for k in range(len(declared.params)))
    exec(f"def calling({given}):\n    return function({given})\n", names)
    made = njit(nogil=True)(names["calling"])
    for readonly in (True, False):  # a function with explicit signatures may not accept read-only arrays
        wanted = tuple(_numba_type(p, readonly) for p in declared.params)
        try:
            made.compile(wanted)
            break
        except Exception as error:  # noqa: BLE001 - Numba raises whatever it happens to
            text = str(error)
            if "Cannot modify readonly array" in text:
                told = f"the function of `{name}` changes an array that it is given"
                raise refusal("bad-rule", told, help="let it work on a copy") from None
            if readonly:
                continue
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            cause = next((line for line in lines if "nopython mode pipeline" not in line), type(error).__name__)
            told = f"Numba cannot compile the function of `{name}` for {', '.join(map(str, wanted))}: {cause}"
            raise refusal("bad-rule", told, help="declare the types that it takes") from None
    made.disable_compile()
    found = made.overloads[wanted].signature.return_type
    parts = tuple(found) if declared.several and isinstance(found, types.BaseTuple) else (found,)
    if len(parts) != len(declared.results) or not all(map(_agrees, parts, declared.results)):
        told = f"the function of `{name}` returns {found}, which is not what `{name}` is declared to return"
        raise refusal("bad-rule", told, help="declare what it returns, or convert that in the function")
    return made


def _numba_type(d: Declared, readonly: bool = False) -> types.Type:
    scalar = types.boolean if d.dtype == "bool" else getattr(types, NUMPY_NAMES[d.dtype])
    return scalar if d.dims is None else types.Array(scalar, len(d.dims), "C", readonly=readonly)


def _agrees(found: types.Type, d: Declared) -> bool:
    wanted, found = _numba_type(d), types.unliteral(found)
    if d.dims is None:
        return found == wanted
    return isinstance(found, types.Array) and (found.dtype, found.ndim) == (wanted.dtype, wanted.ndim)
