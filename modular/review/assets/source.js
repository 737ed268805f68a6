/* made by modular review */
"use strict";

// A source file, alone or as the parent beside a model. Whoever shows it says which line to light, and hears of clicks.
const lines = document.querySelector(".code");
const inside = window.parent !== window;
document.body.classList.toggle("inside", inside);

function light(row, quiet) {
  for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
  if (!row) return;
  row.classList.add("lit");
  lines.setAttribute("aria-activedescendant", row.id);
  row.scrollIntoView({ block: quiet ? "nearest" : "center" });
}

const numberOf = (row) => Number(row.id.slice(row.id.lastIndexOf("-L") + 2));
const rowAt = (number) => document.getElementById(`${lines.dataset.name}-L${number}`);
const current = () => document.querySelector(".lit");

function fromHash() {
  light(document.getElementById(wantedId()));
}

function choose(row) {
  if (!row) return;
  light(row, true);
  if (inside) window.parent.postMessage({ line: numberOf(row) }, "*");
  else history.replaceState(null, "", `#${encodeURIComponent(row.id)}`);
}

lines.addEventListener("click", (event) => choose(event.target.closest("[id]")));
addEventListener("hashchange", fromHash);
addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || !inside) return;
  theme.apply(data.theme);
  for (const number of data.used?.lines ?? []) rowAt(number)?.classList.add(data.used.colour);
});
addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (step) {
    event.preventDefault();
    choose(rowAt(current() ? numberOf(current()) + step : 1));
  } else if (inside && event.key === "Escape") window.parent.postMessage({ close: true }, "*");
  else if (!inside && event.key === "t") theme.toggle();
});
for (const row of lines.querySelectorAll("[id]")) row.setAttribute("role", "option");
fromHash();
if (inside) window.parent.postMessage({ ready: true }, "*");
