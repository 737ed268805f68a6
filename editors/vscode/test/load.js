// Loads the packaged extension in Node, with a stand-in for the editor, and activates it. The client in it is the real one:
// it starts the command of the settings and opens a session. What the editor shows is not tested here.
//
// node load.js FOLDER COMMAND...: the unpacked extension, and what `modular.command` is.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");

const [folder, ...command] = process.argv.slice(2);
const settings = { command, convertOnSave: true };

// Whatever is asked of the editor is there: a class, a function and an object at once.
function anything() {
  return new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : anything()),
    apply: () => anything(),
  });
}

const disposable = { dispose() {} };
const nothing = new Proxy({}, { get: (_, name) => (name === "then" ? undefined : () => disposable) });
const emitter = class {
  constructor() {
    this.listeners = [];
    this.event = (listener) => (this.listeners.push(listener), disposable);
  }
  fire(value) {
    this.listeners.forEach((each) => each(value));
  }
  dispose() {}
};
const log = { appendLine() {}, append() {}, show() {}, clear() {}, dispose() {}, info() {}, error() {}, warn() {}, debug() {}, trace() {} };
const registered = [];

const vscode = new Proxy(
  {
    version: "1.100.0",
    EventEmitter: emitter,
    env: { language: "en", appName: "test", onDidChangeTelemetryEnabled: () => disposable },
    commands: { registerCommand: (name) => (registered.push(name), disposable), executeCommand: async () => undefined },
    languages: new Proxy({}, {
      get: (_, name) =>
        name === "match" ? () => 0
        : name === "createDiagnosticCollection" ? () => ({ set() {}, delete() {}, clear() {}, dispose() {}, forEach() {} })
        : () => disposable,
    }),
    window: new Proxy({ createOutputChannel: () => log, visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: () => disposable } }, {
      get: (target, name) => (name in target ? target[name] : () => disposable),
    }),
    workspace: new Proxy(
      {
        getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise, has: (name) => name in settings }),
        textDocuments: [],
        notebookDocuments: [],
        workspaceFolders: undefined,
        fs: nothing,
      },
      { get: (target, name) => (name in target ? target[name] : () => disposable) },
    ),
  },
  { get: (target, name) => (name in target ? target[name] : anything()) },
);

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const extension = require(path.resolve(folder));
  await extension.activate({ subscriptions: [] });
  for (const name of ["modular.convert", "modular.goToOrigin", "modular.showReferences"]) {
    assert(registered.includes(name), `the session is open, but ${name} is not registered: ${registered}`);
  }
  await extension.deactivate();
  console.log(`the extension started \`${command.join(" ")}\`, which answered`);
  process.exit(0);
}

setTimeout(() => { console.error("no session within a minute"); process.exit(1); }, 60_000);
main().catch((error) => { console.error(error); process.exit(1); });
