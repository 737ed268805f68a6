"""What is measured of the way back: the ranking of parents against what authors chose, `infer` from generated and from flat files."""

import os
import random
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.corpus import MODELS, make_project
from bench.oddities import oddities
from bench.processes import environment, run
from modular.conversion.converter import Converter
from modular.infer.fragments import CLASS
from modular.infer.index import FragmentIndex, ParentModels, read_index
from modular.infer.infer import infer_modular
from modular.infer.inference import Inference
from modular.infer.proof import Proof
from modular.infer.ranking import Ranking
from modular.infer.relations import Relations, read_relations
from modular.project.opening import open_project
from modular.project.project import Project, model_name
from modular.run.api import Options
from modular.source import module as modules


CLASSES = 800
"""Classes that are drawn for `nearest`, always the same."""

_SEED = 14
_MODEL = "bert"
_EVERY = 20
_AT_MOST = (1, 5, 10)


@dataclass(frozen=True)
class Nearest:
    """How many classes were asked for, and the share whose author's parent is first, among five and among ten."""

    classes: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Inferred:
    """What `infer` made of some models: files by their proofs, and lines.

    ``saved_lines`` leaves out lines that are only dropped. ``by_hand`` are the lines of files that stay as they are, ``odd`` counts oddities; ``authors`` those of the modular files that authors wrote.
    """

    models: int
    identical: int
    reordered: int
    unproved: int
    flat: int
    modular: int
    saved_lines: int
    by_hand: int
    longer: int
    odd: int
    authors: int
    wall: float
    memory: float

    @property
    def saved(self) -> float:
        """The share of all lines that is saved."""
        return self.saved_lines / max(1, self.flat + self.by_hand)


@dataclass(frozen=True)
class Speed:
    """CPU seconds to make the index; wall seconds of `nearest` with it, of `infer` without and with it."""

    index: float
    nearest: float
    cold: float
    warm: float


