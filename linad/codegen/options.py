"""Options of code generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GENERATED = "linad_generated_"  # prefix of the names of modules of generated code


@dataclass(frozen=True, slots=True)
class EmitOptions:
    """Options of code generation.

    ``checked``: ``"hoisted"`` for index checks before loops, whose failure requests the build with ``"every"``, which
    checks each access that is not proved. ``noalias``: written arrays overlap no others. ``vector_math``: the result of
    `vector_math.choice`, or ``"libm"``. ``workspace``: the driver may take scratch arrays from workspaces. A kernel of
    ``long`` statements is split into functions of about ``part`` (see `function_splitting`). ``parallel``: run
    independent iterations on threads, in the ``"hoisted"`` build. ``exact``: the code computes a derivative again that
    contained a nan. ``off``: names of passes to skip.
    """

    fastmath: bool = True
    noalias: bool = True
    checked: Literal["hoisted", "every"] = "hoisted"
    vector_math: str = "libm"
    cache: bool = False
    workspace: bool = False
    recursion_limit: int = 1000
    parallel: bool = False
    exact: bool = False
    long: int = 1000
    part: int = 250
    off: tuple[str, ...] = ()
