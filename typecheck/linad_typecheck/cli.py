"""The command ``linad``: check and explain here, the other subcommands in the packages that they are about."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

CLEAN, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 101

_ELSEWHERE = {
    "show": ("linad.show", "print a stage of a function's way to its gradient"),
    "cache": ("linad.emit.cache", "list or empty the cache of compiled functions"),
    "doctor": ("linad.doctor", "print versions and what this machine offers"),
}
_SKIPPED = ("__pycache__", "node_modules", "site-packages", "build", "dist")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code: 0 clean, 1 findings, 2 wrong usage, 101 a defect of linad."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments and arguments[0] in _ELSEWHERE:
            return _dispatch(arguments[0], arguments[1:])
        options = _parser().parse_args(arguments)
        code = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `linad check | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except SystemExit as stop:  # argparse
        return stop.code if isinstance(stop.code, int) else USAGE
    except Exception:
        import traceback

        traceback.print_exc()
        print("linad: this is a defect of linad; please report it with the lines above", file=sys.stderr)
        return INTERNAL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="linad", description="exact gradients of NumPy-style loop programs")
    parser.add_argument("--version", action="version", version=f"linad {_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="check decorated functions without running anything")
    check.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files or folders; - is standard input")
    check.add_argument("--output-format", choices=("full", "concise", "json", "github"), default="full")
    check.add_argument("--select", action="append", default=[], metavar="CODES", help="only these codes or slugs")
    check.add_argument("--ignore", action="append", default=[], metavar="CODES", help="all but these codes or slugs")
    check.add_argument("--exit-zero", action="store_true", help="exit with 0 also where there are findings")
    check.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    check.set_defaults(run=_check)
    explain = commands.add_parser("explain", help="what a diagnostic means, with programs")
    explain.add_argument("name", metavar="SLUG|CODE")
    explain.set_defaults(run=_explain)
    for name, (_, summary) in _ELSEWHERE.items():
        commands.add_parser(name, help=summary, add_help=False)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("linad")
    except PackageNotFoundError:
        return "(not installed)"


def _dispatch(name: str, arguments: list[str]) -> int:
    module = _ELSEWHERE[name][0]
    try:
        command = import_module(module).command
    except ImportError as error:
        print(f"linad {name}: not available here ({error})", file=sys.stderr)
        return USAGE
    return command(arguments)


# ---------------------------------------------------------------------------------------------------------- check


def _check(options: argparse.Namespace) -> int:
    from .findings import check_source, read
    from .messages.internal import NotPython
    from .render import FORMATS
    from .span import Span

    try:
        select, ignore = _slugs(options.select), _slugs(options.ignore)
        files = list(dict.fromkeys(_files(options.paths)))
    except ValueError as error:
        print(f"linad check: {error}", file=sys.stderr)
        return USAGE
    found, sources = [], {}
    for file in files:
        try:
            text = sys.stdin.read() if file == "-" else read(file)
        except (UnicodeDecodeError, SyntaxError) as error:
            found.append(NotPython(Span(file, 1, 1, 1, 1), f"{error}").diagnostic())
            continue
        except OSError as error:
            print(f"linad check: {file}: {error.strerror}", file=sys.stderr)
            return USAGE
        name = "<stdin>" if file == "-" else file
        sources[name] = text
        found += check_source(text, name) if "linear_grad" in text else ()
    found = list(dict.fromkeys(d for d in found if (not select or d.slug in select) and d.slug not in ignore))
    terminal = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    colour = options.color == "always" or (options.color == "auto" and terminal)
    text = FORMATS[options.output_format](found, sources, colour=colour)
    if text:
        _print(text)
    if options.output_format == "full":
        _print(("\n" if text else "") + _summary([d.severity for d in found], len(files)))
    if any(d.slug == "internal-error" for d in found):
        return INTERNAL
    failed = any(d.severity != "information" for d in found)
    return FINDINGS if failed and not options.exit_zero else CLEAN


def _files(paths: Sequence[str]) -> Iterator[str]:
    for given in paths:
        path = Path(given)
        if given == "-" or path.is_file():
            yield given
        elif path.is_dir():
            for folder, inner, names in os.walk(path):
                inner[:] = sorted(n for n in inner if not _left_out(folder, n))
                yield from (os.path.normpath(os.path.join(folder, n)) for n in sorted(names) if n.endswith(".py"))
        else:
            raise ValueError(f"there is no file `{given}`")


def _left_out(folder: str, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))


def _slugs(given: Sequence[str]) -> frozenset[str]:
    """Slugs of comma-separated slugs, codes or beginnings of codes such as ``LIN1``."""
    from .codes import CODES

    found: set[str] = set()
    for name in (part.strip() for text in given for part in text.split(",")):
        start = name if name.startswith("LIN") else "no code"
        matching = [c.slug for c in CODES.values() if c.slug == name or c.code.startswith(start)]
        if not matching:
            raise ValueError(f"there is no code `{name}`")
        found.update(matching)
    return frozenset(found)


def _summary(severities: Sequence[str], files: int) -> str:
    words = {"error": "error", "warning": "warning", "information": "fact"}
    counts = [(severities.count(s), word) for s, word in words.items()]
    parts = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n]
    checked = f"{files} file{'' if files == 1 else 's'} checked"
    return f"{', '.join(parts)} ({checked})" if parts else f"no findings ({checked})"


def _print(text: str) -> None:
    """Print what may hold any character on a terminal of any encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


# -------------------------------------------------------------------------------------------------------- explain


def _explain(options: argparse.Namespace) -> int:
    from difflib import get_close_matches

    from .codes import CODES
    from .explain import page

    name = options.name.strip("`")
    row = next((c for c in CODES.values() if name in (c.slug, c.code) or name.upper() == c.code), None)
    if row is None:
        near = get_close_matches(name, [*CODES, *(c.code for c in CODES.values())], 1)
        hint = f"; did you mean `{near[0]}`" if near else ""
        print(f"linad explain: there is no code `{name}`{hint}", file=sys.stderr)
        return USAGE
    _print(page(row))
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
