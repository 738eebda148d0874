"""The table of codes, the messages and the pages stay in step, and each page's programs do what it says."""

import importlib
import pkgutil
import re
from collections import Counter
from importlib import resources
from pathlib import Path

import linad_typecheck.explain
import linad_typecheck.messages
import pytest
from linad_typecheck import check_source
from linad_typecheck.codes import CODES
from linad_typecheck.explain import page
from linad_typecheck.messages import Message

# Reported at run time, where there is a live function; `linad` builds these without a message class.
RUN_TIME = {"no-source", "source-changed", "no-gradient", "non-scalar-loss"}
FACTS = {slug for slug, row in CODES.items() if row.severity == "information"}  # their programs: tests/cli/test_facts.py
NO_PROGRAM = {*RUN_TIME, *FACTS, "internal-error"}
FENCE = re.compile(r"^```python (fail|ok)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def message_classes() -> set[type[Message]]:
    for module in pkgutil.iter_modules(linad_typecheck.messages.__path__):
        importlib.import_module(f"linad_typecheck.messages.{module.name}")
    pending, found = [Message], set()
    while pending:
        inner = pending.pop().__subclasses__()
        pending += inner
        found |= set(inner)
    return found


def test_codes_are_unique_and_well_formed():
    rows = list(CODES.values())
    assert not [c for c, n in Counter(r.code for r in rows).items() if n > 1]
    assert all(re.fullmatch(r"LIN[1-9]\d\d", r.code) and re.fullmatch(r"[a-z]+(-[a-z]+)*", r.slug) for r in rows)
    assert all(r.summary[0].islower() or r.summary[0] == "`" for r in rows)
    assert all(not r.summary.endswith(".") for r in rows)


def test_every_code_has_a_message_and_every_message_a_code():
    slugs = {c.slug for c in message_classes()}
    assert slugs | RUN_TIME == set(CODES)


def test_refusals_at_run_time_use_codes_of_the_table():
    folder = Path(__file__).parents[2] / "linad"
    used = {slug for f in folder.rglob("*.py") for slug in re.findall(r'refusal\(\s*"([a-z-]+)"', f.read_text(encoding="utf-8"))}
    assert RUN_TIME <= used <= set(CODES)


def test_every_code_has_a_page():
    folder = resources.files(linad_typecheck.explain)
    names = {f.name.removesuffix(".md") for f in folder.iterdir() if f.name.endswith(".md")}
    assert names == set(CODES)


@pytest.mark.parametrize("slug", sorted(CODES))
def test_programs_of_the_page(slug):
    found = FENCE.findall(page(CODES[slug]))
    kinds = [kind for kind, _ in found]
    assert ("fail" in kinds and "ok" in kinds) or slug in NO_PROGRAM
    for kind, program in found:
        reported = [d.slug for d in check_source(program, f"{slug}.py")]
        assert reported == ([slug] if kind == "fail" else []), program
