"""The command ``linad``: `check` and `explain` are implemented here, other subcommands come from `parts`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from .parts import parts

CLEAN, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 101

_ELSEWHERE = {
    "show": "print a stage of a function's way to its gradient: show FILE::FUNCTION",
    "cache": "list or empty the cache of compiled functions",
    "doctor": "print versions and what this machine offers, or the stages of a first gradient",
    "lsp": "answer an editor over standard input and output",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Exit codes: 0 clean, 1 findings, 2 wrong usage, 101 an internal error of linad."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments and arguments[0] in _ELSEWHERE:
            return _dispatch(arguments[0], arguments[1:])
        options = _parser(arguments).parse_args(arguments)
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


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="linad", description="exact gradients of NumPy-style loop programs")
    parser.add_argument("--version", action="version", version=f"linad {_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="check decorated functions without running anything")
    if "check" in given:
        from .checking import command

        command.arguments(check)
    explain = commands.add_parser("explain", help="what a diagnostic means, or what happens on each line of a function")
    explain.add_argument("name", metavar="SLUG|CODE|RULE|FILE::FUNCTION")
    explain.add_argument("--format", choices=("text", "html"), default="text", help="of FILE::FUNCTION")
    explain.add_argument("-o", "--output", metavar="FILE", help="write FILE::FUNCTION to a file")
    explain.set_defaults(run=_explain)
    for name, summary in _ELSEWHERE.items():
        commands.add_parser(name, help=summary, add_help=False)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("linad")
    except PackageNotFoundError:
        return "(not installed)"


def _dispatch(name: str, arguments: list[str]) -> int:
    try:
        run = import_module(".lsp.command", __package__).command if name == "lsp" else parts()[name].load()
    except (ImportError, KeyError) as error:
        why = error if isinstance(error, ImportError) else "linad is not installed"
        print(f"linad {name}: not available here ({why})", file=sys.stderr)
        return USAGE
    return run(arguments)


def _explain(options: argparse.Namespace) -> int:
    if "::" in options.name:
        given = [options.name, "--format", options.format, *(("-o", options.output) if options.output else ())]
        return _dispatch("explain", given)
    from .checking.explaining import explained

    return CLEAN if explained(options.name.strip("`")) else USAGE


if __name__ == "__main__":
    sys.exit(main())
