// The VS Code side of `linad lsp`: finds the server, starts it, and starts it again when the interpreter changes.
// @ts-check
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** The interpreter that the Python extension has chosen for this window. */
async function interpreter() {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) return undefined;
  try {
    const api = await python.activate();
    const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath());
    return environment?.executable?.uri?.fsPath;
  } catch {
    return undefined; // an older one, without this interface
  }
}

/** The command line of the server. */
async function command() {
  const given = vscode.workspace.getConfiguration("linad").get("command", []);
  if (given.length > 0) return given;
  const python = await interpreter();
  return python ? [python, "-m", "linad_typecheck.cli", "lsp"] : ["linad", "lsp"];
}

async function start() {
  await client?.stop().catch(() => undefined);
  const [program, ...args] = await command();
  client = new LanguageClient(
    "linad",
    "linad",
    { command: program, args },
    {
      documentSelector: [{ language: "python" }],
      initializationOptions: vscode.workspace.getConfiguration("linad"),
    },
  );
  try {
    await client.start();
  } catch (error) {
    const text = `linad: ${program} does not start (${error}). Install it with: pip install "linad[lsp]"`;
    void vscode.window.showWarningMessage(text);
  }
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("linad.restart", start));
  const changed = (event) => event.affectsConfiguration("linad.command") && start();
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(changed));
  const python = vscode.extensions.getExtension("ms-python.python");
  const api = await python?.activate().then(undefined, () => undefined);
  const listen = api?.environments?.onDidChangeActiveEnvironmentPath;
  if (listen) context.subscriptions.push(listen(() => start()));
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
