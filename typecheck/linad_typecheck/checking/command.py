"""``linad check``: selection of files and findings, output formats, and fixes."""

from __future__ import annotations

import argparse
import difflib
import io
import os
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..diagnostics import Diagnostic
from ..findings import check_text, facts, ordered
from ..messages.internal import NotPython
from ..render import FORMATS
from ..span import Span
from .config import OUTPUT_FORMATS, BadSettings, Settings, read, settings_of, slugs
from .fixes import chosen, fix
from .notebooks import SUFFIX, NoNotebook, notebook
from .places import Names

CLEAN, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 101
LINES = 200_000  # of a file; longer ones are generated, and take minutes to check
_OF_FILES = ("github", "sarif")  # formats whose readers look up lines in the file itself
_SKIPPED = ("__pycache__", "node_modules", "site-packages", "build", "dist")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files or folders; - is standard input")
    parser.add_argument("--output-format", choices=OUTPUT_FORMATS)
    parser.add_argument("--select", action="append", default=[], metavar="CODES", help="only these codes or slugs")
    parser.add_argument("--ignore", action="append", default=[], metavar="CODES", help="all but these codes or slugs")
    parser.add_argument(
        "--fix", action="store_true", help="apply safe fixes: those that keep what plain Python computes"
    )
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that settle a meaning"
    )
    parser.add_argument("--diff", action="store_true", help="print what --fix would change; write nothing")
    parser.add_argument(
        "--facts", action="store_true", help="also tell what derivatives cost: logs, copies, loops that run in order"
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 also where there are findings")
    parser.add_argument("--config", metavar="FILE", help="take the settings from this file and no other")
    parser.add_argument(
        "--force-exclude", action="store_true", help="leave out excluded files also where they are named"
    )
    parser.add_argument("--stdin-filename", default="<stdin>", metavar="NAME", help="the name of standard input")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parser.set_defaults(run=run)


@dataclass
class _Outcome:
    """The result after all files are checked."""

    files: int = 0
    functions: int = 0
    partly: int = 0
    fixed: int = 0
    fixable: int = 0
    hidden: int = 0  # number of findings that the selection excludes
    changed: bool = False
    unread: bool = False  # a file in a given folder could not be read
    found: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)


class Unreadable(ValueError):
    """Raised for a path that cannot be read."""


def run(options: argparse.Namespace) -> int:
    """Check the files that the options name, and return the exit code."""
    outcome = _Outcome()
    try:
        settings = _Chosen(options)
        form = options.output_format or settings.of(options.paths[0]).output_format
        paths = list(dict.fromkeys(_files(options.paths, settings, options.force_exclude)))
        for path in paths:
            try:
                _one(path, options, settings.of(path), form, outcome)
            except OSError as error:  # the other files are checked nevertheless
                outcome.unread = True
                print(f"linad check: {path}: {error.strerror}", file=sys.stderr)
    except (BadSettings, Unreadable) as error:
        print(f"linad check: {error}", file=sys.stderr)
        return USAGE
    names = Names(p for p in paths if p != "-")
    found = list(dict.fromkeys(map(names.told, outcome.found)))
    out = sys.stderr if "-" in options.paths and options.fix and not options.diff else sys.stdout
    if not options.diff:
        terminal = out.isatty() and "NO_COLOR" not in os.environ
        colour = options.color == "always" or (options.color == "auto" and terminal)
        text = FORMATS[form](found, outcome.sources, colour=colour)
        if text:
            write(text, out)
        if form == "full":
            write(("\n" if text else "") + summary(outcome, found), out)
    if any(d.slug == "internal-error" for d in found):
        return INTERNAL
    if outcome.unread:
        return USAGE
    failed = any(d.severity != "information" for d in found) or (options.diff and outcome.changed)
    return FINDINGS if failed and not options.exit_zero else CLEAN


