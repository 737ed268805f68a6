"use strict";

// Shows changes folded, side by side or not at all, and highlights Python.

/** Number the removed and unchanged lines of a pane as in the old text. */
function numberOld(pane) {
  let number = 0;
  for (const row of pane.querySelectorAll("li")) {
    if (!row.classList.contains("new")) number += 1;
    row.dataset.old = number;
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

/** Show a list side by side, unless it is folded or shown so already. */
function splitSeen(list) {
  if (list.closest(".fold:not([open])") || list.classList.contains("pairs")) return;
  pair(list);
  colourRows([...list.querySelectorAll(".stayed")]);
}

/** Return the first row of each change in a pane; for removed lines, the row after them. */
function changeStarts(pane) {
  const rows = [...pane.querySelectorAll("li[id]")];
  const isNew = (row) => row?.classList.contains("new");
  const isAfterGone = (row) => {
    const before = row.previousElementSibling;
    return before?.classList.contains("gone") || (before?.classList.contains("stayed") && before.previousElementSibling?.classList.contains("gone"));
  };
  const starts = rows.filter((row, index) => (isNew(row) ? !isNew(rows[index - 1]) : isAfterGone(row) && !isNew(rows[index - 1])));
  return starts.length || !pane.querySelector(".gone") ? starts : rows.slice(-1);
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
