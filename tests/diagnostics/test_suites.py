"""The Markdown suites: each program gives exactly the messages that stand below it."""

from pathlib import Path

import pytest

from .suites import Case, cases, regenerate

FILES = sorted((Path(__file__).parent / "suites").glob("*.md"))
CASES = [case for file in FILES for case in cases(file)]


@pytest.fixture(scope="session", autouse=True)
def rewritten(request):
    if request.config.getoption("--regenerate", False):
        for file in FILES:
            regenerate(file)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.file.stem}: {c.name}")
def test_messages(case: Case, request):
    if request.config.getoption("--regenerate", False):
        pytest.skip("regenerated")
    assert case.actual == case.expected


def test_there_are_suites():
    assert len(CASES) >= 40
    assert sum(1 for case in CASES if not case.expected) >= 8, "accepted programs belong here too"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_regenerating_what_is_right_changes_nothing(file, tmp_path):
    copy = tmp_path / file.name
    copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    regenerate(copy)
    assert copy.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")
