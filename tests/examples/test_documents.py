"""The Python in the tutorials runs, in the order in which it stands there."""

import linecache
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]


def python_of(path: Path) -> str:
    """The text with everything but its Python blocks blanked, so that line numbers stay those of the document."""
    lines, inside, kept = path.read_text(encoding="utf-8").splitlines(), False, []
    for line in lines:
        fence = line.startswith("```")
        kept.append(line if inside and not fence else "")
        inside = line.startswith("```python") if fence else inside
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize("document", ["README.md", "docs/first-gradient.md", "docs/ownership.md", "docs/structures.md", "docs/checkpointing.md", "docs/linear-algebra.md", "docs/combinators.md", "docs/derivatives-inside.md", "docs/parallel.md"])
def test_python_of_a_document_runs(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / (re.sub(r"\W", "_", document) + ".py")
    file.write_text(python_of(ROOT / document), encoding="utf-8")
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, file.stem, module)
    linecache.checkcache(str(file))
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", *DOCUMENTS[1:]])
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith("http")]
    missing = [link for link in local if not (path.parent / link).exists()]
    assert not missing


def test_architecture_names_what_is_there() -> None:
    """Every folder and file named in the map exists, and every folder of the product is on the map."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:linad|typecheck|tests|examples|benchmarks|docs)/[\w./-]*)`", text))
    missing = sorted(name for name in named if not (ROOT / name).exists())
    assert not missing
    folders = {
        str(p.relative_to(ROOT)) + "/"
        for top in ("linad", "typecheck/linad_typecheck")
        for p in (ROOT / top).iterdir()
        if p.is_dir() and any(p.glob("*.py"))
    }
    assert not sorted(folders - named)
