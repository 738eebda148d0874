"""Refusals: errors about a function as a whole, with a place and a way out."""

from __future__ import annotations

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


def _one_line(d: Diagnostic) -> str:
    place = "" if d.span == NOWHERE else f"{d.span.file}:{d.span.line}: "
    helps = "".join(f"\n  help: {fix.message}" for fix in d.fixes)
    return f"{place}{d.message} [{d.code} {d.slug}]{helps}"
