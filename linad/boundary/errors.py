"""Errors about a function as a whole, with a source position and a suggested fix."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType

from linad_typecheck.codes import CODES
from linad_typecheck.diagnostics import Diagnostic, Fix, LinadError
from linad_typecheck.span import NOWHERE, Span


def is_generated(file: str) -> bool:
    """Whether a file is the generated one-line source of a transformed function, which should not be shown to users."""
    return file.startswith("<linad ")


def refusal(slug: str, message: str, span: Span = NOWHERE, help: str = "") -> LinadError:
    """A `LinadError` with one diagnostic."""
    row = CODES.get(slug)
    code = row.code if row is not None else "LIN900"
    fixes = (Fix(help),) if help else ()
    diagnostic = Diagnostic(code, slug, "error", message, span, fixes=fixes)
    return LinadError((diagnostic,), _one_line(diagnostic))


def for_users(error: LinadError, f: FunctionType) -> LinadError:
    """The error as shown to users: without linad's own frames, and with the function's first line if it concerns the
    function as a whole. Internal errors keep their traceback."""
    if any(d.code.startswith("LIN9") for d in error.diagnostics):
        return error
    generated = is_generated(f.__code__.co_filename)
    if len(error.diagnostics) == 1 and error.diagnostics[0].span == NOWHERE and not generated:
        d, line = error.diagnostics[0], f.__code__.co_firstlineno
        d = replace(d, span=Span(f.__code__.co_filename, line, 1, line, 1))
        error = LinadError((d,), _one_line(d))
    return error.with_traceback(None)


def rendered(diagnostics: tuple[Diagnostic, ...], texts: dict[str, str]) -> str:
    """Diagnostics with their source lines, except lines that the user did not write."""
    from linad_typecheck.render import render_text

    if all(is_generated(d.span.file) for d in diagnostics):
        return "\n".join(_one_line(replace(d, span=NOWHERE)) for d in diagnostics)
    return "\n" + render_text(diagnostics, texts)


def _one_line(d: Diagnostic) -> str:
    place = "" if d.span == NOWHERE else f"{d.span.file}:{d.span.line}: "
    helps = "".join(f"\n  help: {fix.message}" for fix in d.fixes)
    return f"{place}{d.message} [{d.code} {d.slug}]{helps}"
