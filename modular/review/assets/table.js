"use strict";

// Filters and sorts the table of the start page. The address holds the choices.
const body = document.querySelector("#models tbody");
const rows = [...body.rows];
const heads = [...document.querySelectorAll("th[data-sort]")];
let kinds = [];

/** Return the number of a model's lines of the chosen provenances. */
const linesOf = (row) => kinds.reduce((sum, kind) => sum + Number(row.querySelector(`rect.${kind}`)?.dataset.lines ?? 0), 0);

function filter() {
  const wanted = $("filter").value.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted) || (kinds.length > 0 && !linesOf(row));
  const seen = rows.filter((row) => !row.hidden).length;
  $("found").textContent = seen < rows.length ? `${seen} of ${rows.length}` : "";
  address.set({ filter: wanted });
}

/** Sort by a column, descending if its name has the prefix `-`; without one, by lines of the chosen provenances. */
function sort(wanted) {
  const isDown = wanted?.startsWith("-");
  const column = wanted?.replace("-", "");
  const compare = (one, other) => {
    if (!column) return linesOf(other) - linesOf(one) || rows.indexOf(one) - rows.indexOf(other);
    const [left, right] = isDown ? [other.dataset[column], one.dataset[column]] : [one.dataset[column], other.dataset[column]];
    return column === "name" ? left.localeCompare(right) : left - right;
  };
  body.replaceChildren(...rows.toSorted(compare));
  for (const head of heads) head.ariaSort = head.dataset.sort === column ? (isDown ? "descending" : "ascending") : null;
  address.set({ sort: wanted });
}

for (const head of heads) {
  const label = document.createElement("span");
  label.append(...head.childNodes);
  head.append(label);
  asButton(label, () => {
    const [first, then] = head.dataset.sort === "name" ? ["name", "-name"] : [`-${head.dataset.sort}`, head.dataset.sort];
    sort(address.get("sort") === first ? then : first);
  });
}

const states = new Map(CATALOGUE.models.map((model) => [model.name, model]));
for (const row of rows) {
  if (!viewed.is(row.dataset.name, states.get(row.dataset.name)?.digest)) continue;
  row.classList.add("viewed");
  row.cells[0].append(Object.assign(document.createElement("span"), { className: "count", textContent: " ✓ viewed" }));
}
const count = rows.filter((row) => row.classList.contains("viewed")).length;
$("seen").textContent = `${count} of ${rows.length} viewed`;

$("filter").value = address.get("filter") ?? "";
$("filter").addEventListener("input", filter);
kindSwitches((chosen) => {
  kinds = chosen;
  filter();
  sort(address.get("sort"));
});
