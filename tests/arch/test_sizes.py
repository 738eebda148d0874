"""Files stay short enough to read in one sitting."""

import statistics
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("linad", "typecheck/linad_typecheck", "tests", "examples", "benchmarks")
LIMIT = 500
EXCEPTIONS: dict[str, str] = {}                 # path: reason, for tables of rules only
ABSTRACT = {"typecheck/linad_typecheck/messages/__init__.py"}   # a base class whose methods each message writes


def lengths(*folders: str) -> dict[str, int]:
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}


def test_no_file_is_long() -> None:
    found = lengths(*FOLDERS)
    assert found, "no files seen"
    offenders = {path: n for path, n in found.items() if n > LIMIT and path not in EXCEPTIONS}
    assert not offenders, "\n".join(f"{path}: {n} lines" for path, n in sorted(offenders.items()))


def test_most_files_are_short() -> None:
    product = [n for n in lengths("linad", "typecheck/linad_typecheck").values() if n > 5]
    assert statistics.median(product) <= 200


def test_nothing_is_called_utils() -> None:
    assert not [path for path in lengths(*FOLDERS) if Path(path).stem in {"utils", "util", "helpers", "misc"}]


def test_nothing_is_left_for_later() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "raise NotImplemented" + "Error", "X" * 3)
    product = sorted(set(lengths("linad", "typecheck/linad_typecheck")) - ABSTRACT)
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in product}
    found = [f"{path}: {mark}" for path, text in texts.items() for mark in marks if mark in text]
    assert not found, "\n".join(found)
