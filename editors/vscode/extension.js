// Starts `modular lsp` for Python files, and does what only an editor can do.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// The server's commands are registered by the client; two of them need the editor's help.
async function executeCommand(command, given, next) {
  if (command === "modular.convert" && given.length === 0) {
    const editor = vscode.window.activeTextEditor;
    return editor && next(command, [editor.document.uri.toString()]);
  }
  if (command === "modular.showReferences") {
    const [uri, position, locations] = given;
    const convert = client.protocol2CodeConverter;
    const found = locations.map((each) => convert.asLocation(each));
    const at = convert.asPosition(position);
    return vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(uri), at, found);
  }
  return next(command, given);
}

function activate() {
  const settings = vscode.workspace.getConfiguration("modular");
  const [command, ...args] = settings.get("command");
  client = new LanguageClient(
    "modular",
    "modular",
    { command, args },
    {
      documentSelector: [{ scheme: "file", language: "python" }],
      initializationOptions: { convertOnSave: settings.get("convertOnSave") },
      synchronize: { configurationSection: "modular" },
      middleware: { executeCommand },
    },
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
