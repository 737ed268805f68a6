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

/** Return the models whose names contain a text, the best matches first. */
function search(wanted) {
  const rank = ({ name }) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2);
  const fitting = CATALOGUE.models.filter(({ name, href }) => href && name.toLowerCase().includes(wanted));
  return fitting.sort((one, other) => rank(one) - rank(other)).slice(0, 12);
}

function showHits() {
  const hits = search($("wanted").value.trim().toLowerCase()).map(({ name, href, digest, state }) => {
    const link = Object.assign(document.createElement("a"), { href: document.body.dataset.up + href, textContent: name });
    const words = [{ broken: "has errors", changed: "changed", hand: "hand-written" }[state], viewed.is(name, digest) && "viewed"];
    const item = document.createElement("li");
    item.append(link, ` ${words.filter(Boolean).join(", ")}`);
    return item;
  });
  $("hits").replaceChildren(...hits);
}

function openSearch() {
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
  else return;
  event.preventDefault();
}

const isInside = window.parent !== window; // a parent's page in a frame on a model's page

/** Return whether a key is typed into a field or is a shortcut of the browser. */
function isTaken(event) {
  return event.ctrlKey || event.metaKey || event.altKey || Boolean(event.target.closest?.("input, select, dialog"));
}

addEventListener("DOMContentLoaded", () => {
  $("open-search").addEventListener("click", openSearch);
  $("wanted").addEventListener("input", showHits);
  $("search").addEventListener("keydown", searchKey);
  $("theme").addEventListener("click", theme.toggle);
  $("help").addEventListener("click", () => $("keys").showModal());
});
addEventListener("keydown", (event) => {
  if (isTaken(event) || isInside) return;
  const act = { "/": openSearch, t: theme.toggle, "?": () => $("keys").showModal() }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
