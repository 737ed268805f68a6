"use strict";

// Highlights a line of a file together with its origin and the lines generated from it. A model's page shows a parent's
// page in a frame; there only the parent file is shown, and the script tells the model's page which line is selected.
const data = $("origins") ? JSON.parse($("origins").textContent) : { kinds: [], sources: [], owners: [], files: [] };
const panes = [...document.querySelectorAll(".code")];
const modular = $("modular");
const parentChanges = panes.filter((pane) => pane.dataset.path);
const ownPanes = panes.filter((pane) => !parentChanges.includes(pane));
const generated = ownPanes.filter((pane) => pane !== modular);
const panels = [...document.querySelectorAll("[role=tabpanel]")];
const tabs = [...document.querySelectorAll("[role=tab]")];
const frame = $("parent-frame");
const MODULAR = 0;

// The origin of each generated line, and the identifiers of the lines generated from each line of a source.
const origins = new Map();
const made = new Map();
const madeFromWritten = new Map(); // the same through generated parents
for (const file of data.files) {
  for (const [first, count, kind, source, line, owner, written = source, writtenLine = line] of file.runs) {
    for (let step = 0; step < count; step += 1) {
      const id = `${file.prefix}L${first + step}`;
      origins.set(id, { kind: data.kinds[kind], source, line: line + step, owner: data.owners[owner], written, writtenLine: writtenLine + step });
      if (source === null) continue;
      const key = `${source}:${line + step}`;
      made.set(key, [...(made.get(key) ?? []), id]);
      if (written === source) continue;
      const writtenKey = `${written}:${writtenLine + step}`;
      madeFromWritten.set(writtenKey, [...(madeFromWritten.get(writtenKey) ?? []), id]);
    }
  }
}

let shown = 0; // index of the visible tab
let parent = null; // source and line that the parent's pane shows
let isParentReady = false; // whether the page of that source is loaded
let marked = []; // selected rows, beginning with the one selected first
let hasKeys = !isInside; // whether this page gets the keys, and not the page around it
let others = []; // counterparts of the selected line; `n` goes to the next one

const rowOf = (node) => node.closest?.(".code li[id]");
const paneOf = (row) => row.closest(".code");
const numberOf = (row) => Number(row.id.slice(row.id.lastIndexOf("L") + 1));
const rowAt = (pane, number) => $(`${pane.dataset.prefix}L${number}`);
const lastOf = (pane) => [...pane.querySelectorAll("li[id]")].at(-1);
const hrefOf = (source, line) => (data.sources[source].href ? `${data.sources[source].href}${line}` : "");
const nameOf = (source) => data.sources[source].path.split("/").at(-1);
const view = () => document.body.dataset.view;

function showTab(index) {
  shown = index;
  panels.forEach((panel, each) => {
    if (each === index) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
    tabs[each].ariaSelected = String(each === index);
    tabs[each].tabIndex = each === index ? 0 : -1;
  });
  if (panels[index]) colour(generated[index]);
}

/** Scroll a row into view, if possible level with another row; open its tab and its fold. */
function reveal(row, beside) {
  const panel = row.closest("[role=tabpanel]");
  if (panel) showTab(panels.indexOf(panel));
  const fold = row.closest(".fold");
  if (fold) fold.open = true;
  row.closest(".away")?.classList.remove("away");
  const pane = paneOf(row);
  colour(pane);
  const box = pane.getBoundingClientRect();
  const top = beside ? beside.getBoundingClientRect().top : row.getBoundingClientRect().top;
  const wanted = Math.min(Math.max(top, box.top + 40), Math.max(box.top + 40, box.bottom - 90));
  const by = row.getBoundingClientRect().top - wanted;
  if (by) pane.scrollTop += by;
}

function clear(...names) {
  for (const name of names) document.querySelectorAll(`.${name}`).forEach((row) => row.classList.remove(name));
}

