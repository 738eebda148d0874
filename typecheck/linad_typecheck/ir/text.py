"""The text of the core, which `linad.show` prints and tests are written in. Parsing is the exact inverse of
printing."""

from __future__ import annotations

from .parse import CoreSyntaxError, parse_program
from .printing import print_function, print_program, print_stmt

__all__ = ["CoreSyntaxError", "parse_program", "print_function", "print_program", "print_stmt"]
