"""The commands ``linad show FILE::FUNCTION`` and ``linad explain FILE::FUNCTION``. They read the file without running
it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from linad.boundary.results import float_leaves
from linad.show.explain import explain_program
from linad.show.html import document, page_of
from linad.show.stages import STAGES, lines_of, stage_of
from linad.switches import switched_off
from linad_typecheck.check import check
from linad_typecheck.checking.recover import recovered
from linad_typecheck.diagnostics import LinadError
from linad_typecheck.findings import read
from linad_typecheck.render import render_text
from linad_typecheck.names.scope import FunctionSource
from linad_typecheck.signature import Checked, Signature
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.names.uses import functions_named
from linad_typecheck.types import is_float


CLEAN, FINDINGS, USAGE = 0, 1, 2


class Refused(Exception):
    """A command that cannot be carried out: the message to print and the exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def command(argv: Sequence[str] = ()) -> int:
    """Run ``linad show FILE::FUNCTION [--stage STAGE] [--format html] [-o FILE]`` and return the exit code."""
    parser = argparse.ArgumentParser(prog="linad show", description="print a stage of a function's way to its gradient")
    parser.add_argument("place", metavar="FILE::FUNCTION")
    parser.add_argument("--stage", choices=STAGES, default="table", help="which form of it; by default the two columns")
    parser.add_argument("--format", choices=("text", "html"), default="text", help="html: one page with everything")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of the terminal")
    options = parser.parse_args(list(argv))
    make = _page if options.format == "html" else _show
    if options.output is None:
        return _printed("show", lambda: make(options.place, options.stage))
    return _printed("show", lambda: _written(make(options.place, options.stage), options.output))


def explain_command(argv: Sequence[str]) -> int:
    """Run ``linad explain FILE::FUNCTION [--format html] [-o FILE]`` and return the exit code."""
    parser = argparse.ArgumentParser(prog="linad explain")
    parser.add_argument("place")
    parser.add_argument("--format", choices=("text", "html"), default="text")
    parser.add_argument("-o", "--output")
    options = parser.parse_args(list(argv))
    if options.output is None:
        return _printed("explain", lambda: _explain(options.place, options.format))
    return _printed("explain", lambda: _written(_explain(options.place, options.format), options.output))


def _printed(name: str, text) -> int:
    try:
        shown = text()
    except Refused as refused:
        print(f"linad {name}: {refused}" if refused.code == USAGE else refused, file=sys.stderr)
        return refused.code
    encoding = sys.stdout.encoding or "utf-8"
    print(shown.encode(encoding, "backslashreplace").decode(encoding))
    return CLEAN


def printed(name: str, lines: Iterable[str]) -> int:
    """Print lines as they are produced and return the exit code."""
    try:
        for line in lines:
            print(line, flush=True)
    except Refused as refused:
        print(f"linad {name}: {refused}" if refused.code == USAGE else refused, file=sys.stderr)
        return refused.code
    except LinadError as error:
        print(error, file=sys.stderr)
        return FINDINGS
    return CLEAN


def _show(place: str, stage: str) -> str:
    function, checked = checked_function(place)
    lines = lines_of(checked.program.main, function.source.lines, function.source.first_line)
    return str(stage_of(checked.program, stage, gradient_by(function, checked), lines, _off()))


def _page(place: str, stage: str) -> str:
    """The page of a function, or of a single stage if that is not the table."""
    function, checked = checked_function(place)
    lines = lines_of(checked.program.main, function.source.lines, function.source.first_line)
    wrt, off = gradient_by(function, checked), _off()
    if stage != "table":
        return document(function.name, stage_of(checked.program, stage, wrt, lines, off)._repr_html_())
    return page_of(checked.program, wrt, lines, checked.facts, function.name, off).document()


def _written(text: str, file: str) -> str:
    try:
        Path(file).write_text(text + "\n" * (not text.endswith("\n")), encoding="utf-8")
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}", USAGE) from None
    return f"wrote {file}"


def _explain(place: str, form: str) -> str:
    function, checked = checked_function(place)
    lines = lines_of(checked.program.main, function.source.lines, function.source.first_line)
    found = explain_program(
        function.name, checked.program, gradient_by(function, checked), lines, checked.facts, off=_off()
    )
    if form == "html":
        return document(function.name, found._repr_html_())
    return str(found)


def checked_function(place: str) -> tuple[FunctionSource, Checked]:
    """The function named by ``FILE::FUNCTION``, checked from the source text alone."""
    file, separator, name = place.rpartition("::")
    if not separator or not file or not name:
        raise Refused(f"`{place}` is not of the form FILE::FUNCTION", USAGE)
    if not Path(file).is_file():
        raise Refused(f"there is no file `{file}`", USAGE)
    try:
        found = recovered(read(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"{file}: {error}", FINDINGS) from None
    named = functions_named(StaticModule(SourceFile(file, found.text), lost=found.lost))
    if name not in named:
        near = get_close_matches(name, named, 1)
        hint = f"; did you mean `{near[0]}`" if near else f"; there are {', '.join(named)}" if named else ""
        raise Refused(f"there is no function `{name}` in {file}{hint}", USAGE)
    function = named[name]
    checked = check(function, {})
    errors = [d for d in checked.diagnostics if d.severity == "error"]
    if errors:
        raise Refused(render_text(errors), FINDINGS)
    if checked.program is None:
        missing = ", ".join(f"`{n}`" for n in checked.missing) or "something it uses"
        text = f"{file}:{function.node.lineno}: the type of {missing} does not follow from the text: annotate it"
        raise Refused(text, FINDINGS)
    return function, checked


def _off() -> tuple[str, ...]:
    """The passes disabled by the environment."""
    try:
        return switched_off()
    except LinadError as error:
        raise Refused(str(error), USAGE) from None


def gradient_by(function: FunctionSource, checked: Checked) -> tuple[str, ...]:
    """The core parameters to differentiate by: the requested ones, or all floats."""
    signature: Signature = checked.signature
    wanted = {signature.params[w].name if isinstance(w, int) else w for w in function.wrt or ()}
    params = checked.program.main.params
    chosen = [p for p in signature.params if function.wrt is None or p.name in wanted]
    leaves = [leaf.index for p in chosen for leaf in float_leaves(p.structure)]
    return tuple(params[k].var.name for k in leaves if is_float(params[k].var.type))
