"""The first answers are those of the server proper, and nothing is lost or said twice where it takes over."""

import ast
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from linad_typecheck.lsp import first
from linad_typecheck.lsp.convert import client_of
from linad_typecheck.lsp.first import Beginning, capabilities
from lsprotocol import types as t
from lsprotocol.converters import get_converter

from .programs import MOVED

ROOT = Path(__file__).parents[2]
URI = "file:///somewhere/program.py"


def framed(*messages: dict) -> bytes:
    data = [json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(d) + d for d in data)


def unframed(data: bytes) -> list[dict]:
    found = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        size = int(head.split(b"Content-Length:")[1].split()[0])
        found.append(json.loads(rest[:size]))
        data = rest[size:]
    return found


def begin(**given) -> dict:
    return {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}, **given}}


DONE = [{"id": 9, "method": "shutdown"}, {"method": "exit"}]
OPENED = {
    "method": "textDocument/didOpen",
    "params": {"textDocument": {"uri": URI, "languageId": "python", "version": 1, "text": MOVED}},
}
INITIALIZED = {"method": "initialized", "params": {}}
PULL = {"general": {"positionEncodings": ["utf-8"]}, "textDocument": {"diagnostic": {}}}


def talk(*messages: dict, raw: bytes = b"") -> tuple[list[dict], int]:
    """What a server process writes, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "linad_typecheck.cli", "lsp"], input=framed(*messages) + raw, capture_output=True, timeout=30
    )
    assert b"closed file" not in done.stderr
    return unframed(done.stdout), done.returncode


def plain(value):
    """Capabilities without what says no: an option that is off, a provider without options."""
    if not isinstance(value, dict):
        return value
    found = {k: plain(v) for k, v in value.items() if v is not None and v is not False}
    return found or True


CLIENTS = [
    {"general": {"positionEncodings": [encoding, "utf-16"]}, "notebookDocument": {"synchronization": {}}}
    for encoding in ("utf-8", "utf-16", "utf-32")
] + [{}, {"textDocument": {"synchronization": {"willSave": True, "willSaveWaitUntil": True}}}]


@pytest.mark.parametrize("client", CLIENTS)
def test_capabilities_are_those_of_the_server_proper(client):
    from linad_typecheck.lsp.server import make

    server = make()
    converter = get_converter()
    given = {"capabilities": client, "processId": None, "rootUri": None}
    steps = server.protocol.lsp_initialize(converter.structure(given, t.InitializeParams))
    try:
        while True:
            next(steps)
    except StopIteration as end:
        proper = converter.unstructure(end.value.capabilities, t.ServerCapabilities)
    assert plain(capabilities(client_of(client))) == plain(proper)


def test_a_pushing_beginning():
    answers, code = talk(begin(), INITIALIZED, OPENED, *DONE)
    assert code == 0
    assert [a.get("id") for a in answers if "result" in a] == [1, 9]
    published = [a["params"] for a in answers if a.get("method") == "textDocument/publishDiagnostics"]
    assert published[0]["uri"] == URI and len(published[0]["diagnostics"]) == 1
    assert [d["code"] for d in published[0]["diagnostics"]] == ["LIN111"]


def test_a_pulling_beginning():
    pull = {"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": URI}}}
    again = {**pull, "id": 3}
    answers, code = talk(begin(capabilities=PULL), INITIALIZED, OPENED, pull, again, *DONE)
    assert code == 0
    results = {a["id"]: a["result"] for a in answers if "result" in a}
    assert sorted(results) == [1, 2, 3, 9] and len([a for a in answers if "result" in a]) == 4
    assert results[2]["items"] == results[3]["items"] and len(results[2]["items"]) == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "strange",
    [
        {"id": 2, "method": "textDocument/hover", "params": {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}},
        {"method": "$/unknown", "params": {}},
        {"id": 2, "method": "no/such/request", "params": {}},
        {"method": "textDocument/didOpen", "params": {}},
        {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///never/opened.py", "version": 1}, "contentChanges": []}},
    ],
    ids=lambda m: m["method"],
)
def test_whatever_comes_is_answered_and_the_conversation_goes_on(strange):
    answers, code = talk(begin(), INITIALIZED, strange, OPENED, *DONE)
    assert code == 0
    if "id" in strange:
        assert [a for a in answers if a.get("id") == 2]
    assert [a for a in answers if a.get("id") == 9]


def test_exit_without_shutdown_and_end_of_input():
    assert talk(begin(), INITIALIZED, {"method": "exit"})[1] == 1
    assert talk()[0] == []
    assert talk(begin())[0][0]["id"] == 1


def test_no_json():
    answers, _ = talk(begin(), raw=b"Content-Length: 3\r\n\r\n{{{" + framed(INITIALIZED, *DONE))
    assert [a for a in answers if a.get("id") == 9]


def test_time_is_kept(monkeypatch):
    """A first look that takes too long shows what it has; the rest is left to the server proper."""
    monkeypatch.setattr(first, "SECONDS", -1e9)
    out = io.BytesIO()
    beginning = Beginning(io.BytesIO(framed(begin(), INITIALIZED, OPENED)), out)
    beginning.hold()
    assert beginning.answered == [1] and beginning.raw == framed(begin(), INITIALIZED, OPENED)
    assert [a.get("method") for a in unframed(out.getvalue())] == [None, "textDocument/publishDiagnostics"]


# ---------------------------------------------------------------------------------------------- who imports what


def test_the_protocol_stays_in_this_package():
    for file in (ROOT / "typecheck/linad_typecheck").rglob("*.py"):
        names = {
            (n.module or "") if isinstance(n, ast.ImportFrom) else n.names[0].name
            for n in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(n, (ast.Import, ast.ImportFrom))
        }
        found = {n for n in names if n.split(".")[0] in ("pygls", "lsprotocol")}
        assert not found or file.name == "server.py" and file.parent.name == "lsp", file


def loaded(statements: str) -> set[str]:
    code = f"{statements}\nimport sys; print(*{{m.split('.')[0] for m in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_first_answers_load_no_library():
    names = loaded("import linad_typecheck.lsp.first, linad_typecheck.lsp.session, linad_typecheck.check")
    assert names.isdisjoint({"pygls", "lsprotocol", "cattrs", "asyncio", "email", "linad", "numpy", "numba"})


def test_answering_loads_no_compiler_and_runs_nothing():
    program = "open('/nowhere/at/all', 'w')\n" + MOVED.replace("    v[0] = 1.0\n", "")
    asked = f"""
from linad_typecheck.lsp.session import Session
s = Session()
s.open("file:///a.py", {program!r})
whole = {{"start": {{"line": 0, "character": 0}}, "end": {{"line": 99, "character": 0}}}}
assert s.hints("file:///a.py", whole) and s.hover("file:///a.py", {{"line": 17, "character": 4}})
"""
    names = loaded(asked)
    assert "linad" in names and names.isdisjoint({"numba", "llvmlite", "numpy", "scipy"})


def test_without_the_library_the_command_says_what_to_install(tmp_path):
    code = (
        "import sys\nsys.modules['pygls'] = None\nimport importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pygls' else find(name, *a)\n"
        "from linad_typecheck.cli import main\nsys.exit(main(['lsp']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, cwd=tmp_path)
    assert done.returncode == 2 and "pip install 'linad[lsp]'" in done.stderr