/** Select a row, or with `extend` all rows from the first selected one to it, and highlight their counterparts. */
function choose(row, { extend = false, open = false, tell = true } = {}) {
  if (!row) return;
  clear("lit", "counterpart", "near");
  const first = extend && marked.length && paneOf(marked[0]) === paneOf(row) ? marked[0] : row;
  const [from, to] = [numberOf(first), numberOf(row)].sort((one, other) => one - other);
  const between = Array.from({ length: to - from + 1 }, (_, step) => rowAt(paneOf(row), from + step));
  marked = first === between[0] ? between : between.reverse();
  for (const each of between) each.classList.add("lit");
  row.tabIndex = -1;
  // A frame does not take the focus from the page around it.
  if (hasKeys || tell) row.focus({ preventScroll: true });
  const anchor = `${between[0].id}${from === to ? "" : `-L${to}`}`;
  history.replaceState(null, "", `#${encodeURIComponent(anchor)}`);
  $("copy").hidden = isInside;
  if (isInside && tell) window.parent.postMessage({ chosen: row.id }, "*");
  const { path } = paneOf(row).dataset;
  if (path) showMade(row, data.sources.findIndex((source) => source.path === path), numberOf(row));
  else if (paneOf(row) === modular) showMade(row, MODULAR, numberOf(row));
  else if (origins.has(row.id)) showOrigin(row, origins.get(row.id), open);
  else say(placeOf(row, anchor));
}

/** Return the name of a line, and whether a change added it. */
function placeOf(row, name) {
  const isAdded = row.classList.contains("new") && view() !== "whole";
  return isAdded ? `${name}, added` : name;
}

/** Highlight the lines generated from a line of a source. */
function showMade(row, source, line) {
  const ids = made.get(`${source}:${line}`) ?? madeFromWritten.get(`${source}:${line}`) ?? [];
  others = ids.map($);
  for (const each of others) each.classList.add("counterpart");
  const first = others.find((each) => each.closest("[role=tabpanel]") === panels[shown]) ?? others[0];
  if (first) reveal(first, row);
  const where = ids.length > 3 ? [`${ids.length} generated lines`] : ids.flatMap((id, index) => [index ? ", " : "", linkTo(`#${id}`, id)]);
  say(placeOf(row, `${nameOf(source)}:${line}`), ...(ids.length ? ["goes to ", ...where] : ["no generated line comes directly from it"]));
}

/** Highlight the origin of a generated line, and describe it in the status line. */
function showOrigin(row, origin, open) {
  const { kind, source, line, written, writtenLine } = origin;
  others = [];
  if (source === null) return say(placeOf(row, row.id), "made by the converter or the formatter");
  if (source !== MODULAR && (open || !$("parent").hidden)) showParent(source, line);
  const [owner, inModular, renamed] = origin.owner;
  const target = rowAt(modular, source === MODULAR ? line : inModular);
  if (target) {
    target.classList.add(source === MODULAR ? "counterpart" : "near");
    others = [target];
    // An unchanged modular file stays folded if the line does not come from it.
    if (source === MODULAR || !target.closest(".away")) reveal(target, row);
  }
  const words = [[`${kind.name} from `, linkToOrigin(source, line)]];
  if (written !== source) words.push(["written in ", linkToOrigin(written, writtenLine)]);
  if (owner) words.push([owner]);
  if (renamed) words.push([`renamed ${renamed}`]);
  return say(placeOf(row, row.id), ...words.flatMap((each, index) => (index ? [" · ", ...each] : each)));
}

function linkTo(href, text, title = "") {
  return href ? Object.assign(document.createElement("a"), { href, title, textContent: text }) : text;
}

const linkToOrigin = (source, line) => linkTo(hrefOf(source, line), `${nameOf(source)}:${line}`, data.sources[source].path);

function say(place, ...details) {
  $("status").replaceChildren(Object.assign(document.createElement("b"), { textContent: place }), " ", ...details);
}

/** Highlight the row under the mouse pointer and its counterparts without scrolling. */
function hint(row) {
  clear("pointed");
  if (!row || isInside) return;
  const origin = origins.get(row.id);
  const ids = paneOf(row) === modular ? made.get(`${MODULAR}:${numberOf(row)}`) ?? [] : [];
  const target = origin?.source === MODULAR ? rowAt(modular, origin.line) : null;
  for (const each of [row, target, ...ids.map($)]) each?.classList.add("pointed");
}

