"use strict";

// Functions of all pages. This script runs before the page is drawn.
const $ = (id) => document.getElementById(id);
document.documentElement.classList.add("js");

/** Values that the browser keeps for all pages of all reviews, if it allows that. */
const memory = {
  get(key) {
    try { return localStorage.getItem(`modular-review:${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`modular-review:${key}`, value); } catch { /* The value is lost when the page is closed. */ }
  },
};

/** The parameters and the anchor in the page's address. */
const address = {
  get: (name) => new URLSearchParams(location.search).get(name),
  set(values) {
    const url = new URL(location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value) url.searchParams.set(name, value);
      else url.searchParams.delete(name);
    }
    history.replaceState(null, "", url);
  },
  /** Return the identifier of the element that the address points to. */
  anchor() {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
  },
};

const theme = {
  apply(name) {
    if (name) document.documentElement.dataset.theme = name;
  },
  current() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return document.documentElement.dataset.theme || (dark ? "dark" : "light");
  },
  toggle() {
    theme.apply(theme.current() === "dark" ? "light" : "dark");
    memory.set("theme", theme.current());
    document.dispatchEvent(new Event("theme"));
  },
};
theme.apply(memory.get("theme"));

const viewed = {
  key: (name) => `viewed:${CATALOGUE.project}:${name}`,
  is: (name, digest) => Boolean(digest) && memory.get(viewed.key(name)) === digest,
  set: (name, digest, on) => memory.set(viewed.key(name), on ? digest : ""),
};

/** Replace a label by a button, which works only with scripts. */
function asButton(label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = label.className;
  button.title = label.title;
  Object.assign(button.dataset, label.dataset);
  button.append(...label.childNodes);
  button.addEventListener("click", act);
  label.replaceWith(button);
  return button;
}

/** Turn the labels of provenances into switches; the address holds the chosen ones. */
function kindSwitches(change) {
  const chosen = () => address.get("kinds") ?? "";
  const buttons = [...document.querySelectorAll("[data-kind]")].map((label) => asButton(label, (event) => {
    const kind = event.currentTarget.dataset.kind;
    address.set({ kinds: chosen().includes(kind) ? chosen().replace(kind, "") : chosen() + kind });
    show();
  }));
  function show() {
    for (const button of buttons) button.ariaPressed = String(chosen().includes(button.dataset.kind));
    change([...chosen()]);
  }
  show();
}

const MAX_HITS = 15;

/** Return the models whose names contain a text, the best matches first. */
function search(wanted) {
  const fitting = CATALOGUE.models.filter(({ name, href }) => href && name.toLowerCase().includes(wanted));
  return byRank(fitting, wanted);
}

/** Sort by names: the text itself, then names that begin with it, then the others. */
function byRank(found, wanted) {
  const rank = (name) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  const isParent = ({ state }) => state === "hand";
  return found.sort((one, other) => rank(one.name.toLowerCase()) - rank(other.name.toLowerCase()) || isParent(other) - isParent(one));
}

/** Return the classes and functions whose names contain a text, the best matches first. */
function searchSymbols(wanted) {
  const found = [];
  for (const [file, href, ...symbols] of wanted && typeof SYMBOLS !== "undefined" ? SYMBOLS : []) {
    for (let index = 0; index < symbols.length; index += 2) {
      const [name, line] = symbols.slice(index, index + 2);
      if (name.toLowerCase().includes(wanted)) found.push({ name, href: `${href}${line}`, words: [file] });
    }
  }
  return byRank(found, wanted);
}

/** Load the classes and functions, which only a search needs. */
function loadSymbols() {
  if ($("symbols")) return;
  const script = Object.assign(document.createElement("script"), { id: "symbols", src: `${document.body.dataset.up}symbols.js` });
  script.addEventListener("load", showHits);
  document.head.append(script);
}

function showHits() {
  const wanted = $("wanted").value.trim().toLowerCase();
  const models = search(wanted).map(({ name, href, digest, state }) => {
    const words = [{ broken: "has errors", changed: "changed", hand: "hand-written" }[state], viewed.is(name, digest) && "viewed"];
    return { name, href, state, words: ["model", ...words.filter(Boolean)] };
  });
  const found = byRank([...models, ...searchSymbols(wanted)], wanted);
  const hits = found.slice(0, MAX_HITS).map(({ name, href, words }) => {
    const link = Object.assign(document.createElement("a"), { href: document.body.dataset.up + href, textContent: name });
    const item = document.createElement("li");
    item.append(link, ` ${words.join(", ")}`);
    return item;
  });
  const focused = document.activeElement?.closest("#hits a")?.href; // The classes may arrive while a hit has the focus.
  $("hits").replaceChildren(...hits);
  if (focused) ([...$("hits").querySelectorAll("a")].find((link) => link.href === focused) ?? $("wanted")).focus();
  $("found-hits").textContent = found.length > MAX_HITS ? `The first ${MAX_HITS} of ${found.length}.` : found.length ? "" : "Nothing found.";
}

function openSearch() {
  loadSymbols();
  showHits();
  $("search").showModal();
  $("wanted").select();
}

/** Move between search results with arrow keys, or open the first with Enter. */
function searchKey(event) {
  const links = [...$("hits").querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) [$("wanted"), ...links].at((links.indexOf(event.target) + 1 + step) % (links.length + 1)).focus();
  else if (event.key === "Enter" && event.target === $("wanted")) links[0]?.click();
  else if (event.key === "Escape") $("search").close(); // Otherwise, the first Escape only empties the field.
  else return;
  event.preventDefault();
}

const isInside = window.parent !== window; // a parent's page in a frame on a model's page

/** The functions of keys; the scripts of pages add theirs. They get the element that has the focus. */
const shortcuts = { "/": openSearch, t: theme.toggle, "?": () => $("keys").showModal() };

/** Return whether a key is typed into a field or is a shortcut of the browser. */
function isTaken(event) {
  return event.ctrlKey || event.metaKey || event.altKey || Boolean(event.target.closest?.("input, select, dialog"));
}

/** Return whether a key belongs to the link or button that has the focus. */
function isOfControl(event) {
  return ["Enter", "ArrowDown", "ArrowUp", "Home", "End"].includes(event.key) && Boolean(event.target.closest?.("a, button, summary"));
}

addEventListener("DOMContentLoaded", () => {
  $("open-search").addEventListener("click", openSearch);
  $("wanted").addEventListener("input", showHits);
  $("search").addEventListener("keydown", searchKey);
  $("theme").addEventListener("click", theme.toggle);
  $("help").addEventListener("click", () => $("keys").showModal());
});
addEventListener("keydown", (event) => {
  if (isTaken(event) || isOfControl(event) || !Object.hasOwn(shortcuts, event.key)) return;
  event.preventDefault();
  // In a frame, only the page around it has a search, a theme and other models.
  if (isInside) window.parent.postMessage({ key: event.key }, "*");
  else shortcuts[event.key](event.target);
});
