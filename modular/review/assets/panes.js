/* made by modular review */
"use strict";

// A model's page: a line is lit together with its counterparts, in the modular file, the generated ones and the parents.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("origins").textContent);
const modular = $("modular");
const panels = [...document.querySelectorAll("[role=tabpanel]")];
const panes = panels.map((panel) => panel.querySelector(".code"));
const tabs = [...document.querySelectorAll("[role=tab]")];
const frame = $("parent-frame");
const MODULAR = 0;

// What each generated line comes from, and the generated lines that come from each line of a source.
const origins = new Map();
const made = new Map();
for (const file of data.files) {
  for (const [first, count, kind, source, line, owner] of file.runs) {
    for (let step = 0; step < count; step += 1) {
      const id = `${file.name}-L${first + step}`;
      origins.set(id, { kind: data.kinds[kind], source, line: line + step, owner: data.owners[owner] });
      if (source === null) continue;
      const key = `${source}:${line + step}`;
      if (!made.has(key)) made.set(key, []);
      made.get(key).push(id);
    }
  }
}

let shown = 0; // the tab
let parent = null; // the source that the parent pane shows
let pinned = false; // whether the lit line stays when the mouse moves on
let others = []; // the counterparts of the lit line that `n` goes through

const rowOf = (node) => node.closest?.(".code [id]");
const numberOf = (row) => Number(row.id.slice(row.id.lastIndexOf("-L") + 2));
const nameOf = (pane) => (pane === modular ? data.modular : data.files[panes.indexOf(pane)].name);
const rowAt = (pane, number) => $(`${nameOf(pane)}-L${number}`);
const lit = () => document.querySelector(".lit");

function showTab(index) {
  shown = index;
  panels.forEach((panel, each) => {
    if (each === index) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
    tabs[each].setAttribute("aria-selected", String(each === index));
    tabs[each].tabIndex = each === index ? 0 : -1;
  });
}

/** Scroll a row's pane so that it stands level with another row, as far as the pane goes. */
function level(row, beside) {
  const pane = row.closest(".code");
  const box = pane.getBoundingClientRect();
  const wanted = Math.min(Math.max(beside.getBoundingClientRect().top, box.top + 36), box.bottom - 72);
  pane.scrollTop += row.getBoundingClientRect().top - wanted;
}

function clear() {
  for (const row of document.querySelectorAll(".lit, .counterpart, .near")) {
    row.classList.remove("lit", "counterpart", "near");
  }
  others = [];
}

function release() {
  clear();
  pinned = false;
}

/** Light a row and its counterparts. `pin` keeps it lit, `open` opens the parent that the line comes from. */
function light(row, { pin = true, open = false } = {}) {
  clear();
  pinned = pin;
  $("status").ariaLive = pin ? "polite" : "off";
  row.classList.add("lit");
  const pane = row.closest(".code");
  pane.setAttribute("aria-activedescendant", row.id);
  if (pane === modular) lightMade(row, made.get(`${MODULAR}:${numberOf(row)}`) ?? []);
  else lightOrigin(row, origins.get(row.id), open);
  if (pin) history.replaceState(null, "", `#${encodeURIComponent(row.id)}`);
}

/** Light the generated lines that come from a line of a source. */
function lightMade(row, ids, path = nameOf(modular)) {
  others = ids.map($);
  for (const each of others) each.classList.add("counterpart");
  const first = others.find((each) => each.closest("[role=tabpanel]") === panels[shown]) ?? others[0];
  if (first) {
    if (pinned) showTab(panels.indexOf(first.closest("[role=tabpanel]")));
    if (first.closest("[role=tabpanel]") === panels[shown]) level(first, row);
  }
  const where = ids.length > 3 ? `${ids.length} generated lines` : ids.join(", ").replaceAll("-L", ":");
  say(`${path}:${row === frame ? parent.line : numberOf(row)}`, where ? `goes to ${where}` : "no generated line comes from it alone");
}

