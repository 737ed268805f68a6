"""The texts that files had in a commit, and which models differ from them."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from modular.git.git import texts_at
from modular.project.project import Project
from modular.provenance.blame import Blamer
from modular.run.api import Options
from modular.run.engine import Engine
from modular.run.since import project_at
from modular.source.module import normalised


def old_texts(
    blamer: Blamer, options: Options, ref: str, changed: AbstractSet[str], modulars: Sequence[str]
) -> dict[str, str]:
    """Return the texts that files had in a commit: modular files, all that they generate, and files that changed.

    A file that was not there had none. Where what is generated is not committed, the commit's project is converted.
    """
    generated = {path for modular in modulars for path in blamer.engine.results[modular].outputs}
    wanted = sorted({path for path in changed if path.endswith(".py")} | generated)
    texts = texts_at(blamer.project.root, ref, wanted)
    same = {path: "\n".join(blamer.lines(path)) for path in modulars if path not in changed}
    if generated.isdisjoint(texts) and (same or not texts.keys().isdisjoint(modulars)):
        texts |= _generated_at(blamer.project, options, ref)
    return {**same, **dict.fromkeys(wanted, ""), **texts}


def _generated_at(project: Project, options: Options, ref: str) -> dict[str, str]:
    """What modular files generated in a commit."""
    with project_at(project, ref, options) as earlier:
        engine = Engine(earlier, options)
        engine.run(earlier.modular_files)
        texts = {path: text for modular in engine.results for path, text in generated_texts(engine, modular).items()}
    return texts


def generated_texts(engine: Engine, modular: str) -> dict[str, str]:
    """Return the texts that a modular file generates now, by path."""
    return {path: normalised(text) for path, text in engine.results[modular].texts.items()}


def is_touched(blamer: Blamer, modular: str, old: Mapping[str, str]) -> bool:
    """Whether a modular file or anything generated from it differs from the older texts, or it has errors."""
    texts = {**generated_texts(blamer.engine, modular), modular: "\n".join(blamer.lines(modular))}
    return blamer.engine.results[modular].failed or any(old.get(path, "") != text for path, text in texts.items())
