"""What the pages and the extension say about editors is what the server understands."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from linad_typecheck.lsp.settings import KINDS, Settings, settings_of

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "howto" / "editors"
EXTENSION = ROOT / "editors" / "vscode"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL)


def test_every_editor_has_a_page_and_every_link_leads_somewhere():
    assert {"vscode.md", "neovim.md", "helix.md", "zed.md", "emacs.md"} <= {p.name for p in PAGES.glob("*.md")}
    for page in PAGES.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page, link)


def test_settings_of_the_pages_are_understood():
    (defaults,) = [json.loads(b) for b in blocks("index.md", "json")]
    assert settings_of(defaults) == Settings()
    (project,) = [tomllib.loads(b) for b in blocks("index.md", "toml")]
    assert project["tool"]["linad"]["ignore"] == ["zero-gradient"]
    helix = tomllib.loads(blocks("helix.md", "toml")[0])["language-server"]["linad"]
    assert (helix["command"], helix["args"]) == ("linad", ["lsp"])
    assert "move" in settings_of(helix["config"]).hints
    (zed,) = [json.loads(b) for b in blocks("zed.md", "json")]
    entry = zed["lsp"]["pylsp"]
    assert entry["binary"]["path"].endswith("linad") and entry["binary"]["arguments"] == ["lsp"]
    assert "move" in settings_of(entry["initialization_options"]).hints
    for page, command in (("neovim.md", "cmd = { 'linad', 'lsp' }"), ("emacs.md", '("linad" "lsp")')):
        assert command in (PAGES / page).read_text(encoding="utf-8")


def test_settings_of_the_extension_are_understood():
    package = json.loads((EXTENSION / "package.json").read_text())
    properties = package["contributes"]["configuration"]["properties"]
    hints = {k.rpartition(".")[2]: v["default"] for k, v in properties.items() if k.startswith("linad.inlayHints.")}
    plain = {k.removeprefix("linad."): v["default"] for k, v in properties.items() if k.count(".") == 1}
    assert settings_of({**plain, "inlayHints": hints}) == Settings()
    assert len(hints) == len(KINDS)
    for kind in hints:
        assert settings_of({"inlayHints": {**hints, kind: not hints[kind]}}) != Settings(), kind


STUBS = """
const load = require("module")._load;
const started = [];
const python = PYTHON;
const vscode = {
  extensions: { getExtension: () => python && { activate: async () => python } },
  workspace: { getConfiguration: () => ({ get: () => GIVEN }), onDidChangeConfiguration: () => ({}) },
  commands: { registerCommand: () => ({}) },
  window: { showWarningMessage: (text) => started.push(text) },
};
class LanguageClient {
  constructor(id, name, server, options) { this.all = { id, server, selector: options.documentSelector }; }
  async start() { started.push(this.all); if (FAILS) throw new Error("no"); }
  async stop() {}
}
require("module")._load = (name, ...rest) =>
  name === "vscode" ? vscode : name.startsWith("vscode-languageclient") ? { LanguageClient } : load(name, ...rest);
const extension = require("EXTENSION");
extension.activate({ subscriptions: [] }).then(() => console.log(JSON.stringify(started)));
"""
CHOSEN = """{ environments: {
  getActiveEnvironmentPath: () => ({}), onDidChangeActiveEnvironmentPath: () => ({}),
  resolveEnvironment: async () => ({ executable: { uri: { fsPath: "/venv/bin/python" } } }) } }"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize(
    ("python", "given", "command"),
    [
        ("undefined", "[]", ["linad", "lsp"]),
        (CHOSEN, "[]", ["/venv/bin/python", "-m", "linad_typecheck.cli", "lsp"]),
        ("{}", "[]", ["linad", "lsp"]),
        (CHOSEN, '["/x/linad", "lsp"]', ["/x/linad", "lsp"]),
    ],
    ids=["bare", "python", "old-python", "given"],
)
@pytest.mark.parametrize("fails", [False, True])
def test_the_extension_starts_the_server(python, given, command, fails):
    script = STUBS.replace("PYTHON", python).replace("GIVEN", given).replace("FAILS", str(fails).lower())
    script = script.replace("EXTENSION", (EXTENSION / "extension.js").as_posix())
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    started = json.loads(done.stdout)
    assert [started[0]["server"]["command"], *started[0]["server"]["args"]] == command
    assert started[0]["selector"] == [{"language": "python"}]
    assert [isinstance(s, str) and "pip install" in s for s in started[1:]] == [True] * fails


@pytest.mark.skipif(not (EXTENSION / "node_modules").is_dir(), reason="needs `npm ci` in editors/vscode")
def test_the_server_answers_the_client_library_of_vscode():
    """Without Node.js the same is asked in `test_clients.py`, by another library."""
    done = subprocess.run(
        ["node", "--test"], cwd=EXTENSION, env=os.environ | {"LINAD_PYTHON": sys.executable}, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_extension_is_packaged_without_its_tests():
    ignored = (EXTENSION / ".vscodeignore").read_text().split()
    package = json.loads((EXTENSION / "package.json").read_text())
    assert package["scripts"]["test"] == "node --test" and not any(x.startswith("!server") for x in ignored)
    assert "](../" not in (EXTENSION / "README.md").read_text()  # such a link cannot be packaged
