"""`linad explain CODE`: prints the page of a diagnostic or of an ownership rule."""

from __future__ import annotations

import sys

from ..codes import CODES
from ..explain import page, rule_page
from ..ownership.rules import RULES
from .command import write
from .config import did_you_mean


def explained(name: str) -> bool:
    """Print the page of a code, a slug or a rule. If there is none, print the list of codes."""
    row = next((c for c in CODES.values() if name in (c.slug, c.code) or name.upper() == c.code), None)
    rule = RULES.get(name.upper())
    if row is not None or rule is not None:
        write(page(row) if row is not None else rule_page(rule))
        return True
    hint = did_you_mean(name, (*CODES, *(c.code for c in CODES.values())), 0.4)
    print(f"linad explain: there is no code `{name}`{hint}; there are:", file=sys.stderr)
    for c in CODES.values():
        print(f"  {c.code}  {c.slug:<24} {c.summary}", file=sys.stderr)
    return False
