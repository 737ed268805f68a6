// Starts `modular lsp`, shows its state, and does what only an editor can do.
"use strict";

const vscode = require("vscode");
const { LanguageClient, RevealOutputChannelOn, State } = require("vscode-languageclient/node");
const { findCommand } = require("./interpreter");
const { Preview } = require("./preview");

let client;
let status;
let output;

let lastModularFile;
let isWanted = false;

// Remembers the file of an editor if it is a modular file. That completes a step of the walkthrough in package.json.
// Returns whether it is one.
function remember(editor) {
  if (!editor || !/[\\/]modular_[^\\/]*\.py$/.test(editor.document.uri.fsPath)) {
    return false;
  }
  lastModularFile = editor.document.uri;
  vscode.commands.executeCommand("setContext", "modular.hasOpenedFile", true);
  return true;
}

// Whether a folder of the workspace has a modular file, or settings of modular. Without them, the extension does nothing.
async function isModularWorkspace() {
  const found = await vscode.workspace.findFiles("**/modular_*.py", "**/{node_modules,.venv,venv}/**", 1);
  if (found.length) {
    return true;
  }
  for (const folder of vscode.workspace.workspaceFolders || []) {
    try {
      const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, "pyproject.toml"));
      if (/^\s*\[tool\.modular[\].]/m.test(Buffer.from(bytes).toString())) {
        return true;
      }
    } catch {
      // The folder has no such file.
    }
  }
  return false;
}

// Starts the server the first time that it is of use: for a modular file, or a workspace that has some.
async function startIfWanted(editor) {
  if (isWanted || !(remember(editor) || (await isModularWorkspace()))) {
    return;
  }
  await restart();
}

// Starts the server again, but only if it has been started.
function restartIfWanted() {
  return isWanted ? restart() : Promise.resolve();
}

// The editor that a command is about. The walkthrough is no editor of text: its commands are about the last modular file.
async function currentEditor() {
  if (vscode.window.activeTextEditor) {
    return vscode.window.activeTextEditor;
  }
  if (lastModularFile) {
    return vscode.window.showTextDocument(lastModularFile);
  }
  vscode.window.showInformationMessage("Open a file called modular_<model>.py first.");
  return undefined;
}

async function convertCurrentFile(next) {
  const editor = await currentEditor();
  return editor && next("modular.convert", [editor.document.uri.toString()]);
}

async function showPreview(preview) {
  const editor = await currentEditor();
  return editor && preview.open(editor);
}

// The server's commands are registered by the client; two of them need the editor's help.
function executeCommand(command, given, next) {
  if (command === "modular.convert" && given.length === 0) {
    return convertCurrentFile(next);
  }
  if (command === "modular.showReferences") {
    const [uri, position, locations] = given;
    const convert = client.protocol2CodeConverter;
    const places = locations.map((location) => convert.asLocation(location));
    const at = convert.asPosition(position);
    return vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(uri), at, places);
  }
  return next(command, given);
}

function show(icon, text, tooltip) {
  status.text = `$(${icon}) modular`;
  status.tooltip = `${text}${tooltip ? `\n${tooltip}` : ""}`;
  status.show();
}

const STATES = {
  [State.Starting]: ["sync~spin", "modular is starting"],
  [State.Running]: ["check", "modular is running"],
  [State.Stopped]: ["error", "modular has stopped"],
};

// Shows why the server was not started. "Retry" is for after the user has installed it.
async function offerRetry(problem) {
  const choice = await vscode.window.showErrorMessage(problem, "Retry", "Open Settings");
  if (choice === "Retry") {
    restart();
  }
  if (choice === "Open Settings") {
    vscode.commands.executeCommand("workbench.action.openSettings", "modular.");
  }
}

async function start() {
  const found = await findCommand();
  if (found.problem) {
    show("error", found.problem);
    offerRetry(found.problem);
    return;
  }
  const [command, ...args] = found.command;
  const settings = vscode.workspace.getConfiguration("modular");
  client = new LanguageClient(
    "modular",
    "modular",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "file", pattern: "**/pyproject.toml" },
      ],
      initializationOptions: {
        convertOnSave: settings.get("convertOnSave"),
      },
      synchronize: { configurationSection: "modular" },
      outputChannel: output,
      // A request that fails, such as one about half-typed text, is logged. It shows no notification.
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: { executeCommand },
    },
  );
  client.onDidChangeState(({ newState }) => {
    show(...STATES[newState], found.command.join(" "));
    vscode.commands.executeCommand("setContext", "modular.isRunning", newState === State.Running);
  });
  await client.start();
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) {
    await running.stop();
  }
}

// One start or stop after the other, whatever asks for them.
let last = Promise.resolve();

function restart() {
  isWanted = true;
  vscode.commands.executeCommand("setContext", "modular.isWanted", true);
  last = last
    .then(stop)
    .then(start)
    .catch((error) => {
      show("error", "modular could not be started", String(error));
      output.appendLine(String(error));
    });
  return last;
}

async function activate(context) {
  output = vscode.window.createOutputChannel("modular");
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right);
  status.command = "modular.showOutput";
  const preview = new Preview(() => client);
  context.subscriptions.push(
    output,
    status,
    preview,
    vscode.commands.registerCommand("modular.restart", restart),
    vscode.commands.registerCommand("modular.showOutput", () => output.show()),
    vscode.commands.registerCommand("modular.showPreview", () => showPreview(preview)),
    vscode.window.onDidChangeActiveTextEditor((editor) => (isWanted ? remember(editor) : startIfWanted(editor))),
    vscode.workspace.onDidChangeWorkspaceFolders(() => startIfWanted(vscode.window.activeTextEditor)),
    vscode.workspace.onDidGrantWorkspaceTrust(restartIfWanted),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["modular.command", "modular.interpreter"].some((name) => event.affectsConfiguration(name))) {
        restartIfWanted();
      }
    }),
  );
  const python = vscode.extensions.getExtension("ms-python.python");
  if (python) {
    const { environments } = await python.activate();
    context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(restartIfWanted));
  }
  await startIfWanted(vscode.window.activeTextEditor);
}

function deactivate() {
  return last.then(stop);
}

module.exports = { activate, deactivate };