/** Show a line of a source in the parent's pane. */
function showParent(source, line) {
  if (!data.sources[source].href) return;
  const { path } = data.sources[source];
  const url = new URL(hrefOf(source, line), location.href);
  const isLoaded = isParentReady && parent.source === source;
  parent = { source, line };
  $("parent").hidden = false;
  $("parent-title").textContent = nameOf(source);
  $("parent-title").title = path;
  $("parent-page").href = url.href;
  frame.title = `Parent file ${path}`;
  if (isLoaded) {
    frame.contentWindow.postMessage({ line: parentAnchor(line) }, "*");
    return;
  }
  isParentReady = false;
  url.hash = ""; // A page that is opened at a line takes the focus.
  frame.contentWindow.location.replace(url.href);
}

/** Return the identifier of a line of the parent on its own page. */
function parentAnchor(line) {
  const { href } = data.sources[parent.source];
  return `${decodeURIComponent(href.slice(href.lastIndexOf("#") + 1))}${line}`;
}

/** Send the theme, the view and the lines that this model uses to the parent's frame. */
function tellParent() {
  const lines = [...made].filter(([key]) => key.startsWith(`${parent.source}:`));
  const used = lines.map(([key, ids]) => [parentAnchor(key.split(":")[1]), origins.get(ids[0]).kind.letter]);
  const shownView = view() === "whole" ? "whole" : "changes";
  frame.contentWindow.postMessage({ theme: theme.current(), view: shownView, used }, "*");
}

function closeParent() {
  if (!frame || $("parent").hidden) return;
  $("parent").hidden = true;
  (marked.at(-1) ?? modular).focus({ preventScroll: true });
}

/** Return the row that keys start from: the last selected or the first visible one. */
function current(pane) {
  const row = marked.at(-1);
  if (row && paneOf(row) === pane) return row;
  const top = pane.getBoundingClientRect().top;
  return [...pane.querySelectorAll("li[id]")].find((each) => each.getBoundingClientRect().bottom > top);
}

function go(row, options) {
  if (!row) return;
  reveal(row);
  choose(row, options);
  // On a narrow screen, the panes are below each other and the page scrolls, too.
  if (!isInside) row.scrollIntoView({ block: "nearest" });
}

/** Move by some rows. If no row is selected yet, a single step selects the first visible row. */
function move(pane, step, extend) {
  const row = current(pane);
  if (!row) return;
  const wanted = numberOf(row) + (marked.at(-1) === row || Math.abs(step) > 1 ? step : 0);
  go(rowAt(pane, Math.min(Math.max(wanted, 1), numberOf(lastOf(pane)))), { extend });
}

function enter(pane) {
  const origin = origins.get(current(pane)?.id);
  if (origin?.source) {
    showParent(origin.source, origin.line);
    frame.focus();
    frame.contentWindow.postMessage({ focus: true }, "*");
  } else if (others.length) go(others[0]);
}

/** Go to the hand-written line, which may be on another page. */
function goToWritten(pane) {
  const origin = origins.get(current(pane)?.id);
  if (origin?.written === MODULAR) go(rowAt(modular, origin.writtenLine));
  else if (origin?.written) location.href = hrefOf(origin.written, origin.writtenLine) || location.href;
}

function openParent(pane) {
  const origin = origins.get(current(pane)?.id);
  if (origin?.source) choose(current(pane), { open: true });
  else if (data.sources.length > 1) showParent(1, 1);
}

function nextCounterpart() {
  others.push(others.shift());
  if (others[0]) reveal(others[0]);
}

function setView(name) {
  memory.set("view", name);
  address.set({ view: name });
  showView(name);
  if (frame && !$("parent").hidden) tellParent();
}

/** Go to the adjacent model's page; the anchor `change` or `last-change` selects its first or last change. */
function goToModel(step, anchor) {
  const link = $(step > 0 ? "next-model" : "previous-model");
  if (link) location.href = `${link.getAttribute("href")}${anchor ? `#${anchor}` : ""}`;
  else say(step > 0 ? "This is the last model." : "This is the first model.");
}

