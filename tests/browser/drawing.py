"""What is wrong with the drawing of who inherits from whom, as it stands on a page."""

from playwright.sync_api import Page


_BEHIND = """() => {
  const nodes = [...document.querySelectorAll(".node")];
  const boxes = nodes.map((node) => [node.dataset.name, node.querySelector("rect").getBBox()]);
  const found = [];
  for (const path of document.querySelectorAll(".arrows path")) {
    const ends = [path.dataset.parent, path.dataset.model];
    for (let step = 0; step <= path.getTotalLength(); step += 12) {
      const { x, y } = path.getPointAtLength(step);
      const isIn = (box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
      const hit = boxes.find(([name, box]) => isIn(box) && !ends.includes(name));
      if (hit) { found.push([...ends, hit[0]]); break; }
    }
  }
  return found;
}"""

_OVERLAPPING = """() => {
  const boxes = [...document.querySelectorAll(".node rect")].map((rect) => rect.getBBox());
  const meet = (one, other) => one.x < other.x + other.width && other.x < one.x + one.width
    && one.y < other.y + other.height && other.y < one.y + one.height;
  return boxes.filter((one, index) => boxes.slice(index + 1).some((other) => meet(one, other))).length;
}"""

_CUT = """() => [...document.querySelectorAll(".node")].filter((node) =>
  node.querySelector("text").getBBox().width > node.querySelector("rect").getBBox().width).length"""


def behind(page: Page) -> list[list[str]]:
    """Return the edges that run behind a model: parent, model, and the one that they run behind."""
    values: list[list[str]] = page.evaluate(_BEHIND)
    return values


def overlapping(page: Page) -> int:
    """Return how many models lie on another one."""
    return int(page.evaluate(_OVERLAPPING))


def cut(page: Page) -> int:
    """Return how many names are wider than their boxes."""
    return int(page.evaluate(_CUT))
