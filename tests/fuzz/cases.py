"""Programs with arguments to run them on, to be edited: those of the properties, of lowering, of arrays, of recursion."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.adjoint.sweep import recursive_programs

from ..arrays.cases import ARGUMENTS, programs
from ..lower import test_against_python as lowering
from ..prelude import HEADER
from ..properties import programs_logs, programs_order, programs_science, programs_traps, programs_types

MODULES = (programs_science, programs_traps, programs_types, programs_order, programs_logs, recursive_programs)
SINGLE = {"single_precision", "single_and_double", "float32_cells"}


@dataclass(frozen=True)
class Case:
    """A function of a text, and what to call it with."""

    text: str
    name: str
    args: tuple[Any, ...]
    updates: tuple[str, ...] = ()
    single: bool = False

    def tree(self) -> ast.Module:
        """A tree to be edited. What `np.empty` leaves unset is anything, so it is made zeros."""
        tree = ast.parse(self.text.replace("np.empty", "np.zeros"))
        tree.body = [s for s in tree.body if not (isinstance(s, ast.ImportFrom) and s.level)]
        return tree


@cache
def cases() -> tuple[Case, ...]:
    found = [
        Case(_text(m), name, args, updates, name in SINGLE)
        for m in MODULES
        for name, given in m.CASES.items()
        for args, updates in given
    ]
    for name, given in lowering.CASES.items():
        found += [Case(_text(lowering.module_of(name)), name, args, (), _single(args) or name in SINGLE) for args in given]
    for file in ("names", "updates", "recursion"):
        for p in programs(file):
            found.append(Case(HEADER + "\n\n" + p.text, "f", tuple(ARGUMENTS[a] if isinstance(a, str) else a for a in p.args)))
    return tuple(found)


def _text(module: ModuleType) -> str:
    return Path(module.__file__).read_text(encoding="utf-8")


def _single(args: tuple[Any, ...]) -> bool:
    return any(str(getattr(a, "dtype", "")) == "float32" for a in args)
