"""Models that changed between two releases of transformers, and what `modular lift` makes of them.

`python -m tests.infer.release_pairs OLD NEW` takes the folders of two packages. Each model
whose modular file and generated files both changed gets its old modular file back, and the
new generated files are lifted onto it. The parents are those of the new release.
"""

import argparse
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bench.corpus import MODELS, make_project
from modular.conversion.converter import Converter
from modular.infer.lift import lift_model
from modular.infer.proof import format_texts
from modular.project.opening import open_project
from modular.project.project import Project
from modular.run.output_record import OutputRecord
from tests.infer.random_edits import without_layout


def find_changed_models(old: Project, new: Project) -> list[str]:
    """Return the modular files that changed together with a file generated from them."""
    changed = []
    for path in new.files_of_models():
        modular = new.generating_modular(path)
        if modular is None or modular in changed:
            continue
        both_exist = (old.root / modular).exists() and (old.root / path).exists()
        if both_exist and _differs(old, new, modular) and _differs(old, new, path):
            changed.append(modular)
    return changed


def _differs(old: Project, new: Project, path: str) -> bool:
    return (old.root / path).read_bytes() != (new.root / path).read_bytes()


def _count_lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())


def main() -> None:
    """Lift the new generated files of each changed model onto its old modular file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("old", type=Path, help="Folder of the older package.")
    parser.add_argument("new", type=Path, help="Folder of the newer package.")
    parser.add_argument("--models", type=int, default=30)
    options = parser.parse_args()
    old = open_project(make_project(Path(tempfile.mkdtemp()), options.old))
    new = open_project(make_project(Path(tempfile.mkdtemp()), options.new))
    counts: Counter[str] = Counter()
    for modular in find_changed_models(old, new)[: options.models]:
        old_text = (old.root / modular).read_text(encoding="utf-8")
        author_text = (new.root / modular).read_text(encoding="utf-8")
        project = replace(new, unsaved={modular: old_text})
        result = lift_model(
            project, modular, to_parent=False, record=OutputRecord(project.root)
        )
        texts = {item.path: item.new_source for item in result.files}
        lifted_project = replace(new, unsaved={modular: old_text, **texts})
        conversion = Converter(lifted_project, {}).convert(modular)
        generated = format_texts(lifted_project, conversion.texts)
        # Where only the layout differs, lift writes the generated file.
        is_equal = bool(generated) and all(
            lifted_project.load(path, {}).text == text
            and without_layout(new.load(path, {}).text) == without_layout(text)
            for path, text in generated.items()
        )
        has_other_layout = not texts.keys() <= {modular}
        verdict = "left"
        if is_equal:
            verdict = "layout" if has_other_layout else "lifted"
        elif not result.left and not result.diagnostics:
            verdict = "WRONG"
        counts[verdict] += 1
        lifted_text = texts.get(modular, old_text)
        lines = [_count_lines(text) for text in (old_text, author_text, lifted_text)]
        name = modular.removeprefix(f"{MODELS}/")
        print(f"{verdict:6} {name}: old {lines[0]}, author {lines[1]}, lift {lines[2]}")
        for item in result.left[:4]:
            print(f"    {item.part.id.title}: {item.reason}")
        for problem in result.diagnostics[:2]:
            print(f"    {problem}")
    print(dict(counts))


if __name__ == "__main__":
    main()
