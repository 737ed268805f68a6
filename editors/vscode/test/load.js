// Loads the packaged extension in Node, with a stand-in for the editor, and activates it. The client in it is the real one:
// it starts the server and opens a session. What VS Code makes of what it is told is not tested here.
//
// node load.js EXTENSION SCENARIO: the unpacked extension, and JSON with `settings`, and if they are not as usual: `folder`
// of the workspace or a list of folders, `restarted` (whether a person asks for a restart), `trusted`, `python` (the interpreter of the Python extension), `changed` (settings that are set later),
// `preview` (a modular file, and the line that the cursor is on), `chosen` (the button that is pressed in each message that
// has it, once), `typed` (a modular file, and the texts that it has one after the other, with the cursor at their end).
// `opened` (a modular file that is open at the start; the walkthrough is then in front of it, and asks for its preview). What
// came of it is printed as JSON.
"use strict";

const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const scenario = JSON.parse(process.argv[3]);
const settings = { command: [], interpreter: "", convertOnSave: false, diagnostics: "open", ...scenario.settings };
const outcome = { states: [], messages: [], buttons: [], contexts: [], commands: [], answered: [], refused: [] };
const folders = [scenario.folder ?? []].flat();
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
  static joinPath(uri, name) {
    return new Uri(uri.scheme, `${uri.path}/${name}`);
  }
  with({ scheme, path: name }) {
    return new Uri(scheme, name ?? this.path);
  }
  toString() {
    return `${this.scheme}://${this.path}`;
  }
}

const token = { isCancellationRequested: false, onCancellationRequested: () => disposable };

class CancellationTokenSource {
  token = token;
  cancel() {}
  dispose() {}
}

class Emitter {
  constructor() {
    this.listeners = [];
    this.event = (listener, self) => (this.listeners.push(listener.bind(self)), disposable);
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
const providers = {}; // what the client registers for hovers, completion, code actions and renames, by name
const changed = new Emitter(); // a document
let provider;

// A message: the scenario may press one of its buttons, once.
async function message(text, ...buttons) {
  outcome.messages.push(text);
  outcome.buttons.push(buttons);
  const index = buttons.indexOf(scenario.chosen);
  scenario.chosen = index < 0 ? scenario.chosen : undefined;
  return buttons[index];
}

// The modular files below a folder.
function modularFiles(folder) {
  const names = fs.readdirSync(folder, { recursive: true }).filter((name) => /(^|\/)modular_[^/]*\.py$/.test(name));
  return names.map((name) => Uri.file(path.join(folder, name)));
}

// An editor in front of a file, with the cursor at some place.
function editorOf(uri, at = { line: 0, character: 0 }) {
  return { document: { uri }, visibleRanges: [{ start: at }], selection: { active: at } };
}

async function executeCommand(name, ...given) {
  if (name === "setContext" && given[1]) {
    outcome.contexts.push(given[0]);
  }
}

const vscode = new Proxy(
  {
    version: "1.100.0",
    CancellationTokenSource,
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
      executeCommand,
    },
    languages: withDefault({
      match: () => 1,
      registerHoverProvider: (_, given) => ((providers.hover = given), disposable),
      registerCompletionItemProvider: (_, given) => ((providers.completion = given), disposable),
      registerCodeActionsProvider: (_, given) => ((providers.codeAction = given), disposable),
      registerRenameProvider: (_, given) => ((providers.rename = given), disposable),
      createDiagnosticCollection: () => withDefault({}),
      setTextDocumentLanguage: async (document, language) => (document.language = language),
    }),
    window: withDefault({
      createOutputChannel: () => log,
      createStatusBarItem: () => status,
      showErrorMessage: message,
      showWarningMessage: message,
      showInformationMessage: message,
      showTextDocument: async (document) => {
        if (document instanceof Uri) {
          return editorOf(document);
        }
        outcome.preview = { text: document.text, language: document.language, tab: path.basename(document.uri.fsPath) };
        return { document, revealRange: (range) => (outcome.preview.line = range.line) };
      },
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: () => disposable },
    }),
    workspace: withDefault({
      getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise, has: (name) => name in settings }),
      isTrusted: scenario.trusted ?? true,
      workspaceFolders: folders.length ? folders.map((name, index) => ({ uri: Uri.file(name), name, index })) : undefined,
      findFiles: async () => folders.flatMap(modularFiles),
      onDidChangeConfiguration: (handler) => ((handlers.configuration ??= handler), disposable),
      onDidGrantWorkspaceTrust: on("trust"),
      registerTextDocumentContentProvider: (_, given) => ((provider = given), disposable),
      openTextDocument: async (uri) => ({ uri, text: provider.provideTextDocumentContent(uri) }),
      textDocuments: [],
      onDidChangeTextDocument: changed.event,
      notebookDocuments: [],
      fs: { readFile: async (uri) => fs.readFileSync(uri.fsPath) },
    }),
  },
  { get: (target, name) => (name in target ? target[name] : anything()) },
);

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

