"""The protocol, by pygls: forwards notifications to the session, and sends its answers."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Awaitable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO

from lsprotocol import types as t
from pygls.lsp.server import LanguageServer

from .convert import client_of
from .session import Session
from .settings import settings_of
from .sheet import Json

NAME = "linad"
PAUSE = 0.01  # seconds to wait for further changes before a text is checked
_NOTEBOOKS = t.NotebookDocumentSyncOptions(
    notebook_selector=[
        t.NotebookDocumentFilterWithCells(notebook="*", cells=[t.NotebookCellLanguage(language="python")])
    ]
)


def release() -> str:
    """The version of linad."""
    try:
        return version("linad")
    except PackageNotFoundError:
        return "0"


class Server(LanguageServer):
    """The language server: a session, and the set of documents that have to be checked again."""

    def __init__(self, session: Session | None = None) -> None:
        super().__init__(NAME, release(), notebook_document_sync=_NOTEBOOKS)
        self.session = session or Session()
        self.published: dict[str, tuple[int | None, list[Json]]] = {}  # version and diagnostics, as last sent
        self._changed: set[str] = set()
        self._told: set[str] = set()

    def changed(self, uri: str) -> None:
        """Check a document at the next pause in typing."""
        if not self._changed:
            asyncio.get_running_loop().call_later(PAUSE, self._check)
        self._changed.add(self.session.home(uri))

    def all_changed(self) -> None:
        """Check everything, because settings or files on disk have changed."""
        for home in self.session.homes():
            self.changed(home)
        if self.session.client.pulls and self.session.client.refresh:
            self.workspace_diagnostic_refresh(None)
        if self.session.client.refresh_hints:
            self.workspace_inlay_hint_refresh(None)

    def _check(self) -> None:
        homes, self._changed = self._changed, set()
        for home in homes if not self.protocol._shutdown else ():
            if home not in self.session.documents and home not in self.session.notebooks:
                continue
            wrong = self.session.wrong_settings(home)
            if wrong and wrong not in self._told:
                self._told.add(wrong)
                self.window_log_message(t.LogMessageParams(t.MessageType.Warning, f"linad: {wrong}"))
            if self.session.client.pulls:
                continue  # the client requests diagnostics itself
            for uri, found in self.session.diagnostics(home)[0].items():
                self.publish(uri, found)

    def publish(self, uri: str, found: list[Json]) -> None:
        """Send the diagnostics of a document, unless the client already has them for this version.

        A client may wait for any version, so each one, or a later one, is answered.
        """
        document = self.session.documents.get(uri)
        version = document.version if document else None
        if self.published.get(uri) == (version, found) or not (found or document or uri in self.published):
            return
        self.published[uri] = version, found
        given = {"uri": uri, "diagnostics": found, "version": version}
        self.text_document_publish_diagnostics(self.typed(given, t.PublishDiagnosticsParams))

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a document that the client has closed."""
        if self.published.pop(uri, (None, []))[1]:
            self.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri, []))

    def typed(self, value: object, kind: type) -> Any:
        """JSON converted to a type of the protocol."""
        return self.protocol._converter.structure(value, kind)

    def plain(self, value: object) -> Any:
        """A value of a protocol type converted to JSON."""
        return self.protocol._converter.unstructure(value)


def _place(p: t.Position) -> Json:
    return {"line": p.line, "character": p.character}


def _range(r: t.Range) -> Json:
    return {"start": _place(r.start), "end": _place(r.end)}


def _changes(changes: Any) -> list[Json]:
    return [{"range": _range(c.range) if getattr(c, "range", None) else None, "text": c.text} for c in changes]


def make(session: Session | None = None) -> Server:
    """A server with all its features registered."""
    server = Server(session)
    _documents(server)
    _notebooks(server)
    _questions(server)
    _settings(server)
    return server


# ----------------------------------------------------------------------------------------------------------- documents


