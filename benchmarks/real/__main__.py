"""`python -m benchmarks.real`: install the packages apart, try their functions, and print the table.

The packages go into an environment of their own (``--venv``), made at the first run; nothing of their text is kept. What was
found is written to ``benchmarks/results/real.json``, and the table to ``benchmarks/results/real.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.real.choose import PER_PACKAGE, held_out

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "benchmarks" / "results"
LIMIT = 900  # seconds for the choice of functions of a package
VERDICTS = ("unchanged", "trivial", "refused", "disagrees")
Row = dict[str, Any]


def packages() -> list[str]:
    lines = (HERE / "packages.txt").read_text().splitlines()
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def environment(folder: Path, wanted: list[str]) -> Path:
    """The Python of an environment with the packages, and with the versions of NumPy and Numba that are in use here."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    ours = ("numpy", "numba", "scipy", "llvmlite", "jaxtyping", "platformdirs")
    done = folder / "tried.txt"
    known = set(done.read_text().split()) if done.exists() else set()
    pins = folder / "constraints.txt"
    pins.write_text("".join(f"{name}=={version(name)}\n" for name in ours))
    for name in [n for n in (*ours, *wanted) if n not in known]:
        told = subprocess.run([python, "-m", "pip", "install", "-q", "-c", pins, name], capture_output=True, text=True, timeout=900)
        print(f"{name}: {'installed' if told.returncode == 0 else 'cannot be installed here'}", flush=True)
        with done.open("a") as f:
            f.write(f"{name}\n")
    return python


def tried(python: Path, package: str, quick: bool, count: int, limit: float) -> list[Row]:
    """The functions of a package, each with its verdict; one that ends the process is a row of its own.

    Which of them were chosen is kept next to the environment: most of the time goes into the search for arguments.
    """
    rows: list[Row] = []
    skip: list[str] = []
    memory = python.parent.parent / "chosen" / f"{package}.json"
    kept = json.loads(memory.read_text())[:count] if memory.exists() else None
    end = time.monotonic() + limit * (1 if kept is None else 5)
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "typecheck")))
    settings = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            task = {"package": package, "skip": skip, "quick": quick, "chosen": len(rows), "count": count, "kept": kept}
            command = [python, "-m", "benchmarks.real.worker", json.dumps(task)]
            try:
                out = subprocess.run(
                    command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=settings, timeout=end - time.monotonic()
                )
                text, code = out.stdout, out.returncode
            except subprocess.TimeoutExpired as late:
                text, code = late.stdout or b"", 0
            lines = [json.loads(line) for line in text.decode().splitlines() if line.endswith("}")]
            rows += [line for line in lines if "verdict" in line]
            if code == 0:
                break
            begun = [line.get("begins") or line.get("chosen") for line in lines if "verdict" not in line]
            if not begun:
                break
            if "chosen" in lines[-1]:
                rows.append({"name": begun[-1], "verdict": "disagrees", "cause": f"the process ends with {code}"})
            skip += [line["begins"] for line in lines if "begins" in line]
    if kept is None:
        memory.parent.mkdir(exist_ok=True)
        memory.write_text(json.dumps([row["name"] for row in rows]))
    return [{**row, "package": package, "verdict": row["verdict"].replace("accepted", "unchanged")} for row in rows]


def table(rows: list[Row]) -> str:
    """The verdicts by package, and the causes of refusals in the packages that are not held out."""
    groups = {name: [r for r in rows if r["package"] == name] for name in dict.fromkeys(r["package"] for r in rows)}
    for name, is_held in (("held out", True), ("not held out", False)):
        groups[name] = [r for r in rows if held_out(r["package"]) is is_held]
    groups["all"] = rows
    lines = [f"| package | functions | {' | '.join(VERDICTS)} | s |", "|---|" + "---:|" * (2 + len(VERDICTS))]
    for name, mine in groups.items():
        counts = Counter(r["verdict"] for r in mine)
        seconds = [r["seconds"] for r in mine if "seconds" in r]
        time = f"{median(seconds):.1f}" if seconds else ""
        lines.append(f"| {name} | {len(mine)} | {' | '.join(str(counts[v]) for v in VERDICTS)} | {time} |")
    for name in ("held out", "not held out", "all"):
        total, counts = max(1, len(groups[name])), Counter(r["verdict"] for r in groups[name])
        unchanged, after = counts["unchanged"] / total, (counts["unchanged"] + counts["trivial"]) / total
        lines += ["", f"Packages ({name}): {unchanged:.0%} unchanged, {after:.0%} after a trivial change."]
    lines += ["", "| not accepted | why |", "|---|---|"]
    lines += [f"| `{r['name']}` | {cause(r)} |" for r in rows if r["verdict"] != "unchanged" and not held_out(r["package"])]
    return "\n".join(lines) + "\n"


def cause(row: Row) -> str:
    kind = "" if row["verdict"] == "refused" else f"{row['verdict']}: "
    first = (kind + row.get("cause", "")).splitlines()[0]
    return re.sub(r" at /\S*/", " at ", first).replace("|", "\\|")  # where the packages are installed says nothing


def record(rows: list[Row]) -> None:
    """The table in the documentation, in place of the one that is there."""
    page = ROOT / "docs" / "howto" / "other-peoples-code.md"
    head = page.read_text().partition(RECORDED)[0]
    found = f"{time.strftime('%d %B %Y')}: Python {sys.version.split()[0]}, NumPy {version('numpy')}; {len(rows)} functions of {len({r['package'] for r in rows})} packages."
    page.write_text(f"{head.rstrip()}\n\n{RECORDED}\n{found}\n\n{table(rows)}")


RECORDED = "## The last run\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="those of packages.txt by default")
    parser.add_argument("--venv", type=Path, default=ROOT / "build" / "real", help="where the packages are installed")
    parser.add_argument("--quick", action="store_true", help="check only: nothing is compiled or compared")
    parser.add_argument("--count", type=int, default=PER_PACKAGE, help="at most so many functions of a package")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for the choice of functions of a package")
    parser.add_argument("--record", action="store_true", help="write the table into docs/howto/other-peoples-code.md, too")
    options = parser.parse_args()
    wanted = options.packages or packages()
    python = environment(options.venv.absolute(), wanted)
    rows: list[Row] = []
    RESULTS.mkdir(exist_ok=True)
    for package in wanted:
        rows += tried(python, package, options.quick, options.count, options.limit)
        print(f"{package}: {sum(r['package'] == package for r in rows)} functions", file=sys.stderr, flush=True)
        (RESULTS / "real.json").write_text(json.dumps(rows, indent=1))
    text = table(rows)
    (RESULTS / "real.md").write_text(text)
    if options.record:
        record(rows)
    print(text)


if __name__ == "__main__":
    main()
