/* made by modular review */
"use strict";

// What all pages share. Light or dark: what the system says, until somebody chooses. Runs before the page is drawn.
const theme = {
  stored() {
    try { return localStorage.getItem("modular-review-theme"); } catch { return null; }
  },
  apply(name) {
    if (name) document.documentElement.dataset.theme = name;
  },
  current() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return document.documentElement.dataset.theme || (dark ? "dark" : "light");
  },
  toggle() {
    const name = theme.current() === "dark" ? "light" : "dark";
    try { localStorage.setItem("modular-review-theme", name); } catch { /* the choice holds for this page */ }
    theme.apply(name);
    return name;
  },
};

theme.apply(theme.stored());

/** The identifier that the address names. */
function wantedId() {
  try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
}
