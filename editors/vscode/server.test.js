// A conversation with `linad lsp` through the library that VS Code's client is made of, with what VS Code announces.
// `npm test` runs it, and so does tests/lsp/test_editors.py where `npm ci` has been run; LINAD_PYTHON names the interpreter.
// @ts-check
"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const test = require("node:test");
const lsp = require("vscode-languageserver-protocol/node");

const URI = "file:///somewhere/model.py";
const TEXT = `import numpy as np
from jaxtyping import Float64
from linad import linear_grad

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = u
    v[0] = 1.0
    return u[0] + v[1]
`;

/** What VS Code announces, as far as the server looks at it. */
const capabilities = {
  general: { positionEncodings: ["utf-16"] },
  workspace: {
    configuration: true,
    workspaceEdit: { documentChanges: true },
    diagnostics: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
  },
  textDocument: {
    publishDiagnostics: { relatedInformation: true, versionSupport: true, tagSupport: { valueSet: [1, 2] } },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source.fixAll"] } } },
    hover: { contentFormat: ["markdown", "plaintext"] },
    inlayHint: { dynamicRegistration: true },
  },
  notebookDocument: { synchronization: { dynamicRegistration: true } },
};

test("the server answers VS Code's client", { timeout: 60000 }, async () => {
  const python = process.env.LINAD_PYTHON ?? "python3";
  const server = spawn(python, ["-m", "linad_typecheck.cli", "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout),
    new lsp.StreamMessageWriter(server.stdin),
  );
  connection.onRequest(lsp.ConfigurationRequest.type, (asked) => asked.items.map(() => null));
  connection.onRequest(lsp.RegistrationRequest.type, () => {});
  connection.onRequest(lsp.DiagnosticRefreshRequest.type, () => {});
  connection.onRequest(lsp.InlayHintRefreshRequest.type, () => {});
  connection.listen();

  const begun = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid, clientInfo: { name: "Visual Studio Code", version: "1.99.0" }, locale: "en",
    rootUri: null, workspaceFolders: null, trace: "off", initializationOptions: { inlayHints: { moves: true } }, capabilities,
  });
  assert.equal(begun.capabilities.positionEncoding, "utf-16");
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const textDocument = { uri: URI, languageId: "python", version: 1, text: TEXT };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });

  const report = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri: URI } });
  assert.equal(report.kind, "full");
  assert.deepEqual(report.items.map((d) => [d.code, d.range.start]), [["LIN101", { line: 9, character: 11 }]]);
  assert.equal(report.items[0].relatedInformation.length, 2);

  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri: URI }, range: report.items[0].range, context: { diagnostics: report.items },
  });
  const fix = actions.find((a) => a.title === "keep the old values with a copy");
  assert.deepEqual(fix.edit.documentChanges[0].edits.map((e) => e.newText), [".copy()"]);

  const at = { textDocument: { uri: URI }, position: { line: 9, character: 11 } };
  const hover = await connection.sendRequest(lsp.HoverRequest.type, at);
  assert.match(hover.contents.value, /array of float64 of rank 1/);
  const places = await connection.sendRequest(lsp.DefinitionRequest.type, at);
  assert.deepEqual(places.map((p) => p.range.start.line).sort(), [7, 8]);

  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: URI, version: 2 },
    contentChanges: [{ range: { start: { line: 7, character: 9 }, end: { line: 7, character: 9 } }, text: ".copy()" }],
  });
  const after = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri: URI } });
  assert.deepEqual(after.items, []);

  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.equal(code, 0);
});
