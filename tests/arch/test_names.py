"""Names of files that say nothing, and marks of unfinished work."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("linad", "typecheck/linad_typecheck", "tests", "examples", "benchmarks")
ABSTRACT = {"typecheck/linad_typecheck/messages/__init__.py"}   # a base class whose methods each message writes


def files(*folders: str) -> set[str]:
    return {str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*.py")}


def test_nothing_is_called_utils() -> None:
    assert not [path for path in files(*FOLDERS) if Path(path).stem in {"utils", "util", "helpers", "misc"}]


def test_nothing_is_left_for_later() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "raise NotImplemented" + "Error", "X" * 3)
    product = sorted(files("linad", "typecheck/linad_typecheck") - ABSTRACT)
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in product}
    found = [f"{path}: {mark}" for path, text in texts.items() for mark in marks if mark in text]
    assert not found, "\n".join(found)