/** Go to the previous or next change in the pane, then in other files, then in other models. */
function goToChange(pane, step) {
  const starts = ownPanes.flatMap(changeStarts);
  if (view() === "whole") setView("changes");
  const here = current(pane) ?? pane;
  const isBeyond = (row) => Boolean(here.compareDocumentPosition(row) & (step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING));
  const isMarked = marked.at(-1) === here;
  const found = step > 0 ? starts.find((row) => isBeyond(row) || (!isMarked && row === here)) : starts.findLast(isBeyond);
  if (found) go(found);
  else goToModel(step, step > 0 ? "change" : "last-change");
}

function goToFile(step) {
  if (panels[shown + step]) showTab(shown + step);
  else goToModel(step);
}

async function copyLink(href = location.href) {
  try {
    await navigator.clipboard.writeText(href);
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy link"; }, 2000);
  } catch {
    say("Copy this address:", href);
  }
}

function toggleViewed() {
  $("viewed").checked = !$("viewed").checked;
  rememberViewed();
}

function rememberViewed() {
  const { name, digest } = $("viewed").dataset;
  viewed.set(name, digest, $("viewed").checked);
}

const moves = { ArrowDown: 1, j: 1, J: 1, ArrowUp: -1, k: -1, K: -1, PageDown: 30, PageUp: -30, Home: -Infinity, End: Infinity };
const ofFiles = { y: () => copyLink() };
const ofModels = {
  Enter: enter,
  w: goToWritten,
  p: openParent,
  n: nextCounterpart,
  m: () => {
    modular.closest(".pane").classList.remove("away");
    go(current(modular));
  },
  g: () => generated.length && go(current(generated[shown])),
  v: toggleViewed,
  Escape: closeParent,
  "[": () => goToFile(-1),
  "]": () => goToFile(1),
  "<": () => goToModel(-1),
  ">": () => goToModel(1),
};
const ofChanges = {
  c: () => setView(view() === "whole" ? "changes" : "whole"),
  s: () => setView(view() === "split" ? "changes" : "split"),
};

/** Return the pane with the focus, otherwise that of the last selected line. */
const paneAt = (node) => node.closest?.(".code") ?? (marked[0] ? paneOf(marked[0]) : generated[shown] ?? panes[0]);

/** Return the pane from which to look for a change: on a new page the first one, so that none is left out. */
const paneOfChanges = (node) => (node.closest?.(".code") || marked[0] ? paneAt(node) : ownPanes[0]);

for (const [key, act] of Object.entries({ ...ofFiles, ...(modular || isInside ? ofModels : {}), ...(view() || isInside ? ofChanges : {}) })) {
  shortcuts[key] = (node) => act(paneAt(node));
}
if (view() || isInside) {
  shortcuts[","] = (node) => goToChange(paneOfChanges(node), -1);
  shortcuts["."] = (node) => goToChange(paneOfChanges(node), 1);
}

addEventListener("keydown", (event) => {
  if (isTaken(event) || isOfControl(event) || !moves[event.key]) return;
  event.preventDefault();
  move(paneAt(event.target), moves[event.key], event.shiftKey);
});

/** Run the shortcut of a key that was pressed in the parent's frame. */
function pressInParent(key) {
  if (key === "Enter") go($(made.get(`${parent.source}:${parent.line}`)?.[0]));
  else if (key === "y") {
    $("parent-page").focus(); // The clipboard is only for the document with the focus.
    copyLink($("parent-page").href).then(() => frame.focus());
  } else if (Object.hasOwn(shortcuts, key)) shortcuts[key](frame);
}

document.addEventListener("click", (event) => {
  const row = rowOf(event.target);
  if (row && (event.shiftKey || getSelection().isCollapsed)) choose(row, { extend: event.shiftKey, open: true });
});
document.addEventListener("mousedown", (event) => { if (event.shiftKey && rowOf(event.target)) event.preventDefault(); });
document.addEventListener("mouseover", (event) => hint(rowOf(event.target)));

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

