"""The Python in the tutorials runs, in the order in which it stands there."""

import linecache
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]


def python_of(path: Path) -> str:
    """The text with everything but its Python blocks blanked, so that line numbers stay those of the document."""
    lines, inside, kept = path.read_text(encoding="utf-8").splitlines(), False, []
    for line in lines:
        fence = line.startswith("```")
        kept.append(line if inside and not fence else "")
        inside = line == "```python" if fence else inside
    return "\n".join(kept) + "\n"


RUNNING = [d for d in DOCUMENTS if python_of(ROOT / d).strip()]
# of a dozen kernels and more, compiled in thorough runs
PAGES = "howto/custom-rules howto/jacobians reference/linear-algebra reference/structures"
LONG = [f"docs/{page}.md" for page in PAGES.split()]


@pytest.mark.parametrize("document", [pytest.param(d, marks=pytest.mark.thorough) if d in LONG else d for d in RUNNING])
def test_python_of_a_document_runs(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fragments, and programs that are to fail, say so behind ``python`` in their fence."""
    file = tmp_path / (re.sub(r"\W", "_", document) + ".py")
    file.write_text(python_of(ROOT / document), encoding="utf-8")
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, file.stem, module)
    linecache.checkcache(str(file))
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)


@pytest.mark.one_in(4)
@pytest.mark.interpreted
@pytest.mark.parametrize("document", LONG)
def test_python_of_a_long_document_runs(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test_python_of_a_document_runs(document, tmp_path, monkeypatch)


def links_of(path: Path) -> list[str]:
    """The files that a document links to, as it writes them."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    return [link for link in links if not link.startswith("http")]


def anchors_of(path: Path) -> set[str]:
    """What links to places in a document may name: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    seen, waiting = {index}, [index]
    while waiting:
        page = waiting.pop()
        inside = [(page.parent / link).resolve() for link in links_of(page) if link.endswith(".md")]
        waiting += [p for p in inside if p not in seen]
        seen |= {*inside}
    pages = {*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"}
    assert not sorted(pages - seen)


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", *DOCUMENTS])
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    assert not [link for link in links_of(path) if not (path.parent / link).exists()]
    places = re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", path.read_text(encoding="utf-8"))
    local = [(path.parent / file if file else path, place) for file, place in places if not file.startswith("http")]
    assert not [(file.name, place) for file, place in local if place not in anchors_of(file)]


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
