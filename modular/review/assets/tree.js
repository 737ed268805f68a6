"use strict";

// Shows the parents and children of models as indented lists. The next level is added when a model is opened.
const relatives = { parents: new Map(), children: new Map() };
for (const [parent, child] of CATALOGUE.edges) {
  relatives.parents.set(child, [...(relatives.parents.get(child) ?? []), parent]);
  relatives.children.set(parent, [...(relatives.children.get(parent) ?? []), child]);
}
const knownModels = new Map(CATALOGUE.models.map((model) => [model.name, model]));
const MAX_LISTED = 60; // matches that a search lists

/** Return the name of the model, or of the parent, whose page this is. */
function modelOfPage() {
  const isHere = ({ href }) => href && new URL(document.body.dataset.up + href, location.href).pathname === location.pathname;
  return CATALOGUE.models.find(isHere)?.name;
}

/** Return a list of models; `direction` is `parents` or `children`, `path` the models around the list. */
function listOf(names, direction, path, here) {
  const list = document.createElement("ul");
  list.append(...names.map((name) => itemOf(name, direction, path, here)));
  return list;
}

function itemOf(name, direction, path, here) {
  const { href, state, isEdited } = knownModels.get(name);
  const item = document.createElement("li");
  const next = (relatives[direction].get(name) ?? []).filter((each) => each !== name && !path.includes(each));
  if (next.length) item.append(openerOf(item, name, next, direction, [...path, name], here));
  const label = document.createElement(href ? "a" : "span");
  label.textContent = name;
  if (href) label.href = document.body.dataset.up + href;
  if (name === here) label.ariaCurrent = "page";
  item.append(label);
  const words = [{ broken: "has errors", changed: "changed", hand: "hand-written" }[state], isEdited && "edited"].filter(Boolean).join(", ");
  item.append(Object.assign(document.createElement("span"), { className: "count", textContent: ` ${words}${next.length ? ` (${next.length})` : ""}` }));
  return item;
}

/** Return the button that opens and closes the next level below an item. */
function openerOf(item, name, next, direction, path, here) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "opener", ariaExpanded: "false", ariaLabel: `${direction} of ${name}` });
  button.addEventListener("click", () => {
    const isOpen = button.ariaExpanded === "true";
    if (isOpen) item.lastElementChild.remove();
    else item.append(listOf(next, direction, path, here));
    button.ariaExpanded = String(!isOpen);
  });
  return button;
}

/** Fill an element with a search, the relatives of a model, and all models; `heading` is the tag of its headings. */
function makeTree(box, focus, heading) {
  const field = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off", placeholder: "Find a model", ariaLabel: "Find a model in the tree" });
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  const lists = document.createElement("div");
  const here = modelOfPage();
  const names = [...knownModels.keys()];

  function add(title, list) {
    lists.append(Object.assign(document.createElement(heading), { textContent: title }), list);
  }

  function show() {
    const wanted = field.value.trim().toLowerCase();
    const found = wanted ? names.filter((name) => name.toLowerCase().includes(wanted)) : [];
    said.textContent = wanted && !found.length ? "Nothing found." : found.length > MAX_LISTED ? `The first ${MAX_LISTED} of ${found.length}.` : "";
    if (wanted) {
      lists.replaceChildren(listOf(found.slice(0, MAX_LISTED), "children", [], here));
      return;
    }
    lists.replaceChildren();
    for (const direction of knownModels.has(focus) ? ["parents", "children"] : []) {
      const next = relatives[direction].get(focus) ?? [];
      const title = direction === "parents" ? `${focus} inherits from` : `Inherit from ${focus}`;
      if (next.length) add(title, listOf(next, direction, [focus], here));
    }
    const roots = names.filter((name) => !relatives.parents.has(name));
    // The parents that were edited come first. The start page also shows which models inherit from them.
    const isEdited = (name) => Boolean(knownModels.get(name).isEdited);
    const edited = roots.filter(isEdited);
    const all = listOf([...edited, ...roots.filter((name) => !isEdited(name))], "children", [], here);
    add("All models", all);
    if (here) return;
    for (const item of [...all.children].slice(0, edited.length)) item.querySelector(":scope > .opener")?.click();
  }

  field.addEventListener("input", show);
  box.addEventListener("keydown", treeKey);
  box.append(field, said, lists);
  show();
}

/** Move between the models of a tree with arrow keys; open and close the next level. */
function treeKey(event) {
  const box = event.currentTarget;
  const item = event.target.closest("li");
  const opener = item?.querySelector(":scope > .opener");
  const places = [...box.querySelectorAll("input, a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isOpen = opener?.ariaExpanded === "true";
  if (step) {
    const from = places.indexOf(event.target.matches("input, a") ? event.target : item.querySelector("a") ?? places[0]);
    places[Math.min(Math.max(from + step, 0), places.length - 1)].focus();
  } else if (event.key === "ArrowRight" && opener && !isOpen) opener.click();
  else if (event.key === "ArrowLeft" && isOpen) opener.click();
  else if (event.key === "ArrowLeft" && item) item.parentElement.closest("li")?.querySelector("a, button")?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Show or hide the tree beside the files of a page. */
function showTree(on) {
  $("tree").hidden = !on;
  $("open-tree").ariaExpanded = String(on);
  if (on && !$("tree").children.length) makeTree($("tree"), modelOfPage(), "h2");
}

function toggleTree() {
  const on = $("tree").hidden;
  memory.set("tree", on ? "open" : "closed");
  showTree(on);
  if (on) $("tree").querySelector("input").focus();
  else $("open-tree").focus();
}

if ($("open-tree") && !isInside) {
  const isWide = matchMedia("(min-width: 1400px)").matches;
  $("open-tree").addEventListener("click", toggleTree);
  shortcuts.i = toggleTree;
  showTree(isWide && memory.get("tree") !== "closed");
}
