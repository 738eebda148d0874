"""What is generated from the tables of codes and of ownership rules: their documents, and the schema of the JSON output;
`--regenerate` writes them."""

import json
from pathlib import Path

import jsonschema
import pytest
from linad_typecheck import check_source
from linad_typecheck.codes import CODES
from linad_typecheck.explain import page, rules_document
from linad_typecheck.render import render_json
from linad_typecheck.render.schema import codes_document, json_schema

from .test_codes import FENCE

DOCS = Path(__file__).parents[2] / "docs"
GENERATED = {
    "reference/codes.md": codes_document,
    "reference/ownership.md": rules_document,
    "reference/check.schema.json": lambda: json.dumps(json_schema(), indent=2) + "\n",
}


@pytest.mark.parametrize("name", GENERATED)
def test_generated_documents_are_up_to_date(name, request):
    if request.config.getoption("--regenerate", False):
        (DOCS / name).write_text(GENERATED[name](), encoding="utf-8")
    assert (DOCS / name).read_text(encoding="utf-8") == GENERATED[name](), "pytest tests/diagnostics --regenerate"


def test_the_output_is_as_the_schema_says():
    schema = json_schema()
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for row in CODES.values():
        for _, program in FENCE.findall(page(row)):
            validator.validate(json.loads(render_json(check_source(program, f"{row.slug}.py"))))


@pytest.mark.parametrize("change", [{"code": "LIN999"}, {"slug": "wrong-type"}, {"more": 1}, {"severity": "fatal"}, {"span": 3}])
def test_the_schema_refuses_other_output(change):
    (found,) = json.loads(render_json(check_source("def f(:\n", "f.py")))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([found | change], json_schema())