def _documents(server: Server) -> None:
    session = server.session

    @server.feature(t.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: t.DidOpenTextDocumentParams) -> None:
        d = params.text_document
        session.open(d.uri, d.text, d.version, d.language_id)
        server.changed(d.uri)

    @server.feature(t.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: t.DidChangeTextDocumentParams) -> None:
        session.change(params.text_document.uri, _changes(params.content_changes), params.text_document.version)
        server.changed(params.text_document.uri)

    @server.feature(t.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: t.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)
        server.closed(params.text_document.uri)

    @server.feature(t.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: t.DidSaveTextDocumentParams) -> None:
        for home in session.homes():  # other open documents may import it; their files' timestamps decide
            server.changed(home)

    @server.feature(t.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def on_disk(params: t.DidChangeWatchedFilesParams) -> None:
        session.forget()
        server.all_changed()


def _notebooks(server: Server) -> None:
    session = server.session

    @server.feature(t.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: t.DidOpenNotebookDocumentParams) -> None:
        for d in params.cell_text_documents:
            session.open(d.uri, d.text, d.version, d.language_id)
        notebook = params.notebook_document
        session.notebooks[notebook.uri] = _code(notebook.cells)
        server.changed(notebook.uri)

    @server.feature(t.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: t.DidChangeNotebookDocumentParams) -> None:
        uri = params.notebook_document.uri
        cells = params.change.cells
        for d in (cells.structure.did_open or ()) if cells and cells.structure else ():
            session.open(d.uri, d.text, d.version, d.language_id)
        for content in (cells.text_content or ()) if cells else ():
            session.change(content.document.uri, _changes(content.changes), content.document.version)
        known = server.workspace.get_notebook_document(notebook_uri=uri)
        session.notebooks[uri] = _code(known.cells) if known else []
        for d in (cells.structure.did_close or ()) if cells and cells.structure else ():
            session.close(d.uri)
            server.closed(d.uri)
        server.changed(uri)

    @server.feature(t.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: t.DidCloseNotebookDocumentParams) -> None:
        cells = session.notebooks.get(params.notebook_document.uri, [])
        session.close_notebook(params.notebook_document.uri)
        for uri in cells:
            server.closed(uri)


def _code(cells: Any) -> list[str]:
    return [c.document for c in cells if c.kind == t.NotebookCellKind.Code]


# ------------------------------------------------------------------------------------------------------------ requests


def _questions(server: Server) -> None:
    session = server.session
    options = t.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME)

    @server.feature(t.TEXT_DOCUMENT_DIAGNOSTIC, options)
    def pulled(params: t.DocumentDiagnosticParams) -> Any:
        found = session.pulled(params.text_document.uri, params.previous_result_id)
        full = found["kind"] == "full"
        return server.typed(
            found, t.RelatedFullDocumentDiagnosticReport if full else t.RelatedUnchangedDocumentDiagnosticReport
        )

    @server.feature(t.TEXT_DOCUMENT_HOVER)
    def hovered(params: t.HoverParams) -> Any:
        found = session.hover(params.text_document.uri, _place(params.position))
        return server.typed(found, t.Hover) if found else None

    @server.feature(t.TEXT_DOCUMENT_DEFINITION)
    def defined(params: t.DefinitionParams) -> Any:
        found = session.definition(params.text_document.uri, _place(params.position))
        return [server.typed(x, t.Location) for x in found]

    @server.feature(t.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(params: t.InlayHintParams) -> Any:
        found = session.hints(params.text_document.uri, _range(params.range))
        return [server.typed(x, t.InlayHint) for x in found]

    kinds = [t.CodeActionKind.QuickFix, "source.fixAll.linad"]

    @server.feature(t.TEXT_DOCUMENT_CODE_ACTION, t.CodeActionOptions(code_action_kinds=kinds))
    def repaired(params: t.CodeActionParams) -> Any:
        only = [str(getattr(k, "value", k)) for k in params.context.only] if params.context.only is not None else None
        found = session.actions(params.text_document.uri, _range(params.range), only)
        return [server.typed(x, t.CodeAction) for x in found]


# ------------------------------------------------------------------------------------------------------------ settings


def _settings(server: Server) -> None:
    session = server.session

    @server.feature(t.INITIALIZE)
    def begin(params: t.InitializeParams) -> None:
        session.client = client_of(server.plain(params.capabilities))
        session.settings = settings_of(params.initialization_options)

    @server.feature(t.INITIALIZED)
    async def begun(params: t.InitializedParams) -> None:
        gc.freeze()  # modules live forever: exclude them from collections
        watched = server.client_capabilities.workspace
        watched = watched.did_change_watched_files if watched else None
        if watched and watched.dynamic_registration:
            watchers = [t.FileSystemWatcher(glob_pattern=p) for p in ("**/*.py", "**/pyproject.toml")]
            options = t.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            one = t.Registration("linad-files", t.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await _asked(server.client_register_capability_async(t.RegistrationParams([one])))
        if session.client.configuration:
            await _ask_settings()

    @server.feature(t.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def set_(params: t.DidChangeConfigurationParams) -> None:
        if session.client.configuration:
            await _ask_settings()
        else:
            _take(server.plain(params.settings))

    async def _ask_settings() -> None:
        item = t.ConfigurationItem(section="linad")
        found = await _asked(server.workspace_configuration_async(t.ConfigurationParams([item])))
        if found and found[0] is not None:
            _take(server.plain(found[0]))

    def _take(given: object) -> None:
        new = settings_of(given)
        if new != session.settings:
            session.settings = new
            server.all_changed()


async def _asked(answer: Awaitable[Any]) -> Any:
    """The answer of a client; None if it refuses."""
    try:
        return await answer
    except Exception as error:
        logging.getLogger(__name__).warning("the client refuses: %s", error)
        return None


def run(stdin: BinaryIO, stdout: BinaryIO, session: Session | None = None) -> int:
    """Serve until the client exits. Returns the exit code: 1 if it left without `exit`."""
    logging.getLogger("pygls").setLevel(os.environ.get("LINAD_LSP_LOG", "ERROR"))
    server = make(session)
    server.start_io(stdin, stdout)
    return 0 if server.protocol._shutdown else 1
