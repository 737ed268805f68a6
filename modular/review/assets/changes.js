"use strict";

// Shows changes folded, side by side or not at all, and highlights Python.

/** Number the removed and unchanged lines of a pane as in the old text. */
function numberOld(pane) {
  let number = 0;
  let shift = 0; // number of lines that the old text has more than the new one, so far
  for (const list of pane.querySelectorAll("ol")) {
    // The lines between two lists can be left out: they are equal in both texts.
    if (list.hasAttribute("start")) number = list.start - 1 + shift;
    for (const row of list.querySelectorAll("li")) {
      if (row.classList.contains("new")) shift -= 1;
      else number += 1;
      if (row.classList.contains("gone")) shift += 1;
      row.dataset.old = number;
    }
  }
}

/** Arrange the lines of a list in two columns, the old text on the left. */
function pair(list) {
  let line = 1;
  let [left, right] = [0, 0]; // number of rows of the current change in each column
  for (const row of [...list.children]) {
    const isChange = row.matches(".gone, .new");
    if (!isChange || (row.classList.contains("gone") && right)) {
      line += Math.max(left, right);
      [left, right] = [0, 0];
    }
    if (!isChange) {
      const old = row.cloneNode(true);
      old.removeAttribute("id");
      old.className = "stayed";
      old.style.gridArea = `${line} / 1`;
      row.before(old);
      row.style.gridArea = `${line} / 2`;
      line += 1;
    } else if (row.classList.contains("gone")) row.style.gridArea = `${line + left++} / 1`;
    else row.style.gridArea = `${line + right++} / 2`;
  }
  list.classList.add("pairs");
}

function unpair(list) {
  list.classList.remove("pairs");
  for (const row of [...list.children]) {
    if (row.classList.contains("stayed")) row.remove();
    else row.style.gridArea = "";
  }
}

/** Show only `changes`, both versions side by side (`split`), or `whole` files. */
function showView(view) {
  if (!document.body.dataset.view) return;
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll("button[data-view]")) button.ariaPressed = String(button.dataset.view === view);
  for (const fold of document.querySelectorAll(".fold")) fold.open = view === "whole";
  document.querySelectorAll(".pairs").forEach(unpair);
  if (view === "split") document.querySelectorAll(".changed ol").forEach(splitSeen);
}

/** Show a list side by side, unless it is folded, shown so already, or in the narrow pane. */
function splitSeen(list) {
  if (list.closest(".left")) return;
  if (list.closest(".fold:not([open])") || list.classList.contains("pairs")) return;
  pair(list);
  colourRows([...list.querySelectorAll(".stayed")]);
}

/** Return the first row of each shown change in a pane; for removed lines, the row after them. */
function changeStarts(pane) {
  const starts = [];
  let [isChanged, isWanted, last] = [false, false, null];
  for (const row of pane.querySelectorAll("li:not(.stayed)")) {
    const wasChanged = isChanged;
    isChanged = row.matches(".gone, .new");
    if (isChanged && !wasChanged) isWanted = true;
    if (!row.id) continue;
    if (isWanted) starts.push(row);
    isWanted = false;
    last = row;
  }
  if (isWanted && last) starts.push(last);
  return starts;
}

const STEP = 20; // number of lines that a button of a fold shows

/** Add buttons to a fold that show its first or last lines, next to the changes above and below it. */
function addSteps(fold) {
  const folded = Object.assign(document.createElement("div"), { className: "folded" });
  const steps = Object.assign(document.createElement("div"), { className: "steps" });
  const isFirst = !fold.previousElementSibling;
  const isLast = !fold.nextElementSibling;
  fold.replaceWith(folded);
  folded.append(fold, steps);
  for (const [isHidden, isDown, text, title] of [
    [isFirst, true, `↓ ${STEP} lines`, `Show ${STEP} more lines below the change above`],
    [isLast, false, `↑ ${STEP} lines`, `Show ${STEP} more lines above the change below`],
  ]) {
    if (isHidden) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, title });
    button.addEventListener("click", () => showMore(folded, isDown));
    steps.append(button);
  }
}

/** Move the first or the last lines out of a fold. */
function showMore(folded, isDown) {
  const [fold] = folded.children;
  fold.querySelectorAll(".pairs").forEach(unpair);
  const rows = [...fold.querySelectorAll("li")];
  const shown = isDown ? rows.slice(0, STEP) : rows.slice(-STEP);
  const list = document.createElement("ol");
  list.start = numberOf(shown[0]);
  list.append(...shown);
  // Below a fold, the name of the changed function stays above its lines.
  const heading = folded.nextElementSibling;
  if (isDown) folded.before(list);
  else (heading?.matches(".owner") ? heading : folded).after(list);
  for (const each of fold.querySelectorAll("ol")) {
    if (each.children.length) each.start = numberOf(each.firstElementChild);
    else each.remove();
  }
  if (document.body.dataset.view === "split") splitSeen(list);
  const rest = rows.length - shown.length;
  const summary = fold.firstElementChild;
  summary.textContent = summary.textContent.replace(/^\d+ (unchanged )?lines?/, `${rest} $1line${rest === 1 ? "" : "s"}`);
  if (rest) return;
  folded.remove();
  shown[0].tabIndex = -1;
  shown[0].focus({ preventScroll: true });
}

const COLOURS = { comment: "comment", string: "string", "triple-quoted-string": "string", keyword: "keyword", number: "number", boolean: "keyword", function: "name", "class-name": "name", decorator: "number" };

/** Return the text nodes of rows, without notes. */
function textNodes(rows) {
  return rows.flatMap((row) => {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest(".note") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  });
}

/** Highlight rows whose joined text is Python code. */
function colourRows(rows) {
  if (!CSS.highlights) return;
  const nodes = textNodes(rows);
  let [index, start] = [0, 0]; // index of the current text node, and its offset in the joined text
  let place = 0;
  function pass(length, name) {
    const end = place + length;
    while (place < end && index < nodes.length) {
      const stop = Math.min(end, start + nodes[index].length);
      if (name) {
        const range = { startContainer: nodes[index], startOffset: place - start, endContainer: nodes[index], endOffset: stop - start };
        highlights.get(name).add(new StaticRange(range));
      }
      place = stop;
      if (place === start + nodes[index].length) start += nodes[index++].length;
    }
  }
  function walk(tokens, name) {
    for (const token of tokens) {
      if (typeof token === "string") pass(token.length, name);
      else walk([token.content].flat(), COLOURS[token.type] ?? name);
    }
  }
  walk(Prism.tokenize(nodes.map((node) => node.data).join(""), Prism.languages.python), null);
}

const highlights = new Map();
const coloured = new WeakSet();

/** Highlight a pane when it becomes visible for the first time. */
function colour(pane) {
  if (!CSS.highlights || !pane.offsetParent || coloured.has(pane)) return;
  coloured.add(pane);
  colourRows([...pane.querySelectorAll("li[id]")]);
  colourRows([...pane.querySelectorAll(".gone")]);
}

for (const name of CSS.highlights ? new Set(Object.values(COLOURS)) : []) {
  highlights.set(name, new Highlight());
  CSS.highlights.set(name, highlights.get(name));
}