/** Light what a generated line comes from. */
function lightOrigin(row, origin, open) {
  const here = row.id.replace(/-L(?=\d+$)/, ":");
  if (origin.source === null) {
    say(here, "made by the converter or the formatter");
    return;
  }
  if (origin.source !== MODULAR && (open || !$("parent").hidden)) showParent(origin.source, origin.line);
  const [owner, inModular, renamed] = origin.owner;
  const near = origin.source === MODULAR ? origin.line : inModular;
  const target = near ? rowAt(modular, near) : null;
  if (target) {
    target.classList.add(origin.source === MODULAR ? "counterpart" : "near");
    others = [target];
    level(target, row);
  }
  const from = `${data.sources[origin.source].path}:${origin.line}`;
  const words = [`${origin.kind} from ${from}`, owner, renamed && `renamed ${renamed}`];
  say(here, words.filter(Boolean).join(" · "));
}

function say(where, what) {
  $("status").replaceChildren(Object.assign(document.createElement("b"), { textContent: where }), ` ${what}`);
}

function showParent(source, line) {
  const { path, href } = data.sources[source];
  const name = path.slice(path.lastIndexOf("/") + 1);
  const url = new URL(`${href}#${encodeURIComponent(`${name}-L${line}`)}`, location.href).href;
  parent = { source, line };
  $("parent").hidden = false;
  $("parent-title").textContent = name;
  $("parent-title").title = path;
  $("parent-page").href = url;
  frame.title = `Parent file ${path}`;
  frame.contentWindow.location.replace(url);
}

/** The lines of a source that generated lines come from, and the source's colour. */
function used(source) {
  const keys = [...made.keys()].filter((key) => key.startsWith(`${source}:`));
  return { colour: `s${data.sources[source].colour}`, lines: keys.map((key) => Number(key.split(":")[1])) };
}

function closeParent() {
  if (frame === document.activeElement || $("parent").contains(document.activeElement)) panes[shown]?.focus();
  $("parent").hidden = true;
}

/** Go to another row: focus its pane, scroll to it, light it. */
function go(row, options = {}) {
  if (!row) return;
  const panel = row.closest("[role=tabpanel]");
  if (panel) showTab(panels.indexOf(panel));
  const pane = row.closest(".code");
  pane.focus({ preventScroll: true });
  const box = pane.getBoundingClientRect();
  const place = row.getBoundingClientRect();
  if (place.top < box.top || place.bottom > box.bottom) row.scrollIntoView({ block: options.block ?? "nearest" });
  light(row, options);
}

/** The row that keys start from: the lit one, or the first one that is seen. */
function active(pane) {
  const row = $(pane.getAttribute("aria-activedescendant"));
  if (row) return row;
  const top = pane.getBoundingClientRect().top;
  return [...pane.querySelectorAll("[id]")].find((each) => each.getBoundingClientRect().bottom > top);
}

function enter(row) {
  const origin = origins.get(row.id);
  if (origin?.source) {
    showParent(origin.source, origin.line);
    frame.focus();
  } else if (others.length) go(others[0]);
}

function openParent(row) {
  const origin = origins.get(row.id);
  if (origin?.source) light(row, { open: true });
  else if (data.sources.length > 1) showParent(1, 1);
}

function next(row) {
  const mine = others.indexOf(row);
  const found = others[(mine + 1) % others.length];
  if (!found) return;
  showTab(panels.indexOf(found.closest("[role=tabpanel]") ?? panels[shown]));
  level(found, found.closest(".code") === row.closest(".code") ? found : row);
  others = [...others.slice(others.indexOf(found) + 1), ...others.slice(0, others.indexOf(found) + 1)];
}

function toggleChanges(on = !document.body.classList.contains("changes")) {
  if (!$("changes")) return;
  document.body.classList.toggle("changes", on);
  $("changes").ariaChecked = String(on);
}

/** The rows of a pane at which a run of changed lines begins. */
function changeStarts(pane) {
  const rows = [...pane.querySelectorAll("[id]")];
  const isStart = (row, index) => row.classList.contains("new")
    ? !rows[index - 1]?.classList.contains("new")
    : row.previousElementSibling?.classList.contains("gone");
  return rows.filter(isStart);
}