// Asks the server all that an editor asks while somebody types, at the end of a document.
async function ask(document) {
  const lines = document.getText().split("\n");
  const at = { line: lines.length - 1, character: lines.at(-1).length };
  const span = { start: at, end: at };
  const requests = {
    hover: () => providers.hover.provideHover(document, at, token),
    completion: () => providers.completion.provideCompletionItems(document, at, token, { triggerKind: 0 }),
    codeAction: () => providers.codeAction.provideCodeActions(document, span, { diagnostics: [], triggerKind: 2 }, token),
    rename: () => providers.rename.provideRenameEdits(document, at, "new_name", token),
    preview: () => registered["modular.showPreview"](),
  };
  if (providers.rename.prepareRename) {
    requests.prepareRename = () => providers.rename.prepareRename(document, at, token);
  }
  vscode.window.activeTextEditor = editorOf(document.uri, at);
  for (const [name, request] of Object.entries(requests)) {
    await request().then(
      () => outcome.answered.push(name),
      () => outcome.refused.push(name),
    );
  }
}

async function type(document, texts) {
  for (const text of texts) {
    const before = document.getText().split("\n");
    const end = { line: before.length - 1, character: before.at(-1).length };
    const rangeLength = document.getText().length;
    document.getText = () => text;
    document.version += 1;
    changed.fire({ document, contentChanges: [{ range: { start: { line: 0, character: 0 }, end }, rangeLength, text }] });
    await ask(document);
  }
}

async function main() {
  const extension = require(path.resolve(process.argv[2]));
  const [typedFile, texts] = scenario.typed ?? [];
  const document = typedFile && { uri: Uri.file(typedFile), languageId: "python", version: 1, getText: () => "" };
  if (document) {
    vscode.workspace.textDocuments.push(document);
  }
  if (scenario.opened) {
    vscode.window.activeTextEditor = editorOf(Uri.file(scenario.opened));
  }
  await extension.activate({ subscriptions: [] });
  if (scenario.opened) {
    vscode.window.activeTextEditor = undefined;
    await registered["modular.showPreview"]();
  }
  if (scenario.restarted) {
    await registered["modular.restart"]();
  }
  if (scenario.changed) {
    Object.assign(settings, scenario.changed);
    handlers.configuration({ affectsConfiguration: (name) => name.replace("modular.", "") in scenario.changed });
    await registered["modular.restart"](); // comes after the one that the setting has asked for
  }
  if (scenario.preview) {
    const [file, line] = scenario.preview;
    vscode.window.activeTextEditor = editorOf(Uri.file(file), { line, character: 0 });
    await registered["modular.showPreview"]();
  }
  if (document) {
    await type(document, texts);
  }
  outcome.commands = Object.keys(registered).sort();
  await extension.deactivate();
  console.log(JSON.stringify(outcome));
  process.exit(0);
}

setTimeout(() => (console.error("no session within a minute"), process.exit(1)), 60_000).unref();
main().catch((error) => (console.error(error), process.exit(1)));
