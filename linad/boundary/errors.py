"""Refusals: errors about a function as a whole, with a place and a way out."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType

from linad_typecheck.codes import CODES
from linad_typecheck.diagnostics import Diagnostic, Fix, LinadError
from linad_typecheck.span import NOWHERE, Span


def refusal(slug: str, message: str, span: Span = NOWHERE, help: str = "") -> LinadError:
    """A `LinadError` with one diagnostic."""
    row = CODES.get(slug)
    code = row.code if row is not None else "LIN900"
    fixes = (Fix(help),) if help else ()
    diagnostic = Diagnostic(code, slug, "error", message, span, fixes=fixes)
    return LinadError((diagnostic,), _one_line(diagnostic))


def told(error: LinadError, f: FunctionType) -> LinadError:
    """The error as a user reads it: without the way it took through linad, and of a function as a whole with its first
    line. A defect of linad keeps its way."""
    if any(d.code.startswith("LIN9") for d in error.diagnostics):
        return error
    if len(error.diagnostics) == 1 and error.diagnostics[0].span == NOWHERE:
        d, line = error.diagnostics[0], f.__code__.co_firstlineno
        d = replace(d, span=Span(f.__code__.co_filename, line, 1, line, 1))
        error = LinadError((d,), _one_line(d))
    return error.with_traceback(None)


def _one_line(d: Diagnostic) -> str:
    place = "" if d.span == NOWHERE else f"{d.span.file}:{d.span.line}: "
    helps = "".join(f"\n  help: {fix.message}" for fix in d.fixes)
    return f"{place}{d.message} [{d.code} {d.slug}]{helps}"
