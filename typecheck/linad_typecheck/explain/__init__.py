"""Documentation pages: one per code, with a failing program, the reason and the repaired program; one per ownership
rule."""

from __future__ import annotations

from importlib.resources import files

from ..codes import CODES, Code
from ..ownership.rules import HEAD, RULES, Rule


def page(row: Code) -> str:
    """A page for a terminal or for the documentation: a heading from the table of codes, followed by the text of its
    file."""
    text = files(__name__).joinpath(f"{row.slug}.md").read_text(encoding="utf-8")
    rules = "".join(f"Ownership rule {rule}.\n\n" for rule in RULES.values() if row.slug in rule.codes)
    return f"# {row.slug} ({row.code}, {row.severity})\n\n{row.summary}\n\n{rules}{text.strip()}\n"


def anchor(c: Code) -> str:
    """The heading of a page in the document of all codes, as an anchor in links."""
    return f"{c.slug}-{c.code.lower()}-{c.severity}"


def rule_page(rule: Rule, slugs: str = "`{}`") -> str:
    """The page of an ownership rule. ``slugs``: the format of a code, from its slug and anchor."""
    codes = [CODES[slug] for slug in rule.codes]
    enforced = ", ".join(slugs.format(c.slug, anchor(c)) for c in codes)
    refuses = any(c.severity == "error" for c in codes)
    how, verb = ("Not accepted", "Enforced by") if refuses else ("Warned of", "Said by")
    return (
        f"# {rule.number}\n\n{rule.statement[0].upper()}{rule.statement[1:]}.\n\n"
        f"{rule.reason}\n\n{verb} {enforced}. Write instead: {rule.instead}.\n\n"
        f"Accepted:\n\n```python\n{rule.accepted}```\n\n{how}:\n\n```python fails\n{rule.refused}```\n"
    )


def rules_document() -> str:
    """Every ownership rule with its page, as one Markdown document."""
    rows = [f"| [{r.number}](#{r.number.lower()}) | {r.statement} |" for r in RULES.values()]
    pages = ["#" + rule_page(r, "[`{}`](codes.md#{})") for r in RULES.values()]
    return (
        "# Ownership rules\n\nA program is accepted where it is known for each use of an array which updates it shows. "
        "Reading "
        "is free, numbers are free,\nand copies, array expressions and constructors give arrays of their own; the rest "
        "are "
        "these rules. A message names the rule\nthat it enforces, and `linad explain R3` prints one. "
        "[Ownership](../explanation/ownership.md)"
        " is the introduction.\n\n| | |\n|---|---|\n" + "\n".join(rows) + f"\n\nThe programs below begin with\n\n"
        f"```python\n{HEAD}```\n\n" + "\n".join(pages)
    )
