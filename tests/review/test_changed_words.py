"""The words that differ inside of changed lines."""

from modular.review.changed_words import find_changed_words


def marked(line: str, spans: list[tuple[int, int]]) -> str:
    """Return a line with brackets around some of its characters."""
    for start, end in reversed(spans):
        line = f"{line[:start]}[{line[start:end]}]{line[end:]}"
    return line


def changed(removed: list[str], added: list[str]) -> tuple[list[str], list[str]]:
    found = find_changed_words(removed, added)
    return (
        [marked(*pair) for pair in zip(removed, found.removed, strict=True)],  # type: ignore[arg-type]
        [marked(*pair) for pair in zip(added, found.added, strict=True)],  # type: ignore[arg-type]
    )


def test_the_words_that_differ_are_marked() -> None:
    removed, added = changed(
        ["    mlp = LlamaMLP(config)"], ["    mlp = LlamaMlp(config)"]
    )
    assert removed == ["    mlp = [LlamaMLP](config)"]
    assert added == ["    mlp = [LlamaMlp](config)"]


def test_an_added_argument_is_marked() -> None:
    removed, added = changed(["f(a)"], ["f(a, b)"])
    assert (removed, added) == (["f(a)"], ["f(a[, b])"])


def test_a_line_that_is_new_as_a_whole_has_no_marks() -> None:
    assert changed(["return x"], ["raise ValueError"]) == (
        ["return x"],
        ["raise ValueError"],
    )
    assert changed([], ["x = 1"]) == ([], ["x = 1"])


def test_a_line_is_compared_with_the_most_similar_one() -> None:
    removed = ["    out = self.proj(x)"]
    added = ["    gate = self.gate(x)", "    out = self.proj(gate)"]
    assert changed(removed, added) == (
        ["    out = self.proj([x])"],
        ["    gate = self.gate(x)", "    out = self.proj([gate])"],
    )


def test_very_many_lines_are_not_compared() -> None:
    removed = [f"value{number} = first" for number in range(1000)]
    added = [line.replace("first", "second") for line in removed]
    assert changed(removed, added) == (removed, added)
