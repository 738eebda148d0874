"""`linad lsp`: the command that an editor starts."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def command(arguments: Sequence[str]) -> int:
    """``linad lsp``: serve an editor over standard input and output until it disconnects."""
    if any(not a.startswith(("--stdio", "--clientProcessId")) and not a.isdigit() for a in arguments):
        return _usage(arguments)
    from importlib.util import find_spec

    if find_spec("pygls") is None:
        print("linad lsp: not available here (needs pygls: pip install 'linad[lsp]')", file=sys.stderr)
        return 2
    gc.disable()  # starting up creates no garbage; `serve` enables it again
    from .first import serve

    return serve(sys.stdin.buffer, sys.stdout.buffer)


def _usage(arguments: Sequence[str]) -> int:
    import argparse

    parser = argparse.ArgumentParser(
        prog="linad lsp", description="language server for editors; speaks LSP over standard input and output"
    )
    parser.add_argument("--stdio", action="store_true", help="the default, and the only way")
    parser.add_argument("--clientProcessId", metavar="N", help=argparse.SUPPRESS)  # some clients always pass it
    parser.parse_args(arguments)
    return 0
