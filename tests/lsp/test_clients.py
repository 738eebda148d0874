"""Whole conversations with the server process, as editors hold them: with the capabilities that each announces."""

import asyncio
import sys
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as t
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from ..examples_of import some
from .programs import GOOD, MOVED


def a_client() -> LanguageClient:
    client = make_test_lsp_client()
    client.registered = []

    @client.feature(t.CLIENT_REGISTER_CAPABILITY)
    def register(params: t.RegistrationParams) -> None:
        client.registered += [r.method for r in params.registrations]

    return client


SERVER = ClientServerConfig(
    server_command=[sys.executable, "-m", "linad_typecheck.cli", "lsp", "--stdio"], client_factory=a_client
)
pytestmark = pytest.mark.asyncio


def helix() -> t.ClientCapabilities:
    """What Helix announces, as far as it matters here: UTF-8 first, pushed diagnostics, hints, no related places."""
    return t.ClientCapabilities(
        general=t.GeneralClientCapabilities(position_encodings=["utf-8", "utf-32", "utf-16"]),
        workspace=t.WorkspaceClientCapabilities(configuration=True, inlay_hint=t.InlayHintWorkspaceClientCapabilities(False)),
        text_document=t.TextDocumentClientCapabilities(
            publish_diagnostics=t.PublishDiagnosticsClientCapabilities(version_support=True),
            hover=t.HoverClientCapabilities(content_format=[t.MarkupKind.Markdown]),
            inlay_hint=t.InlayHintClientCapabilities(),
            code_action=t.CodeActionClientCapabilities(
                code_action_literal_support=t.ClientCodeActionLiteralOptions(t.ClientCodeActionKindOptions(["quickfix"]))
            ),
        ),
    )


def zed() -> t.ClientCapabilities:
    """What Zed announces, as far as it matters here: pulled diagnostics with refresh, related places, versioned edits."""
    return t.ClientCapabilities(
        general=t.GeneralClientCapabilities(position_encodings=["utf-16"]),
        workspace=t.WorkspaceClientCapabilities(
            configuration=True,
            diagnostics=t.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            workspace_edit=t.WorkspaceEditClientCapabilities(document_changes=True),
        ),
        text_document=t.TextDocumentClientCapabilities(
            diagnostic=t.DiagnosticClientCapabilities(related_document_support=True),
            publish_diagnostics=t.PublishDiagnosticsClientCapabilities(related_information=True),
            hover=t.HoverClientCapabilities(content_format=[t.MarkupKind.Markdown]),
            code_action=t.CodeActionClientCapabilities(
                code_action_literal_support=t.ClientCodeActionLiteralOptions(t.ClientCodeActionKindOptions(["quickfix"]))
            ),
        ),
    )


CLIENTS = {
    "vscode": lambda: client_capabilities("visual-studio-code"),
    "neovim": lambda: client_capabilities("neovim@v0.11"),
    "neovim-0.6": lambda: client_capabilities("neovim@v0.6"),
    "emacs": lambda: client_capabilities("emacs"),
    "helix": helix,
    "zed": zed,
    "bare": t.ClientCapabilities,
}


@pytest_lsp.fixture(config=SERVER, params=some(CLIENTS, 4))
async def client(lsp_client: LanguageClient, request):
    capabilities = CLIENTS[request.param]()
    answer = await lsp_client.initialize_session(t.InitializeParams(capabilities=capabilities))
    lsp_client.answer = answer
    yield
    await lsp_client.shutdown_session()


def open_(client: LanguageClient, uri: str, text: str) -> None:
    item = t.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    client.text_document_did_open(t.DidOpenTextDocumentParams(item))


def replace_all(client: LanguageClient, uri: str, text: str, version: int) -> None:
    identifier = t.VersionedTextDocumentIdentifier(version, uri)
    change = t.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(t.DidChangeTextDocumentParams(identifier, [change]))


def pulls(client: LanguageClient) -> bool:
    return client.capabilities.text_document is not None and client.capabilities.text_document.diagnostic is not None


async def diagnostics(client: LanguageClient, uri: str, count: int) -> list[t.Diagnostic]:
    """The diagnostics of a document when there are so many, by the way that the client learns of them."""
    found: list[t.Diagnostic] = []
    for _ in range(600):  # half a minute, on a machine that is busy otherwise
        if pulls(client):
            params = t.DocumentDiagnosticParams(t.TextDocumentIdentifier(uri))
            found = list((await client.text_document_diagnostic_async(params)).items)
        else:
            found = list(client.diagnostics.get(uri, [None] * (count + 1)))
        if len(found) == count:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"{len(found)} diagnostics, not {count}")


def line_of(text: str, part: str) -> int:
    return next(k for k, line in enumerate(text.splitlines()) if part in line)


