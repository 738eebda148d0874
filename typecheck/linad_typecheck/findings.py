"""All findings about a file: those of every decorated function and the code it reaches, in order and without
duplicates."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches

from .checking.misplaced import misplaced, stacked
from .checking.recover import recovered
from .checking.suppress import without_ignored, without_ignored_elsewhere
from .diagnostics import Diagnostic, strictly
from .frozen import frozen
from .garbage import uncollected
from .messages.internal import InternalError, NotPython
from .messages.language import OptionError, TooDeep
from .repairs import marks
from .names.scope import FunctionSource
from .signature import Checked
from .source import SourceFile, read
from .span import Span
from .names.modules import StaticModule, first_line
from .names.uses import decorated


@frozen
class Report:
    """The findings in a text, and the number of decorated functions that were checked.

    ``partly``: functions whose types are not all in the text. They are checked completely at their first call.
    """

    diagnostics: tuple[Diagnostic, ...]
    functions: int
    partly: int = 0


def check_source(text: str, filename: str = "<text>") -> list[Diagnostic]:
    """Check every function of a program text that `linad.linear_grad` decorates, with the functions that it calls.

    Nothing is imported and nothing is run. Sibling files that the text imports are read, to check the functions called.

    Parameters
    ----------
    text
        The source of a module.
    filename
        Its name, for messages and to find the files that it imports.

    Returns
    -------
    list of Diagnostic
        In text order. Each statement that is not valid Python gives one, and the rest of the text is still checked.
    """
    with uncollected():
        return list(check_text(text, filename).diagnostics)


def check_text(
    text: str,
    filename: str = "<text>",
    each: Callable[[FunctionSource], Checked] | None = None,
    files: dict[str, StaticModule | None] | None = None,
) -> Report:
    """`check_source`, with the number of decorated functions.

    An editor passes ``each``, which caches the results of `check_function`, and the ``files`` that it has parsed.
    """
    each = check_function if each is None else each
    whole = Span(filename, 1, 1, 1, 1)
    try:
        found = recovered(text)
        source = SourceFile(filename, found.text)
        module = StaticModule(source, {} if files is None else files, found.lost)
        # loading the checker fills the registry, which decides what a starred import of a library binds
        if "*" in module.scope.bound:
            from . import check as check
        functions = decorated(module)
        refused = [*misplaced(module), *stacked(module, functions)]
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, or nesting too deep for the parser
        deep = isinstance(error, (RecursionError, MemoryError))
        why = "an expression is too deeply nested for the parser" if deep else str(error)
        return Report((NotPython(whole, why).diagnostic(),), 0)
    told = [_syntax(SourceFile(filename, text), error) for error in found.errors]
    told += [message.diagnostic() for _, message in refused]
    others = {id(node) for node, _ in refused}
    outcomes = [each(f) for f in functions if id(f.node) not in others]
    told += [d for c in outcomes for d in c.diagnostics]
    count = len({id(f.node) for f in functions} | others)
    partly = sum(c.program is None and not any(d.severity == "error" for d in c.diagnostics) for c in outcomes)
    told = without_ignored(source, told, [f.node for f in functions])
    told = without_ignored_elsewhere(told, {n: m.source for n, m in module.files.items() if m and n != source.name})
    return Report(tuple(ordered(told)), count, partly)


def facts(text: str, filename: str) -> list[Diagnostic]:
    """The costs of the derivatives of a text's decorated functions, for those without errors."""
    from .checking.cost import facts_of

    found: list[Diagnostic] = []

    def each(function: FunctionSource) -> Checked:
        checked = check_function(function)
        if not any(d.severity == "error" for d in checked.diagnostics):
            found.extend(facts_of(function, checked))
        return checked

    check_text(text, filename, each)
    return ordered(found)


def check_file(path: str | os.PathLike[str]) -> list[Diagnostic]:
    """`check_source` for a file. Its encoding is detected as Python does."""
    return check_source(read(path), str(path))


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings in text order, without duplicates. Of two with the same message at one position, the first
    remains."""
    unique = {(d.code, d.span, d.message): d for d in reversed(list(diagnostics))}
    return sorted(unique.values(), key=lambda d: (d.span.file, d.span.line, d.span.column, d.code, d.message))


def check_function(function: FunctionSource) -> Checked:
    """Check a function with the types of its annotations. An internal error of the checker becomes a finding."""
    from .check import examine

    place = _first_line(function)
    try:
        checked = examine(function, {})
        told = (*checked.diagnostics, *_no_options(function))
        told = tuple(map(strictly, told)) if function.strict else told
        return replace(checked, diagnostics=told)
    except (RecursionError, MemoryError):
        return too_deep(function)
    except Exception as error:  # an internal error must not hide other findings
        shown = f"{type(error).__name__}: {error}".splitlines()[0]
        return Checked(None, None, (InternalError(place, function.name, shown).diagnostic(),))


def too_deep(function: FunctionSource) -> Checked:
    """The result for a function that is nested too deeply for the checker."""
    return Checked(None, None, (TooDeep(_first_line(function), function.name).diagnostic(),))


def _first_line(function: FunctionSource) -> Span:
    source, line = function.source, first_line(function.node)
    return Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1)


# The keywords of the decorator; a test compares them with `linad.linear_grad`.
OPTIONS = ("wrt", "updates", "parallel", "fastmath", "cache", "update", "boundscheck", "backend", "strict", "passes")

_CHOICES = {"update": ("in-place", "pure"), "backend": ("numba", "interpret")}


def _no_options(function: FunctionSource) -> Iterator[Diagnostic]:
    """Report unknown keywords of the decorator: Python raises a `TypeError` when the module is imported."""
    for call in marks(function):
        for given in call.args[:1]:
            if isinstance(given, (ast.Constant, ast.Tuple, ast.List)):
                place = function.source.span(given)
                yield OptionError(
                    place, "`linear_grad` takes its options by name", f"wrt={function.source.segment(place)}", place
                ).diagnostic()
        for k in call.keywords:
            if k.arg is not None and k.arg not in OPTIONS:
                s = function.source.span(k)
                place = Span(s.file, s.line, s.column, s.line, s.column + len(k.arg))
                near = next(iter(get_close_matches(k.arg, OPTIONS, 1)), "")
                why = f"`linear_grad` has no option `{k.arg}`"
                yield OptionError(place, why, near, place if near else None, OPTIONS).diagnostic()
            match k.value:
                case ast.Constant(value=value) if k.arg not in _CHOICES or value in _CHOICES[k.arg]:
                    pass
                case ast.Constant() | ast.Tuple() | ast.List() if k.arg in _CHOICES:
                    why = f"`{k.arg}` is one of {', '.join(map(repr, _CHOICES[k.arg]))}"
                    near = "updates" if k.arg == "update" else ""
                    s = function.source.span(k)
                    at = Span(s.file, s.line, s.column, s.line, s.column + len(k.arg)) if near else None
                    yield OptionError(function.source.span(k.value), why, near, at).diagnostic()


def _syntax(source: SourceFile, error: SyntaxError) -> Diagnostic:
    line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
    last = (error.end_offset or column + 1) if error.end_lineno == error.lineno else column + 1
    return NotPython(Span(source.name, line, column, line, max(last, column + 1)), error.msg).diagnostic()
