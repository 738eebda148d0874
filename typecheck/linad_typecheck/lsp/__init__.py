"""The language server, `linad lsp`. Only this package knows the protocol, and only `server` imports the library for
it."""

from __future__ import annotations

from time import perf_counter

BEGAN = perf_counter()  # as close to the start of the process as Python code can be
