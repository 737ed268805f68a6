// The generated file beside the modular one: a virtual document, updated while somebody types, at the same place.
"use strict";

const vscode = require("vscode");

const SCHEME = "modular-preview";
const PAUSE = 200; // milliseconds without a key stroke

// The generated line for a line of the modular file: that of the nearest line above which has one.
function generatedLine(lines, line) {
  let found = 0;
  for (const [own, generated] of lines) {
    if (own > line) {
      break;
    }
    found = generated;
  }
  return found;
}

// The file to which a line belongs: the one with the nearest line at or above it.
function fileOf(files, line) {
  const distance = (file) => Math.min(...file.lines.map(([own]) => (own > line ? Infinity : line - own)), Infinity);
  return files.reduce((best, file) => (best && distance(best) <= distance(file) ? best : file), undefined);
}

class Preview {
  constructor(client) {
    this.client = client;
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
    this.texts = new Map();
    this.timer = undefined;
    this.source = undefined;
    this.files = [];
    this.disposables = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument((event) => this.isSource(event.document) && this.updateLater()),
      vscode.window.onDidChangeTextEditorSelection((event) => this.isSource(event.textEditor.document) && this.follow()),
      vscode.window.onDidChangeTextEditorVisibleRanges((event) => this.isSource(event.textEditor.document) && this.follow()),
    ];
  }

  isSource(document) {
    return this.source !== undefined && document.uri.toString() === this.source.document.uri.toString();
  }

  provideTextDocumentContent(uri) {
    return this.texts.get(uri.path) || "";
  }

  // Show what is generated from the file in an editor, beside it.
  async open(editor) {
    this.source = editor;
    await this.update();
    if (!this.files.length) {
      vscode.window.showInformationMessage("Open a file called modular_<model>.py first. If this is one, fix its errors: it cannot be converted yet.");
      return;
    }
    await this.show();
  }

  async show() {
    const file = this.file();
    const document = await vscode.workspace.openTextDocument(this.uri(file));
    await vscode.languages.setTextDocumentLanguage(document, "python");
    const column = vscode.ViewColumn.Beside;
    this.target = await vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus: true, preview: true });
    this.follow();
  }

  line() {
    const [visible] = this.source.visibleRanges;
    return visible ? visible.start.line : this.source.selection.active.line;
  }

  file() {
    return fileOf(this.files, this.source.selection.active.line);
  }

  // The tab of the preview shows the last part of this path. It differs from the tab of the file itself.
  uri(file) {
    const uri = vscode.Uri.parse(file.uri);
    const path = uri.path.replace(/[^/]*$/, (name) => `Preview ${name}`);
    return uri.with({ scheme: SCHEME, path });
  }

  updateLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update().then(() => this.follow()), PAUSE);
  }

  // The generated files; undefined if the server does not run, or the request fails.
  async request() {
    const client = this.client();
    if (!client || !client.isRunning()) {
      return undefined;
    }
    const params = { textDocument: { uri: this.source.document.uri.toString() } };
    try {
      return await client.sendRequest("modular/preview", params);
    } catch (error) {
      client.error("The preview failed.", error, false); // into the output, without a notification
      return undefined;
    }
  }

  async update() {
    this.files = (await this.request()) || [];
    for (const file of this.files) {
      const uri = this.uri(file);
      if (this.texts.get(uri.path) !== file.text) {
        this.texts.set(uri.path, file.text);
        this.changed.fire(uri);
      }
    }
  }

  // Scroll the generated file to where the modular file is.
  follow() {
    if (!this.target || !this.files.length) {
      return;
    }
    const shown = this.target.document.uri.path;
    const file = this.files.find((each) => this.uri(each).path === shown);
    if (file) {
      const line = generatedLine(file.lines, this.line());
      this.target.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
    }
  }

  dispose() {
    clearTimeout(this.timer);
    this.disposables.forEach((each) => each.dispose());
  }
}

module.exports = { Preview, generatedLine, fileOf };
