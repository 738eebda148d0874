"""SARIF 2.1.0, for code hosts and editors. Its rules are the table of codes, and the help of each is its page."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from ..codes import CODES, Code
from ..diagnostics import Diagnostic, Edit, Fix
from ..ownership.rules import RULES
from ..span import Span
from .text import Sources

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "information": "note"}


def render_sarif(diagnostics: Iterable[Diagnostic], sources: Sources | None = None, *, colour: bool = False) -> str:
    """A single run, with all rules and a result per finding."""
    rules = {slug: k for k, slug in enumerate(CODES)}
    driver = {
        "name": "linad",
        "informationUri": "https://pypi.org/project/linad/",
        "rules": list(map(_rule, CODES.values())),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, rules[d.slug]) for d in diagnostics],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(row: Code) -> dict[str, object]:
    from ..explain import page

    text = page(row)
    return {
        "id": row.code,
        "name": row.slug,
        "shortDescription": {"text": row.summary},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[row.severity]},
    }


def _result(d: Diagnostic, rule: int) -> dict[str, object]:
    enforced = [f"rule {RULES[d.rule]}"] if d.rule else []
    lines = [d.message, *(f"note: {n}" for n in d.notes), *enforced, *(f"help: {f.message}" for f in d.fixes)]
    found: dict[str, object] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": _LEVELS[d.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [{"physicalLocation": _place(d.span)}],
    }
    related = [
        {"id": k, "physicalLocation": _place(x.span), "message": {"text": x.message}} for k, x in enumerate(d.labels, 1)
    ]
    fixes = [_fix(f) for f in d.fixes if f.edits]
    return found | ({"relatedLocations": related} if related else {}) | ({"fixes": fixes} if fixes else {})


def _place(span: Span) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(span.file)}}
    return place | ({"region": _region(span)} if span.line > 0 else {})


def _region(span: Span) -> dict[str, int]:
    return {"startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def _fix(f: Fix) -> dict[str, object]:
    files = dict.fromkeys(e.span.file for e in f.edits)
    changes = [
        {
            "artifactLocation": {"uri": _uri(file)},
            "replacements": [_replacement(e) for e in f.edits if e.span.file == file],
        }
        for file in files
    ]
    return {"description": {"text": f.message}, "artifactChanges": changes}


def _replacement(e: Edit) -> dict[str, object]:
    return {"deletedRegion": _region(e.span), "insertedContent": {"text": e.text}}
