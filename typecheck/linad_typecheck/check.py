"""The entry point of the front end: from a Python function and its argument types to a core program and diagnostics."""

from __future__ import annotations

from dataclasses import replace

from .activity import zero_gradients
from .ir.core import Same, walk
from .ir.rewrite import numbered
from .deep import deep
from .diagnostics import Diagnostic
from .engine.programs import RECURSION_LIMIT
from .linear.check_linear import check_linear
from .linear.erase import erase
from .linear.linearise import linearise
from .lost_updates import lost_updates
from .lower.entry import lower_entry
from .names.scope import FunctionSource, parameters
from .signature import Binding, Checked


def check(function: FunctionSource, binding: Binding, *, recursion_limit: int = RECURSION_LIMIT) -> Checked:
    """Check a function and lower it to the core.

    Parameters
    ----------
    function : FunctionSource
        The source of the function, with its scope.
    binding : Binding
        The types of the arguments by parameter name. A missing one is taken from the annotation.
    recursion_limit : int
        The depth of calls at which a recursive function raises RecursionError.

    Returns
    -------
    Checked
        The program, unless a diagnostic is an error or a type is unknown. An error of the user never raises.
    """
    checked = examine(function, binding, recursion_limit=recursion_limit)
    if checked.program is None:
        return checked
    functions = {name: numbered(f) for name, f in checked.program.functions.items()}
    return replace(checked, program=replace(checked.program, functions=functions))


def examine(function: FunctionSource, binding: Binding, *, recursion_limit: int = RECURSION_LIMIT) -> Checked:
    """`check` for callers that only need the diagnostics: names in the program have the gaps that discarded attempts
    leave."""
    with deep():
        checked = lower_entry(function, binding, recursion_limit)
    if checked.program is None or checked.signature is None:
        return checked
    if any(Same in map(type, walk(f.body)) for f in checked.program.functions.values()):
        check_linear(linearise(checked.program))
        checked = replace(checked, program=erase(checked.program))
    return replace(checked, diagnostics=(*checked.diagnostics, *_about_gradients(function, checked)))


def _about_gradients(function: FunctionSource, checked: Checked) -> tuple[Diagnostic, ...]:
    """Diagnostics about updates and gradients of a function without errors."""
    assert checked.program is not None and checked.signature is not None
    source, every = function.source, parameters(function.node.args)
    places = {p.arg: source.span(p) for p in every}
    if function.wrt is not None:
        wanted = {every[w].arg if isinstance(w, int) else w for w in function.wrt}
        places = {name: span for name, span in places.items() if name in wanted}
    found = [*lost_updates(checked.program, source), *zero_gradients(checked.program, checked.signature, places)]
    return tuple(m.diagnostic() for m in found)