function nextChange(pane, step) {
  const starts = changeStarts(pane);
  toggleChanges(true);
  const from = active(pane);
  const here = from ? numberOf(from) : 0;
  const found = step > 0 ? starts.find((row) => numberOf(row) > here) : starts.findLast((row) => numberOf(row) < here);
  go(found ?? starts.at(step > 0 ? 0 : -1), { block: "center" });
}

function changeTheme() {
  frame.contentWindow.postMessage({ theme: theme.toggle() }, "*");
}

const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 30, PageUp: -30, Home: -Infinity, End: Infinity };

function move(pane, step) {
  const row = active(pane);
  const begun = pane.hasAttribute("aria-activedescendant");
  const last = pane.querySelectorAll("[id]").length;
  go(begun ? rowAt(pane, Math.min(Math.max(numberOf(row) + step, 1), last)) : row);
}

const keys = {
  Enter: (pane) => enter(active(pane)),
  m: () => go(active(modular)),
  g: () => panes.length && go(active(panes[shown])),
  n: (pane) => next(active(pane)),
  p: (pane) => openParent(active(pane)),
  "[": () => tabs.length && showTab((shown + tabs.length - 1) % tabs.length),
  "]": () => tabs.length && showTab((shown + 1) % tabs.length),
  c: () => toggleChanges(),
  ",": (pane) => nextChange(pane, -1),
  ".": (pane) => nextChange(pane, 1),
  t: () => changeTheme(),
  "?": () => $("keys").showModal(),
  Escape: () => ($("parent").hidden ? release() : closeParent()),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const focused = event.target.closest?.(".code");
  if (event.target.closest?.("button, a") && (event.key === "Enter" || event.key.startsWith("Arrow"))) return;
  const pane = focused ?? panes[shown] ?? modular;
  const run = event.key in moves ? () => move(pane, moves[event.key]) : keys[event.key];
  if (!run) return;
  event.preventDefault();
  run(pane);
});

document.addEventListener("click", (event) => {
  const row = rowOf(event.target);
  if (row && getSelection().isCollapsed) light(row, { open: true });
});

let waiting = 0;
document.addEventListener("mouseover", (event) => {
  clearTimeout(waiting);
  const row = rowOf(event.target);
  if (row && !pinned) waiting = setTimeout(() => light(row, { pin: false }), 60);
});

tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => showTab(index));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    showTab((index + step + tabs.length) % tabs.length);
    tabs[shown].focus();
  });
});
panels.forEach((panel, index) => panel.addEventListener("beforematch", () => showTab(index)));

for (const button of document.querySelectorAll("[data-source]")) {
  const source = Number(button.dataset.source);
  button.addEventListener("click", () => (source === MODULAR ? modular.focus() : showParent(source, data.sources[source].first)));
}
$("parent-close").addEventListener("click", closeParent);
$("changes")?.addEventListener("click", () => toggleChanges());
$("theme").addEventListener("click", changeTheme);
$("help").addEventListener("click", () => $("keys").showModal());

addEventListener("message", ({ source, data: told }) => {
  if (source !== frame.contentWindow) return;
  if (told.ready) frame.contentWindow.postMessage({ theme: theme.current(), used: used(parent.source) }, "*");
  if (told.close) closeParent();
  if (told.line) {
    clear();
    pinned = true;
    parent.line = told.line;
    lightMade(frame, made.get(`${parent.source}:${told.line}`) ?? [], data.sources[parent.source].path);
  }
});

/** Follow a link to a line: of the modular file, of a generated one, or of a parent. */
function follow() {
  const wanted = wantedId();
  const row = $(wanted);
  if (row?.closest(".code")) go(row, { block: "center" });
  const [, name, line] = wanted.match(/^(.*)-L(\d+)$/) ?? [];
  const source = data.sources.findIndex((each, index) => index && each.path.endsWith(`/${name}`));
  if (!row && source > 0) showParent(source, Number(line));
}

for (const pane of [modular, ...panes]) {
  pane.style.setProperty("--columns", pane.dataset.columns);
  for (const row of pane.querySelectorAll("[id]")) row.setAttribute("role", "option");
}
addEventListener("hashchange", follow);
follow();
