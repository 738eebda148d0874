"""The page of each code: a failing program, the reason, the program as it should be."""

from __future__ import annotations

from importlib.resources import files

from ..codes import Code


def page(row: Code) -> str:
    """A page for a terminal or for the documentation: a heading from the table of codes, then the text of its file."""
    text = files(__name__).joinpath(f"{row.slug}.md").read_text(encoding="utf-8")
    return f"# {row.slug} ({row.code}, {row.severity})\n\n{row.summary}\n\n{text.strip()}\n"