for (const link of document.querySelectorAll("[data-source]")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const source = Number(link.dataset.source);
    const lines = [...made.keys()].filter((key) => key.startsWith(`${source}:`)).map((key) => Number(key.split(":")[1]));
    showParent(source, Math.min(...lines));
  });
}
for (const button of document.querySelectorAll("button[data-view]")) button.addEventListener("click", () => setView(button.dataset.view));
for (const [id, step] of [["previous-change", -1], ["next-change", 1]]) {
  $(id)?.addEventListener("click", (event) => goToChange(paneOfChanges(event.target), step));
}
$("copy").addEventListener("click", () => copyLink());
$("viewed")?.addEventListener("change", rememberViewed);
$("show-modular")?.addEventListener("click", () => {
  modular.closest(".pane").classList.remove("away");
  colour(modular);
});
$("parent-close")?.addEventListener("click", closeParent);
document.addEventListener("theme", () => { if (parent) tellParent(); });
document.addEventListener("toggle", (event) => {
  if (view() === "split" && event.target.open) event.target.querySelectorAll("ol").forEach(splitSeen);
}, { capture: true });

/** Handle a message of a model's page to the parent's page in its frame. */
function obey({ line, focus, theme: name, view: shownView, used }) {
  if (line) showInside($(line));
  if (focus) takeKeys();
  if (!used) return;
  theme.apply(name);
  showView(shownView);
  for (const [id, letter] of used) $(id)?.classList.add("used", letter);
}

/** Put the focus of a frame on its selected line. */
function takeKeys() {
  hasKeys = true;
  if (isInside) marked.at(-1)?.focus({ preventScroll: true });
}

/** In a frame, show only the file of a row, and select the row. */
function showInside(row) {
  if (!row) return;
  panes.forEach((each) => each.closest("[role=tabpanel], .pane").classList.toggle("wanted", each === paneOf(row)));
  go(row, { tell: false });
}

/** Handle a message of the parent's page in the frame. */
function hear(message) {
  if (message.ready) {
    isParentReady = true;
    tellParent();
    const hasFocus = document.activeElement === frame;
    frame.contentWindow.postMessage({ line: parentAnchor(parent.line), focus: hasFocus }, "*");
  }
  if (message.key) pressInParent(message.key);
  if (message.chosen) {
    clear("lit", "counterpart", "near");
    parent.line = Number(message.chosen.slice(message.chosen.lastIndexOf("L") + 1));
    $("parent-page").href = new URL(hrefOf(parent.source, parent.line), location.href).href;
    showMade(frame, parent.source, parent.line);
  }
}

addEventListener("message", ({ source, data: message }) => {
  if (isInside && source === window.parent) obey(message);
  else if (frame && source === frame.contentWindow) hear(message);
});
addEventListener("focus", takeKeys);
addEventListener("blur", () => { hasKeys = !isInside; });

/** Go to the lines, or to the first or last change, in the address. */
function follow() {
  const wanted = address.anchor();
  const [, first, end] = wanted.match(/^(.*L\d+)-L(\d+)$/) ?? [];
  const row = rowOf($(wanted) ?? $(first) ?? document.body);
  if (row) {
    go(row);
    if (end) choose(rowAt(paneOf(row), Number(end)) ?? row, { extend: true });
  } else if (!wanted && !isInside) {
    const wrong = rowOf(document.querySelector(".code .note.error") ?? document.body);
    if (wrong) reveal(wrong);
    wrong?.scrollIntoView({ block: "nearest" });
  } else if (wanted === "change" || wanted === "last-change") {
    const starts = ownPanes.flatMap(changeStarts);
    if (starts.length) go(starts.at(wanted === "change" ? 0 : -1));
  }
}

document.documentElement.classList.toggle("inside", isInside);
if (isInside) $("content").ariaLabel = "Lines of the parent file"; // The page around it has the other main part.
document.querySelectorAll(".changed").forEach(numberOld);
document.querySelectorAll(".fold:not(.head)").forEach(addSteps);
if ($("viewed")) $("viewed").checked = viewed.is($("viewed").dataset.name, $("viewed").dataset.digest);
kindSwitches((kinds) => {
  document.body.classList.toggle("picking", kinds.length > 0);
  for (const { letter } of data.kinds) document.body.classList.toggle(`pick-${letter}`, kinds.includes(letter));
});
showTab(0);
panes.forEach(colour);
showView(address.get("view") ?? memory.get("view") ?? "changes");
follow();
addEventListener("hashchange", follow);
if (isInside) window.parent.postMessage({ ready: true }, "*");
