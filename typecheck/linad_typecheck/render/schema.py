"""The JSON schema of ``--output-format json``, and the table of codes with its pages as one document."""

from __future__ import annotations

from ..codes import CODES
from ..explain import anchor, page
from ..ownership.rules import RULES

Json = dict[str, object]
_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}


def json_schema() -> Json:
    """The JSON schema (draft 2020-12) of the findings that ``linad check --output-format json`` prints."""
    rows = [{"properties": {"code": {"const": c.code}, "slug": {"const": c.slug}}} for c in CODES.values()]
    finding = _object(
        {
            "code": {"enum": [c.code for c in CODES.values()]},
            "slug": {"enum": [c.slug for c in CODES.values()]},
            "severity": {"enum": ["error", "warning", "information"]},
            "message": {"type": "string", "minLength": 1, "description": "one line that stands alone"},
            "span": {"$ref": "#/$defs/span"},
            "label": {"type": "string", "description": "what to write at the span"},
            "labels": _list(_object({"span": {"$ref": "#/$defs/span"}, "message": _TEXT})),
            "notes": _list(_TEXT),
            "fixes": _list({"$ref": "#/$defs/fix"}),
            "rule": {"enum": ["", *RULES], "description": "the number of the ownership rule, if it is about one"},
        }
    )
    span = _object({"file": _TEXT, "line": _COUNT, "column": _COUNT, "end_line": _COUNT, "end_column": _COUNT})
    in_notebooks = {
        "cell": _COUNT | {"minimum": 1, "description": "of a notebook: which one, of all its cells; lines are its"}
    }
    span |= {"properties": span["properties"] | in_notebooks}  # type: ignore[operator]
    edit = _object(
        {"span": {"$ref": "#/$defs/span"}, "text": {"type": "string", "description": "takes the place of the span"}}
    )
    fix = _object(
        {
            "message": _TEXT,
            "edits": _list(edit),
            "safe": {"type": "boolean", "description": "whether plain Python computes the same numbers afterwards"},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "findings of linad check",
        **_list(finding | {"oneOf": rows}),
        "$defs": {
            "span": span
            | {"description": "lines and columns count from 1, columns in code points; the end is excluded"},
            "fix": fix,
        },
    }


def _object(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def codes_document() -> str:
    """Every code with its page, as one Markdown document."""
    rows = [f"| [{c.code}](#{anchor(c)}) | `{c.slug}` | {c.severity} | {c.summary} |" for c in CODES.values()]
    pages = [
        "#" + page(c).replace("```python fail", "```python fails").replace("python fact", "python")
        for c in CODES.values()
    ]
    head = (
        "# Codes\n\nWhat `linad check`, an editor and the decorator report. `linad explain SLUG` prints one page.\n\n"
        "| code | slug | severity | |\n|---|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n\n" + "\n".join(pages)
