"""Reading and rewriting Markdown suites: prose, a program, and the messages it gives.

A case is a ``## heading`` with one ```` ```python ```` block and the ```` ```text ```` block behind it, which holds the
rendered messages; no text block means that the program is accepted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from linad_typecheck import check_source
from linad_typecheck.render import render_text

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
PRELUDE = """\
import math
import numpy as np
from jaxtyping import Bool, Float32, Float64, Int64
from linad import linear_grad
"""


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    body: str  # everything between this heading and the next

    @property
    def program(self) -> str:
        return next(text for kind, text in _BLOCK.findall(self.body) if kind == "python")

    @property
    def expected(self) -> str:
        return next((text for kind, text in _BLOCK.findall(self.body) if kind == "text"), "")

    @property
    def actual(self) -> str:
        """The messages of the program, which follows the imports that all programs share."""
        text = self.program if "from linad" in self.program else f"{PRELUDE}\n\n{self.program}"
        rendered = render_text(check_source(text, "program.py"), {"program.py": text})
        return f"{rendered}\n" if rendered else ""

    def regenerated(self) -> Case:
        """The case with the messages the program gives now."""
        body = _BLOCK.sub(lambda m: m[0] if m[1] == "python" else "", self.body).rstrip()
        if self.actual:
            body += f"\n\n```text\n{self.actual}```"
        return replace(self, body=f"{body}\n\n")


def cases(file: Path) -> list[Case]:
    """The cases of a suite, in order."""
    _, *parts = _HEADING.split(file.read_text(encoding="utf-8"))
    return [Case(file, name, body) for name, body in zip(parts[::2], parts[1::2])]


def regenerate(file: Path) -> None:
    """Write a suite again with the messages of now."""
    head = _HEADING.split(file.read_text(encoding="utf-8"))[0]
    text = head + "".join(f"## {c.name}{c.regenerated().body}" for c in cases(file))
    file.write_text(text.rstrip() + "\n", encoding="utf-8")
