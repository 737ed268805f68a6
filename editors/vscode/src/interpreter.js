// Finds the command that starts the server: the one of the settings, or an interpreter in which modular is installed.
"use strict";

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const INSTALL = 'run `pip install "modular-models[lsp] @ git+https://github.com/modular-models/modular"`';
const PROBE = "from importlib.util import find_spec as f; print(*[name for name in ('modular', 'pygls') if not f(name)])";
const PATIENCE = 30_000; // milliseconds that an interpreter may take to start

// -P: what stands in the current folder, which may be a stranger's project, is not imported.
const command = (interpreter) => [interpreter, "-P", "-m", "modular", "lsp"];

function missingIn(interpreter) {
  return new Promise((resolve) => {
    execFile(interpreter, ["-P", "-c", PROBE], { timeout: PATIENCE }, (error, printed) => {
      resolve(error ? undefined : printed.trim().split(/\s+/).filter(Boolean));
    });
  });
}

async function ofPythonExtension(folder) {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) {
    return undefined;
  }
  const { environments } = await python.activate();
  const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return environment && environment.executable.uri && environment.executable.uri.fsPath;
}

function ofVenv(folder) {
  const program = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const file = folder && path.join(folder.fsPath, ".venv", ...program);
  return file && fs.existsSync(file) ? file : undefined;
}

// The interpreters that a workspace names: those chosen in the Python extension, then the .venv of each folder.
async function interpretersOfWorkspace() {
  const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri);
  const chosen = [];
  for (const folder of folders.length ? folders : [undefined]) {
    chosen.push(await ofPythonExtension(folder));
  }
  return [...chosen, ...folders.map(ofVenv)];
}

function onPath(name) {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const folders = (process.env.PATH || "").split(path.delimiter).filter(path.isAbsolute);
  return folders.map((folder) => path.join(folder, name + suffix)).find((file) => fs.existsSync(file));
}

// Returns { command }, or { problem } in words. Only a trusted workspace may name a program: VS Code passes over its
// settings otherwise, and its interpreters are not looked for here.
async function findCommand() {
  const settings = vscode.workspace.getConfiguration("modular");
  const named = settings.get("command");
  if (named && named.length) {
    return { command: named };
  }
  const chosen = settings.get("interpreter");
  if (chosen) {
    const missing = await missingIn(chosen);
    if (missing === undefined) {
      return { problem: `\`${chosen}\`, the setting modular.interpreter, is no Python 3.11 or later` };
    }
    return missing.length
      ? { problem: `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not installed for ${chosen}: ${INSTALL}` }
      : { command: command(chosen) };
  }
  const candidates = vscode.workspace.isTrusted ? await interpretersOfWorkspace() : [];
  const lacking = [];
  for (const interpreter of new Set(candidates.filter(Boolean))) {
    const missing = await missingIn(interpreter);
    if (missing && !missing.length) {
      return { command: command(interpreter) };
    }
    lacking.push(interpreter);
  }
  const program = onPath("modular");
  if (program) {
    return { command: [program, "lsp"] };
  }
  const where = lacking.length ? `modular is not installed in ${lacking.join(" or ")}` : "modular was not found";
  return { problem: `${where}: ${INSTALL}, or set modular.interpreter` };
}

module.exports = { findCommand };