class Inferring:
    """The corpus as a project of its own; every so many models are looked at."""

    def __init__(self, folder: Path, every: int) -> None:
        self.root = make_project(folder / "corpus")
        self.project: Project = open_project(self.root)
        self.cache = folder / "cache"
        self.every = every
        os.environ["MODULAR_CACHE_DIR"] = str(self.cache)
        os.chdir(self.root)

    def speed(self) -> Speed:
        """Measure the commands on one model, first without the index."""
        modular = str(Path(sys.executable).with_name("modular"))
        known = environment(self.cache)
        asked = f"{MODELS}/{_MODEL}/modeling_{_MODEL}.py"
        cold = run(
            [modular, "infer", _MODEL],
            self.root,
            environment(self.cache.with_name("empty")),
        ).wall
        index = run([modular, "nearest", asked], self.root, known).cpu
        nearest = run([modular, "nearest", asked], self.root, known)
        warm = run([modular, "infer", _MODEL], self.root, known).wall
        return Speed(index - nearest.cpu, nearest.wall, cold, warm)

    def nearest(self) -> Nearest:
        """Ask for classes of the modular files, and look where the parent is that the author chose, or an equal one."""
        drawn = random.Random(_SEED).sample(self._pairs(), CLASSES)
        asked: dict[str, list[tuple[str, str, str]]] = {}
        for path, *rest in drawn:
            asked.setdefault(path, []).append((rest[0], rest[1], rest[2]))
        index, relations = (
            read_index(self.project, self.cache),
            read_relations(self.project),
        )
        digests = {
            (file.path, each.name): each.digest
            for file in index.files
            for each in file.fragments
        }
        ranks = [
            place
            for path in sorted(asked)
            for place in self._ranks(index, relations, path, asked[path], digests)
        ]
        return Nearest(
            len(ranks),
            tuple(
                sum(place < most for place in ranks) / len(ranks) for most in _AT_MOST
            ),
        )

    def _pairs(self) -> list[tuple[str, str, str, str]]:
        """The generated file and the name of each class that has a parent, the parent's file and name."""
        found = []
        for modular in self.project.modular_files:
            converter = Converter(self.project, {})
            file = converter.modular_file(
                modules.read(modular, converter.load(modular).text)
            )
            homes = {
                file.file_type: file.path for file in converter.convert(modular).files
            }
            for path in homes.values():
                text = (self.root / path).read_text(encoding="utf-8")
                for name in file.definitions.classes:
                    for base in file.parents_of(name):
                        if f"\nclass {name}(" in text or f"\nclass {name}:" in text:
                            found.append(
                                (
                                    path,
                                    name,
                                    file.parent_of[base],
                                    file.original_names[base],
                                )
                            )
        return sorted(found)

    def _ranks(
        self,
        index: FragmentIndex,
        relations: Relations,
        path: str,
        asked: Sequence[tuple[str, str, str]],
        digests: Mapping[tuple[str, str], str],
    ) -> list[int]:
        """For each class of a file, with the parent's file and name, the place of the parent among those that are near."""
        left_out = relations.with_dependents([path.rpartition("/")[0]])
        models = ParentModels(index, relations, left_out)
        module, model = (
            modules.read(path, (self.root / path).read_text(encoding="utf-8")),
            PurePosixPath(path).parent.name,
        )
        ranking = Ranking(models, module, model)
        own = {
            fragment.name: fragment
            for fragment in ranking.fragments
            if fragment.kind == CLASS
        }
        places = []
        for name, parent_path, parent in asked:
            found = [
                similar.fragment.digest
                for similar in ranking.find_nearest(
                    own[name], _AT_MOST[-1], equal_first=False
                )
            ]
            wanted = digests.get((parent_path, parent), "")
            places.append(
                found.index(wanted) if wanted in found else len(found) + _AT_MOST[-1]
            )
        return places

    def generated(self) -> Inferred:
        """Infer from the files that modular files generate; the modular file and all that depends on it are no parents."""
        modulars = self.project.modular_files[:: self.every]
        files = [file for each in modulars for file in self._generated_files(each)]
        authors = sum(
            (self.root / modular).read_text(encoding="utf-8").count("\n")
            for modular in modulars
        )
        return self._infer(files, authors)

    def flat(self) -> Inferred:
        """Infer from the models without a modular file."""
        taken = {
            str(PurePosixPath(modular_file).parent)
            for modular_file in self.project.modular_files
        }
        folders = sorted(
            path.name for path in (self.root / MODELS).iterdir() if path.is_dir()
        )
        flat = [
            f"{MODELS}/{name}"
            for name in folders
            if f"{MODELS}/{name}" not in taken and not name.startswith("_")
        ]
        with_files = [
            each for each in flat if any((self.root / each).glob("[!_]*_*.py"))
        ]
        return self._infer(with_files[:: self.every], 0)

    def _generated_files(self, modular: str) -> list[str]:
        folder, name = PurePosixPath(modular).parent, PurePosixPath(modular).name
        in_order = sorted((self.root / folder).glob(f"*_{model_name(modular)}.py"))
        return [
            str(folder / each.name)
            for each in in_order
            if each.name != name and name in each.read_text(encoding="utf-8")[:1000]
        ]

    def _infer(self, targets: Sequence[str], authors: int) -> Inferred:
        started = time.perf_counter()
        report = infer_modular(
            targets,
            options=Options(root=self.root, progress=_progress),
        )
        wall = time.perf_counter() - started
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        memory = max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1000
        return self._counted(report.inferences, authors, wall, memory)

    def _odd(self, inference: Inference) -> int:
        """How much of a modular file no reviewer would merge."""
        parents = sorted(
            {
                class_.parent[0]
                for class_ in inference.classes
                if class_.parent is not None
            }
        )
        texts = ((self.root / path).read_text(encoding="utf-8") for path in parents)
        return sum(oddities(inference.text, "\n".join(texts)).values())

    def _counted(
        self, found: Sequence[Inference], authors: int, wall: float, memory: float
    ) -> Inferred:
        proofs = [proof for each in found for proof in each.proofs.values()]
        aside = {one.path for each in found for one in each.by_hand}
        by_hand = sum(
            (self.root / path).read_text(encoding="utf-8").count("\n") for path in aside
        )
        return Inferred(
            len(found),
            proofs.count(Proof.IDENTICAL),
            proofs.count(Proof.REORDERED),
            proofs.count(Proof.DIFFERENT)
            + sum(bool(each.diagnostics) for each in found),
            sum(each.flat_lines for each in found),
            sum(each.modular_lines for each in found),
            sum(each.saved_lines for each in found),
            by_hand,
            sum(each.modular_lines > each.flat_lines for each in found),
            sum(self._odd(each) for each in found),
            authors,
            wall,
            memory,
        )


def _progress(phase: str, done: int, models: int) -> None:
    """Say now and then how far it is: all models take many minutes."""
    if done % _EVERY == 0 or done == models:
        print(f"  {done} of {models} models", file=sys.stderr, flush=True)
