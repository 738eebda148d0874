"""Names of files that say nothing, and marks of unfinished work."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("linad", "typecheck/linad_typecheck", "tests", "examples", "benchmarks")
ABSTRACT = {"typecheck/linad_typecheck/messages/__init__.py"}  # a base class whose methods each message writes


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


def test_no_name_is_defined_twice() -> None:
    """A second function of the same name would replace the first one, also where that is called further up."""
    found = {}
    for path in files("linad", "typecheck/linad_typecheck"):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for body in (tree.body, *(n.body for n in tree.body if isinstance(n, ast.ClassDef))):
            defs = [n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.decorator_list]
            found[path, len(found)] = [d.name for d in defs]
    for path in files("tests"):
        found[path, 0] = re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert not [(path, n) for (path, _), names in found.items() for n, k in Counter(names).items() if k > 1]
