"""Run the documents and a corpus of programs with the oldest and the newest dependencies that pyproject.toml allows.

``make test-matrix`` runs this. It needs a Python with pip and venv, and a package index. Every Python from 3.11 on that is found runs
the newest versions; the oldest one also runs the oldest, which are the lower bounds of pyproject.toml themselves. What pip cannot
install for one of the other Pythons is said, and is no failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HOME = ROOT / ".venv-matrix"
TESTS = (
    "tests/examples/test_documents.py",
    "tests/codegen/test_numba_compat.py",
    "tests/linalg/test_compiled.py",
    "tests/derivatives/test_special_compiled.py",
    "tests/parallel/test_threads.py",
    "tests/matrix/corpora.py",
)
VERSION = "import sys; print(*sys.version_info[:2], sep='.')"


def pythons() -> dict[str, str]:
    """The Pythons that linad supports and that are found here, by version, the oldest first."""
    names = (sys.executable, *(f"python3.{minor}" for minor in range(11, 20)))
    found: dict[str, str] = {}
    for path in filter(None, map(shutil.which, names)):
        done = subprocess.run([path, "-c", VERSION], capture_output=True, text=True)
        if done.returncode == 0 and _number(done.stdout) >= _number(PROJECT["requires-python"]):
            found.setdefault(done.stdout.strip(), path)
    return dict(sorted(found.items(), key=lambda item: _number(item[0])))


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def oldest() -> list[str]:
    """The lower bounds of the dependencies as requirements."""
    return [re.sub(r"([\w-]+)>=([\d.]+).*", r"\1==\2", requirement) for requirement in PROJECT["dependencies"]]


def environment(python: str, folder: Path, pins: list[str]) -> Path | None:
    """A virtual environment with linad of this checkout in it; None where pip finds no such versions."""
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--only-binary", ":all:"]
    done = subprocess.run([*pip, "--upgrade", "--upgrade-strategy", "eager", "--editable", ROOT, "pytest>=8", "hypothesis>=6.100", *pins])
    return inside if done.returncode == 0 else None


def main() -> int:
    """Make the environments and run the tests in each; the exit code says whether all passed."""
    there = pythons()
    first = next(iter(there))
    results: list[tuple[str, str]] = []
    for version, python in there.items():
        for name, pins in (("oldest", oldest()), ("newest", [])):
            if name == "oldest" and version != first:
                continue
            title = f"Python {version}, {name} versions"
            print(f"\n=== {title}", flush=True)
            folder = HOME / f"{version}-{name}"
            inside = environment(python, folder, pins)
            if inside is None:
                results.append((title, "FAILED to install" if version == first else "not installable"))
                continue
            subprocess.run([inside, "-m", "linad_typecheck.cli", "doctor"], cwd=ROOT)
            started = time.monotonic()
            done = subprocess.run(
                [inside, "-m", "pytest", "-p", "no:cacheprovider", "--disable-warnings", *TESTS],
                cwd=ROOT,
                env={**os.environ, "LINAD_CACHE_DIR": str(folder / "linad-cache")},
            )
            outcome = "passed" if done.returncode == 0 else "FAILED"
            results.append((title, f"{outcome} in {time.monotonic() - started:.0f} s"))
    print()
    for title, outcome in results:
        print(f"{title}: {outcome}")
    return int(any("FAILED" in outcome for _, outcome in results))


if __name__ == "__main__":
    sys.exit(main())
