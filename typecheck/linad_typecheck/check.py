"""The front end: a Python function and the types of its arguments to a core program and all that is to be said of it."""

from __future__ import annotations

from .lower.entry import lower_entry
from .lower.specialise import RECURSION_LIMIT
from .scope import FunctionSource
from .signature import Binding, Checked


def check(function: FunctionSource, binding: Binding, *, recursion_limit: int = RECURSION_LIMIT) -> Checked:
    """Check a function and lower it to the core.

    Parameters
    ----------
    function : FunctionSource
        The function as text with the scope it stands in.
    binding : Binding
        The types of the arguments by parameter name; a missing one is taken from its annotation.
    recursion_limit : int
        The depth of calls at which a recursive function raises RecursionError.

    Returns
    -------
    Checked
        The program, unless a diagnostic is an error or a type is unknown. It never raises on a user's error.
    """
    return lower_entry(function, binding, recursion_limit)
