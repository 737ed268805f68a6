"use strict";

// Draws the inheritance graph around a model; dagre computes the layout. A tree replaces a drawing that would be too large.
const SVG = $("graph").namespaceURI;
const [HEIGHT, PADDING, MARGIN] = [22, 8, 12];
const graph = $("graph");
// After a change, the models that lead from an edited file to a changed model are drawn.
const models = new Map(CATALOGUE.models.filter(({ isDrawn }) => isDrawn).map((model) => [model.name, model]));
const edges = CATALOGUE.edges.filter(([parent, model]) => models.has(parent) && models.has(model));
const MAX_DRAWN_MODELS = 30;
const MAX_LISTED_MODELS = 12;

/** Return the models reachable in one direction: `from` and `to` are 0 for the parent, 1 for the child. */
function reached(start, from, to) {
  const found = new Set([start]);
  for (const name of found) for (const edge of edges) if (edge[from] === name) found.add(edge[to]);
  return found;
}

/** Return the models to draw and the edges between them. */
function around(asked, extent) {
  if (extent === "all" || !models.has(asked)) return [new Set(models.keys()), edges];
  if (extent === "near") {
    const near = edges.filter((edge) => edge.includes(asked));
    return [new Set([asked, ...near.flat()]), near];
  }
  const names = new Set([...reached(asked, 0, 1), ...reached(asked, 1, 0)]);
  return [names, edges.filter(([parent, model]) => names.has(parent) && names.has(model))];
}

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const measure = document.createElement("canvas").getContext("2d");
measure.font = '13px ui-monospace, "DejaVu Sans Mono", monospace';

function labelOf(name) {
  const { state, isEdited } = models.get(name);
  return `${name}${isEdited ? " ✎" : ""}${state === "changed" ? " ±" : ""}`;
}

/** Return dagre's key of a model. The prefix avoids names such as `constructor`, which every object has. */
const keyOf = (name) => `model ${name}`;

function layOut(names, between) {
  const laid = new dagre.graphlib.Graph();
  laid.setGraph({ rankdir: "LR", nodesep: 10, edgesep: 8, ranksep: 70, marginx: MARGIN, marginy: MARGIN, ranker: "tight-tree" });
  laid.setDefaultEdgeLabel(() => ({}));
  for (const name of [...names].sort().reverse()) laid.setNode(keyOf(name), { name, width: measure.measureText(labelOf(name)).width + 2 * PADDING, height: HEIGHT });
  for (const [parent, model] of between) laid.setEdge(keyOf(parent), keyOf(model));
  dagre.layout(laid);
  return laid;
}

/** Return half the width of each column by the horizontal centre of its nodes. */
function columns(laid) {
  const found = new Map();
  for (const { x, width } of laid.nodes().map((key) => laid.node(key))) {
    const middle = Math.round(x);
    found.set(middle, Math.max(found.get(middle) ?? 0, width / 2));
  }
  return found;
}

/** Return the path of an edge: horizontal inside columns, so that it passes between nodes, and curved between them. */
function curve(laid, edge, halves) {
  const [from, to] = [laid.node(edge.v), laid.node(edge.w)];
  const points = laid.edge(edge).points.slice(1, -1).filter(({ x }) => halves.has(Math.round(x)));
  let [x, y] = [from.x + from.width / 2, from.y];
  let path = `M${x} ${y}`;
  const level = (wanted) => { if (Math.abs(wanted - x) > 0.5) path += `H${x = wanted}`; };
  level(from.x + halves.get(Math.round(from.x)));
  for (const point of [...points, to]) {
    const half = halves.get(Math.round(point.x));
    const [left, middle] = [point.x - half, (x + point.x - half) / 2];
    path += `C${middle} ${y} ${middle} ${point.y} ${left} ${point.y}`;
    [x, y] = [left, point.y];
    level(point === to ? to.x - to.width / 2 : point.x + half);
  }
  return path;
}

function nodeOf(laid, name, asked) {
  const { x, y, width } = laid.node(keyOf(name));
  const { href, state, isEdited } = models.get(name);
  const rect = element("rect", { x: x - width / 2, y: y - HEIGHT / 2, width, height: HEIGHT, rx: 5 });
  const text = element("text", { x, y: y + 4 }, labelOf(name));
  const parents = edges.filter(([, model]) => model === name).map(([parent]) => parent);
  const label = [name, isEdited && "edited", state === "broken" && "has errors", parents.length ? `inherits from ${parents.join(", ")}` : "hand-written"];
  const attributes = { class: `node ${state} ${isEdited ? "edited" : ""} ${name === asked ? "here" : ""}`, "data-name": name, "aria-label": label.filter(Boolean).join(", ") };
  return href ? element("a", { ...attributes, href }, rect, text) : element("g", { ...attributes, role: "img" }, rect, text);
}

function draw(asked, extent) {
  const [names, between] = around(asked, extent);
  const laid = layOut(names, between);
  const halves = columns(laid);
  const { width = 0, height = 0 } = laid.graph();
  const arrows = laid.edges().map((edge) => element("path", { d: curve(laid, edge, halves), "data-parent": laid.node(edge.v).name, "data-model": laid.node(edge.w).name }));
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) graph.setAttribute(name, value);
  graph.replaceChildren(element("g", { class: "arrows", "aria-hidden": "true" }, ...arrows), ...[...names].map((name) => nodeOf(laid, name, asked)));
  if (models.has(asked)) {
    const scroll = graph.parentElement;
    const { x, y } = laid.node(keyOf(asked));
    scroll.scrollTo(x - scroll.clientWidth / 2, y - scroll.clientHeight / 2);
  }
  describe(asked);
}

/** Highlight the edges of a model, and name its parents and children. */
function describe(name) {
  for (const path of graph.querySelectorAll("path")) path.classList.toggle("on", name === path.dataset.parent || name === path.dataset.model);
  const names = (index) => {
    const found = edges.filter((edge) => edge[1 - index] === name).map((edge) => edge[index]);
    return found.length > MAX_LISTED_MODELS ? `${found.length} models` : found.join(", ");
  };
  $("around").textContent = models.has(name) ? `${name} inherits from ${names(0) || "nothing"}; inherited by ${names(1) || "none"}` : "";
}

function ask(event) {
  event?.preventDefault();
  const wanted = $("asked").value.trim().toLowerCase();
  const asked = wanted && (models.has(wanted) ? wanted : search(wanted)[0]?.name);
  if (wanted && !asked) {
    $("around").textContent = `There is no model ${wanted}.`;
    return;
  }
  $("asked").value = asked;
  if (event) address.set({ model: asked, extent: $("extent").value });
  draw(asked, $("extent").value);
}

if (models.size > MAX_DRAWN_MODELS || matchMedia("(max-width: 700px)").matches) {
  $("drawing").hidden = true;
  makeTree($("tree"), address.get("model"), "h3");
} else {
  $("tree").hidden = true;
  $("names").append(...[...models.keys()].map((name) => Object.assign(document.createElement("option"), { value: name })));
  $("asked").value = address.get("model") ?? "";
  $("extent").value = address.get("extent") ?? "all";
  $("ask").addEventListener("submit", ask);
  $("extent").addEventListener("change", ask);
  for (const name of ["mouseover", "focusin"]) {
    graph.addEventListener(name, (event) => { const node = event.target.closest(".node"); if (node) describe(node.dataset.name); });
  }
  ask();
}
