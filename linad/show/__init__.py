"""Inspect a checked function: `show` its compilation stages, `explain` its lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

from .explain import Explanation, explain_program
from .html import page_of
from .stages import STAGES, Stage, Text, stage_of
from .table import Table

__all__ = ["STAGES", "Explanation", "Stage", "Table", "Text", "explain", "show"]


def show(f: Callable[..., Any], stage: Stage = "table") -> Table | Text:
    """Show one stage of a function's compilation to a gradient.

    Parameters
    ----------
    f : function
        Checked by `linear_grad`, or plain.
    stage : str
        ``"table"``: the function's own lines beside the adjoint statements that each produces, read downwards, then
        upwards. The other stages are texts: ``"lowered"``, ``"linear"``, ``"reverse"`` (every value that the reverse
        sweep needs is logged), ``"stored"`` (under the storage plan), ``"simplified"`` (what is compiled), ``"numba"``.

    Returns
    -------
    Table or Text
        Prints as text. In a notebook it is HTML: the table with the facts about each line, the linear core and the
        generated source; hovering over a line highlights everything that belongs to it.

    Raises
    ------
    LinadError
        If the function has an error, or a parameter has no type before a first call.
    ValueError
        If there is no such stage.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def double(x: float) -> float:
    ...     return 2.0 * x
    >>> print(linad.show(double, "lowered"))
    entry fn double(x: f64) -> f64 {
      result = mul 2.0 x
      return result
    }
    <BLANKLINE>
    """
    from .reading import reading_of  # loads NumPy, which the language server, a user of `explain_program`, does without

    r = reading_of(f)
    off = r.options.off
    shown = stage_of(r.program, stage, r.wrt, r.lines, off)
    if isinstance(shown, Table):
        return replace(shown, page=lambda: page_of(r.program, r.wrt, r.lines, r.facts, r.name, off).fragment())
    return shown


def explain(f: Callable[..., Any]) -> Explanation:
    """Explain what happens on each line: what is borrowed, moved, copied, dup'ed or dropped, and how the derivative
    obtains the values it needs.

    Parameters
    ----------
    f : function
        Checked by `linear_grad`, or plain.

    Returns
    -------
    Explanation
        Prints as text, in a notebook as HTML.

    Raises
    ------
    LinadError
        If the function has an error, or a parameter has no type before a first call.

    Examples
    --------
    >>> import linad
    >>> @linad.linear_grad
    ... def squares(x: float, n: int) -> float:
    ...     for _ in range(n):
    ...         x = x * x
    ...     return x
    >>> "log" in str(linad.explain(squares))
    True
    """
    from .reading import reading_of

    r = reading_of(f)
    o = r.options
    return explain_program(r.name, r.program, r.wrt, r.lines, r.facts, o.parallel, o.fastmath, o.off)


class _Callable(ModuleType):
    """Makes this package callable. Importing one of its modules rebinds ``linad.show`` from the function to the
    package; both can be called."""

    def __call__(self, f: Callable[..., Any], stage: Stage = "table") -> Table | Text:
        return show(f, stage)


sys.modules[__name__].__class__ = _Callable
