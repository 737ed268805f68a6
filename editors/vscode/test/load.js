// Loads the packaged extension in Node, with a stand-in for the editor, and activates it. The client in it is the real one:
// it starts the server and opens a session. What VS Code makes of what it is told is not tested here.
//
// node load.js EXTENSION SCENARIO: the unpacked extension, and JSON with `settings`, and if they are not as usual: `folder`
// of the workspace, `trusted`, `python` (the interpreter of the Python extension), `changed` (settings that are set later),
// `preview` (a modular file, and the line that the cursor is on). What came of it is printed as JSON.
"use strict";

const Module = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const scenario = JSON.parse(process.argv[3]);
const settings = { command: [], interpreter: "", convertOnSave: false, diagnostics: "open", ...scenario.settings };
const outcome = { states: [], messages: [], commands: [] };
const disposable = { dispose() {} };
const handlers = {}; // what the extension listens to, by name

// Whatever else is asked of the editor is there: a class, a function and an object at once.
function anything() {
  return new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : anything()),
    apply: () => anything(),
  });
}

class Uri {
  constructor(scheme, name) {
    this.scheme = scheme;
    this.path = name;
    this.fsPath = decodeURIComponent(name);
  }
  static parse(text) {
    const [, scheme, name] = /^([\w-]+):(?:\/\/)?(.*)$/.exec(text);
    return new Uri(scheme, name);
  }
  static file(name) {
    return Uri.parse(pathToFileURL(name).href);
  }
  with({ scheme }) {
    return new Uri(scheme, this.path);
  }
  toString() {
    return `${this.scheme}://${this.path}`;
  }
}

class Emitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => (this.listeners.push(listener), disposable);
  }
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {}
}

const on = (name) => (handler) => ((handlers[name] = handler), disposable);
const withDefault = (known) => new Proxy(known, { get: (target, name) => (name in target ? target[name] : () => disposable) });
const log = withDefault({ appendLine: (text) => console.error(text), append: (text) => console.error(text) });
const status = {
  show() {
    const last = outcome.states.at(-1);
    const state = `${this.text}: ${this.tooltip.split("\n")[0]}`;
    if (state !== last) {
      outcome.states.push(state);
    }
    outcome.command = this.tooltip.split("\n")[1];
  },
  dispose() {},
};
const python = {
  environments: {
    getActiveEnvironmentPath: () => ({ path: scenario.python }),
    resolveEnvironment: async ({ path: file }) => ({ executable: { uri: { fsPath: file } } }),
    onDidChangeActiveEnvironmentPath: on("environment"),
  },
};
const registered = {};
let provider;

const vscode = new Proxy(
  {
    version: "1.100.0",
    EventEmitter: Emitter,
    Uri,
    Range: class {
      constructor(line) {
        this.line = line;
      }
    },
    StatusBarAlignment: { Right: 2 },
    TextEditorRevealType: { AtTop: 3 },
    ViewColumn: { Beside: -2 },
    env: { language: "en", appName: "test", onDidChangeTelemetryEnabled: () => disposable },
    extensions: {
      getExtension: (name) => (name === "ms-python.python" && scenario.python ? { activate: async () => python } : undefined),
    },
    commands: {
      registerCommand: (name, call) => ((registered[name] = call), disposable),
      executeCommand: async () => undefined,
    },
    languages: withDefault({
      match: () => 0,
      createDiagnosticCollection: () => withDefault({}),
      setTextDocumentLanguage: async (document, language) => (document.language = language),
    }),
    window: withDefault({
      createOutputChannel: () => log,
      createStatusBarItem: () => status,
      showErrorMessage: async (text) => void outcome.messages.push(text),
      showInformationMessage: async (text) => void outcome.messages.push(text),
      showTextDocument: async (document) => {
        outcome.preview = { text: document.text, language: document.language };
        return { document, revealRange: (range) => (outcome.preview.line = range.line) };
      },
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: () => disposable },
    }),
    workspace: withDefault({
      getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise, has: (name) => name in settings }),
      isTrusted: scenario.trusted ?? true,
      workspaceFolders: scenario.folder ? [{ uri: Uri.file(scenario.folder), name: "project", index: 0 }] : undefined,
      onDidChangeConfiguration: (handler) => ((handlers.configuration ??= handler), disposable),
      onDidGrantWorkspaceTrust: on("trust"),
      registerTextDocumentContentProvider: (_, given) => ((provider = given), disposable),
      openTextDocument: async (uri) => ({ uri, text: provider.provideTextDocumentContent(uri) }),
      textDocuments: [],
      notebookDocuments: [],
      fs: withDefault({}),
    }),
  },
  { get: (target, name) => (name in target ? target[name] : anything()) },
);

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const extension = require(path.resolve(process.argv[2]));
  await extension.activate({ subscriptions: [] });
  if (scenario.changed) {
    Object.assign(settings, scenario.changed);
    handlers.configuration({ affectsConfiguration: (name) => name.replace("modular.", "") in scenario.changed });
    await registered["modular.restart"](); // comes after the one that the setting has asked for
  }
  if (scenario.preview) {
    const [file, line] = scenario.preview;
    const at = { line, character: 0 };
    const document = { uri: Uri.file(file) };
    vscode.window.activeTextEditor = { document, visibleRanges: [{ start: at }], selection: { active: at } };
    await registered["modular.showPreview"]();
  }
  outcome.commands = Object.keys(registered).sort();
  await extension.deactivate();
  console.log(JSON.stringify(outcome));
  process.exit(0);
}

setTimeout(() => (console.error("no session within a minute"), process.exit(1)), 60_000).unref();
main().catch((error) => (console.error(error), process.exit(1)));
