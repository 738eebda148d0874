"""The language server: `linad lsp`. This package alone knows the editor's protocol, and only `server` imports its
library."""

from __future__ import annotations

from time import perf_counter

BEGAN = perf_counter()  # as near to the start of the process as Python code can be
