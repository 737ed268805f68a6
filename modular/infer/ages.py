"""Tells which of two models is older, so that the older one is the parent.

The first of these tells that knows both models:

1. Comments such as `# Copied from`: the model that copies more from the other one is
   younger.
2. The first date in the documentation of a model or, if the project has no such pages,
   the date of the first commit of its files.
3. The first year in the comments at the top of its files.
4. The names: `llama_moe` is younger than `llama`.
"""

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from modular.git.history import History
from modular.git.repository import GitError
from modular.infer.copies import CopySource, parse_copy_source
from modular.infer.index import FragmentIndex, IndexedFile
from modular.infer.relations import NO_YEAR
from modular.source.loading import MAX_SOURCE_BYTES
from modular.system.reading import read_bytes


_MODEL_PAGE = "docs/source/en/model_doc/{}.md"
"""The documentation of a model, as in the repository of transformers."""

_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")


@dataclass(frozen=True)
class ModelAges:
    """The ages of the models in an index."""

    index: FragmentIndex

    def younger_than(self, folder: str) -> set[str]:
        """Return the folders of the models that are younger than that of a folder.

        Nothing is younger than a folder that is not in the index.
        """
        if folder not in self._folders:
            return set()
        copies = self._count_copies_from(folder)
        copies.subtract(self._count_copies_in(folder))
        younger = set()
        for other in self._folders:
            if copies[other] > 0:
                younger.add(other)
            elif copies[other] == 0 and self._is_dated_later(other, folder):
                younger.add(other)
        return younger

    @cached_property
    def _folders(self) -> dict[str, str]:
        """The name of the model by folder."""
        return {file.folder: file.model for file in self.index.files}

    @cached_property
    def _copies(self) -> list[tuple[IndexedFile, CopySource]]:
        """The sources that comments name, with the files of the comments."""
        copies = []
        for file in self.index.files:
            for fragment in file.fragments:
                if fragment.copied_from:
                    copies.append((file, parse_copy_source(fragment.copied_from)))
        return copies

    def _count_copies_from(self, folder: str) -> Counter[str]:
        """Return how many copies each folder has of code in a folder."""
        counts: Counter[str] = Counter()
        for file, source in self._copies:
            if source.is_in(folder):
                counts[file.folder] += 1
        return counts

    def _count_copies_in(self, folder: str) -> Counter[str]:
        """Return how many copies a folder has of code in each folder."""
        counts: Counter[str] = Counter()
        for file, source in self._copies:
            if file.folder == folder:
                counts.update(other for other in self._folders if source.is_in(other))
        return counts

    def _is_dated_later(self, folder: str, other: str) -> bool:
        """Return whether the first of two folders is younger by its date or name."""
        for dates in (self._dates, self.index.years):
            date = dates.get(folder, NO_YEAR)
            other_date = dates.get(other, NO_YEAR)
            if NO_YEAR not in (date, other_date) and date != other_date:
                return date > other_date
        return self._folders[folder].startswith(f"{self._folders[other]}_")

    @cached_property
    def _dates(self) -> dict[str, str]:
        """The date of each folder's model, as far as pages or commits tell it."""
        dates = {}
        for folder, model in self._folders.items():
            date = self._documented_date(model)
            if date:
                dates[folder] = date
        return dates or self._first_commits()

    def _documented_date(self, model: str) -> str:
        """Return the first date in the documentation of a model, or ""."""
        page = self.index.project.root / _MODEL_PAGE.format(model)
        with suppress(OSError):
            text = read_bytes(page, MAX_SOURCE_BYTES).decode(errors="replace")
            date = _DATE.search(text)
            if date:
                return date.group()
        return ""

    def _first_commits(self) -> dict[str, str]:
        """Return the date of the first commit of each folder, if git knows it."""
        project = self.index.project
        paths = {file.path: file.folder for file in self.index.files}
        dates: dict[str, str] = {}
        with suppress(GitError):
            history = History(project.root, paths)
            for path, folder in paths.items():
                commits = history.commits(path)
                if commits:
                    date = commits[-1].date
                    dates[folder] = min(date, dates.get(folder, date))
        return dates