async def test_a_whole_conversation(client: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "program.py").as_uri()
    text = MOVED.replace("return u[0] + v[1]", 'assert v[0] > 0.0, "\u00e9\U0001f600"; return u[1]')
    line, column = line_of(text, "assert"), text.splitlines()[line_of(text, "assert")].index("u[1]")
    encoding = client.answer.capabilities.position_encoding or "utf-16"
    column += {"utf-8": 4, "utf-16": 1, "utf-32": 0}[encoding]
    open_(client, uri, text)

    (found,) = await diagnostics(client, uri, 1)
    assert (found.code, found.source, found.range.start) == ("LIN111", "linad", t.Position(line, column))
    if not found.related_information:
        assert "updated here" in found.message

    place = t.Position(line, column)
    hover = await client.text_document_hover_async(t.HoverParams(t.TextDocumentIdentifier(uri), place))
    assert "array of float64 of rank 1" in hover.contents.value

    places = await client.text_document_definition_async(t.DefinitionParams(t.TextDocumentIdentifier(uri), place))
    assert {x.range.start.line for x in places} == {line_of(text, "v = u"), line_of(text, "v[0] = 1.0")}

    context = t.CodeActionContext(diagnostics=[found])
    params = t.CodeActionParams(t.TextDocumentIdentifier(uri), t.Range(place, place), context)
    actions = await client.text_document_code_action_async(params) or []
    code_action = client.capabilities.text_document and client.capabilities.text_document.code_action
    if code_action and code_action.code_action_literal_support:
        assert "keep the old values with a copy" in [a.title for a in actions]

    replace_all(client, uri, text.replace("v = u", "v = u.copy()").replace("return u[1]", "return v[1]"), 2)
    assert await diagnostics(client, uri, 0) == []

    replace_all(client, uri, GOOD, 3)
    whole = t.Range(t.Position(0, 0), t.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(t.InlayHintParams(t.TextDocumentIdentifier(uri), whole))
    assert any("dup d" in h.label for h in hints)

    workspace = client.capabilities.workspace
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        assert client.registered == [t.WORKSPACE_DID_CHANGE_WATCHED_FILES]
    client.text_document_did_close(t.DidCloseTextDocumentParams(t.TextDocumentIdentifier(uri)))


@pytest.mark.parametrize("client", ["vscode", "helix", "zed"], indirect=True)
async def test_a_notebook(client: LanguageClient):
    book = "file:///somewhere/book.ipynb"
    head, _, rest = MOVED.partition("@linear_grad")
    texts = {f"{book}#1": "%time\n" + head, f"{book}#2": "@linear_grad" + rest}
    cells = [t.NotebookCell(kind=t.NotebookCellKind.Code, document=uri) for uri in texts]
    documents = [t.TextDocumentItem(uri, "python", 1, text) for uri, text in texts.items()]
    notebook = t.NotebookDocument(uri=book, notebook_type="jupyter-notebook", version=1, cells=cells)
    client.notebook_document_did_open(t.DidOpenNotebookDocumentParams(notebook, documents))
    (found,) = await diagnostics(client, f"{book}#2", 1)
    assert found.range.start.line == line_of(texts[f"{book}#2"], "return")

    # a cell before it is taken away, and the text of the other is edited
    array = t.NotebookCellArrayChange(start=0, delete_count=1, cells=[])
    closed = [t.TextDocumentIdentifier(f"{book}#1")]
    structure = t.NotebookDocumentCellChangeStructure(array=array, did_close=closed)
    change = t.NotebookDocumentChangeEvent(cells=t.NotebookDocumentCellChanges(structure=structure))
    identifier = t.VersionedNotebookDocumentIdentifier(uri=book, version=2)
    client.notebook_document_did_change(t.DidChangeNotebookDocumentParams(identifier, change))
    assert await diagnostics(client, f"{book}#2", 0) == []  # `linear_grad` has no meaning now
    opened = [t.TextDocumentItem(f"{book}#3", "python", 1, head)]
    array = t.NotebookCellArrayChange(
        start=0, delete_count=0, cells=[t.NotebookCell(kind=t.NotebookCellKind.Code, document=f"{book}#3")]
    )
    structure = t.NotebookDocumentCellChangeStructure(array=array, did_open=opened)
    change = t.NotebookDocumentChangeEvent(cells=t.NotebookDocumentCellChanges(structure=structure))
    identifier = t.VersionedNotebookDocumentIdentifier(uri=book, version=3)
    client.notebook_document_did_change(t.DidChangeNotebookDocumentParams(identifier, change))
    assert len(await diagnostics(client, f"{book}#2", 1)) == 1
    client.notebook_document_did_close(
        t.DidCloseNotebookDocumentParams(
            t.NotebookDocumentIdentifier(book), [t.TextDocumentIdentifier(f"{book}#{k}") for k in (2, 3)]
        )
    )


@pytest_lsp.fixture(config=SERVER)
async def configured(lsp_client: LanguageClient):
    lsp_client.set_configuration({"ignore": ["shared-update"]}, section="linad")
    workspace = t.WorkspaceClientCapabilities(configuration=True)
    await lsp_client.initialize_session(t.InitializeParams(capabilities=t.ClientCapabilities(workspace=workspace)))
    yield
    await lsp_client.shutdown_session()


async def test_settings_are_asked_for(configured: LanguageClient, tmp_path: Path):
    uri = (tmp_path / "program.py").as_uri()
    open_(configured, uri, MOVED)
    assert await diagnostics(configured, uri, 0) == []
    configured.set_configuration({"ignore": []}, section="linad")
    configured.workspace_did_change_configuration(t.DidChangeConfigurationParams(settings=None))
    assert len(await diagnostics(configured, uri, 1)) == 1