class _Chosen:
    """The settings of each file, with the options of the command line applied."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.select, self.ignore = slugs(options.select), slugs(options.ignore)
        self.fixed: Settings | None = None
        if options.config is not None:
            self.fixed = read(Path(options.config)) or Settings()

    def of(self, path: str) -> Settings:
        found = self.fixed or settings_of("." if path == "-" else path)
        if self.select:
            found = replace(found, select=self.select)
        return replace(found, ignore=found.ignore - self.select | self.ignore)


def _one(path: str, options: argparse.Namespace, settings: Settings, form: str, outcome: _Outcome) -> None:
    name = options.stdin_filename if path == "-" else path
    outcome.files += 1
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text, encoding = _text(data)
    except (UnicodeDecodeError, SyntaxError, LookupError) as error:
        if b"linear_grad" in data:
            outcome.found.append(NotPython(Span(name, 1, 1, 1, 1), f"{error}").diagnostic())
        if path == "-" and options.fix and not options.diff:
            sys.stdout.buffer.write(data)
        return
    if text.count("\n") > LINES and "linear_grad" in text:
        outcome.unread = True
        print(f"linad check: {name}: not checked, it has more than {LINES:,} lines", file=sys.stderr)
        return
    try:
        book = notebook(text, name) if name.endswith(SUFFIX) else None
    except NoNotebook as error:
        if "linear_grad" in text:
            outcome.unread = True
            print(f"linad check: {name}: {error}", file=sys.stderr)
        if path == "-" and options.fix and not options.diff:
            sys.stdout.buffer.write(data)
        return
    text = text if book is None else book.text
    if options.fix or options.diff:
        fixed = fix(text, name, settings.wants, options.unsafe_fixes)
        if fixed.applied:
            outcome.fixed += fixed.applied
            outcome.changed = True
        if book is None:
            _keep(path, [(name, text, fixed.text)], fixed.text, encoding, options.diff, fixed.text != text)
        else:
            new = book.with_text(fixed.text)
            pairs = zip(book.sources(), new.sources(), strict=True)
            changes = [(cell, old, now) for (cell, old), (_, now) in pairs]
            _keep(path, changes, new.raw, encoding, options.diff, new is not book)
            book = book if options.diff else new
        text = text if options.diff else fixed.text
    report = check_text(text, name)
    if options.facts:
        report = replace(report, diagnostics=tuple(ordered((*report.diagnostics, *facts(text, name)))))
    wanted = settings.wanted(report.diagnostics)
    if "linear_grad" not in text and not report.functions:  # the file does not use linad
        wanted = [d for d in wanted if d.slug == "unused-suppression"]
    outcome.sources.update([(name, text)] if book is None else book.sources())
    outcome.functions += report.functions
    outcome.partly += report.partly
    outcome.hidden += len(report.diagnostics) - len(wanted) if report.functions else 0
    outcome.fixable += sum(chosen(d, False) is not None for d in wanted)
    outcome.found += wanted if book is None else [book.told(d, form in _OF_FILES) for d in wanted]


def _keep(
    path: str, changes: list[tuple[str, str, str]], new: str, encoding: str, only_show: bool, changed: bool
) -> None:
    """Write the new text of a file, or show the ``changes``: a name, the text before and the text after of each."""
    if only_show:
        for name, old, now in changes:
            pairs = [t.splitlines(keepends=True) for t in (old, now)]
            shown = [
                line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
                for line in difflib.unified_diff(*pairs, name, name)
            ]
            write("".join(shown), end="")
    elif path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(new.encode(encoding))
    elif changed:
        Path(path).write_bytes(new.encode(encoding))


def _text(data: bytes) -> tuple[str, str]:
    """A text with its line ends unchanged, and its encoding."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding), encoding


def _files(paths: Sequence[str], settings: _Chosen, force: bool) -> Iterator[str]:
    for given in paths:
        path = Path(given)
        if given == "-" or path.is_file():
            if given == "-" or not force or not settings.of(given).excludes(given):
                yield given
        elif given and path.is_dir():
            here = settings.of(given)
            for folder, inner, names in os.walk(path):
                inner[:] = sorted(
                    n for n in inner if not _left_out(folder, n) and not here.excludes(os.path.join(folder, n))
                )
                files = (
                    os.path.normpath(os.path.join(folder, n)) for n in sorted(names) if n.endswith((".py", SUFFIX))
                )
                # Editors leave dangling links next to a file that is being edited; reading a pipe would block forever.
                yield from (f for f in files if os.path.isfile(f) and not settings.of(f).excludes(f))
        else:
            raise Unreadable(f"there is no file `{given}`")


def _left_out(folder: str, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))


# -------------------------------------------------------------------------------------------------------- summary


def summary(outcome: _Outcome, found: Sequence[Diagnostic]) -> str:
    """The number of findings, and what was checked. It says so if a run checked nothing."""
    words = {"error": "error", "warning": "warning", "information": "fact"}
    counts = [(sum(d.severity == s for d in found), word) for s, word in words.items()]
    parts = [_count(n, word) for n, word in counts if n]
    checked = f"{_count(outcome.files, 'file')}, {_count(outcome.functions, 'function')}"
    if outcome.files == 0:
        checked += ": there is no Python file"
    elif outcome.functions == 0 and not found:
        checked += ": nothing is decorated with @linear_grad"
    elif outcome.partly:
        checked += f", {outcome.partly} checked in part: a call gives the types that annotations do not"
    text = f"{', '.join(parts) or 'no findings'} ({checked})"
    more = [
        (outcome.fixed, f"{outcome.fixed} fixed"),
        (outcome.hidden, f"{outcome.hidden} not selected"),
        (outcome.fixable, f"{outcome.fixable} fixable with --fix"),
    ]
    return "; ".join([text, *(shown for n, shown in more if n)])


def _count(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"


def write(text: str, out: object = None, end: str = "\n") -> None:
    """Print text that may contain characters which the terminal cannot encode."""
    out = out or sys.stdout
    encoding = getattr(out, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=out, end=end)
