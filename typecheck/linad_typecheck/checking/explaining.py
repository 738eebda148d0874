"""`linad explain CODE`: the page of a diagnostic."""

from __future__ import annotations

import sys

from ..codes import CODES
from ..explain import page
from .command import write
from .config import did_you_mean


def explained(name: str) -> bool:
    """Write the page of a code or a slug; where there is none, the codes that there are."""
    row = next((c for c in CODES.values() if name in (c.slug, c.code) or name.upper() == c.code), None)
    if row is not None:
        write(page(row))
        return True
    hint = did_you_mean(name, (*CODES, *(c.code for c in CODES.values())), 0.4)
    print(f"linad explain: there is no code `{name}`{hint}; there are:", file=sys.stderr)
    for c in CODES.values():
        print(f"  {c.code}  {c.slug:<24} {c.summary}", file=sys.stderr)
    return False
