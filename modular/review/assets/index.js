/* made by modular review */
"use strict";

// The start page: the table's filter, and the drawing with zoom and light.
const $ = (id) => document.getElementById(id);
const rows = [...document.querySelectorAll("#models tbody tr")];
const graph = $("graph");
const nodes = [...graph.querySelectorAll(".node")].sort((one, other) => one.dataset.number - other.dataset.number);
const arrows = [...graph.querySelectorAll("path")].map((path) => {
  const [parent, model] = path.dataset.ends.split(" ").map(Number);
  return { path, parent, model };
});
const width = Number(graph.dataset.width);
const height = Number(graph.dataset.height);
const view = { x: 0, y: 0, width, height };

function filter() {
  const wanted = $("filter").value.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  const seen = rows.filter((row) => !row.hidden).length;
  $("found").textContent = wanted ? `${seen} of ${rows.length}` : "";
}

function show() {
  graph.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
}

/** Zoom by a factor around a place in the drawing; 0 shows all of it. */
function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
  if (!factor) Object.assign(view, { x: 0, y: 0, width, height });
  else {
    const by = Math.min(Math.max(factor, view.width / (width * 1.5)), view.width / 150);
    Object.assign(view, { x: x - (x - view.x) / by, y: y - (y - view.y) / by, width: view.width / by, height: view.height / by });
  }
  show();
}

function pan(x, y) {
  view.x += x;
  view.y += y;
  show();
}

/** How many units of the drawing a pixel is. */
const scale = () => 1 / graph.getScreenCTM().a;

function place(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
}

/** All that is reached from a model by arrows in one direction. */
function reached(start, from, to) {
  const found = new Set([start]);
  for (const each of found) for (const arrow of arrows) if (arrow[from] === each) found.add(arrow[to]);
  return found;
}

function light(node) {
  graph.classList.toggle("lighting", Boolean(node));
  for (const each of graph.querySelectorAll(".on, .here")) each.classList.remove("on", "here");
  if (!node) return;
  const number = Number(node.dataset.number);
  const above = reached(number, "model", "parent");
  const below = reached(number, "parent", "model");
  for (const each of [...above, ...below]) nodes[each].classList.add("on");
  node.classList.add("here");
  for (const { path, parent, model } of arrows) {
    const on = (above.has(parent) && above.has(model)) || (below.has(parent) && below.has(model));
    path.classList.toggle("on", on);
  }
  const names = (set) => [...set].filter((each) => each !== number).map((each) => nodes[each].dataset.name).join(", ");
  $("around").textContent = `${node.dataset.name} takes from ${names(above) || "nothing"}; used by ${names(below) || "none"}`;
}

function find() {
  const wanted = $("find").value.trim().toLowerCase();
  const starting = (node) => node.dataset.name.toLowerCase().startsWith(wanted);
  const node = nodes.find((each) => each.dataset.name.toLowerCase() === wanted) ?? nodes.find(starting);
  if (!wanted || !node) return light(null);
  const box = node.querySelector("rect").getBBox();
  const wide = Math.min(width, 900);
  const high = (wide * height) / width;
  Object.assign(view, { x: box.x + box.width / 2 - wide / 2, y: box.y + box.height / 2 - high / 2, width: wide, height: high });
  show();
  light(node);
}

$("filter").addEventListener("input", filter);
$("find").addEventListener("input", find);
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => zoom(Number(button.dataset.zoom)));
}

graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  const { x, y } = place(event);
  zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, x, y);
}, { passive: false });

let dragged = null;
graph.addEventListener("pointerdown", (event) => { dragged = { x: event.clientX, y: event.clientY, far: false }; });
addEventListener("pointerup", () => setTimeout(() => { dragged = null; }));
addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const [x, y] = [event.clientX - dragged.x, event.clientY - dragged.y];
  if (!dragged.far && Math.hypot(x, y) < 4) return;
  pan(-x * scale(), -y * scale());
  dragged = { x: event.clientX, y: event.clientY, far: true };
});
graph.addEventListener("dragstart", (event) => event.preventDefault());
graph.addEventListener("click", (event) => { if (dragged?.far) event.preventDefault(); }, { capture: true });
graph.addEventListener("mouseover", (event) => light(event.target.closest(".node")));
graph.addEventListener("mouseleave", () => light(null));
graph.addEventListener("focusin", (event) => light(event.target.closest(".node")));

const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
graph.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  const factor = { "+": 1.4, "-": 0.714, 0: 0 }[event.key];
  if (step) pan((step[0] * view.width) / 10, (step[1] * view.height) / 10);
  else if (factor !== undefined) zoom(factor);
  else return;
  event.preventDefault();
});
$("theme").addEventListener("click", theme.toggle);
addEventListener("keydown", (event) => {
  if (event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "INPUT") theme.toggle();
});
