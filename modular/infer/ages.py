"""Tells which of two models is older, so that the older one is the parent.

The first of these tells that knows both models:

1. Comments such as `# Copied from`: the model that copies more from the other one is
   younger.
2. The date of the first commit of its files.
3. The first year in the comments at the top of its files.
4. The names: `llama_moe` is younger than `llama`.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from modular.git.history import History
from modular.git.repository import GitError
from modular.infer.copies import CopySource, parse_copy_source
from modular.infer.index import FragmentIndex, IndexedFile
from modular.infer.relations import NO_YEAR


@dataclass(frozen=True)
class ModelAges:
    """The ages of the models in an index."""

    index: FragmentIndex

    def younger_than(self, folder: str) -> set[str]:
        """Return the folders of the models that are younger than a model.

        A model is younger than another if it copies more from it than the other way
        round. If both copy as much, dates or names decide. For a model that is not in
        the index, the result is empty.

        Args:
            folder: The folder of the model.
        """
        if folder not in self._model_of_folder:
            return set()
        surpluses = self._copy_surpluses(folder)
        younger = set()
        for other in self._model_of_folder:
            surplus = surpluses[other]
            if surplus > 0:
                younger.add(other)
            elif surplus == 0 and self._is_younger_by_date_or_name(other, folder):
                younger.add(other)
        return younger

    def _copy_surpluses(self, folder: str) -> Counter[str]:
        """Return how much more each other model copies from this one than vice versa.

        If `olmo` copies 5 definitions from `llama`, and `llama` 2 from `olmo`, the
        surplus of `olmo` is 3 for the folder of `llama`.

        Args:
            folder: The folder of this model, such as `llama`.
        """
        surpluses: Counter[str] = Counter()
        for file, source in self._copies:
            is_copied_from_this_model = source.is_in(folder)
            if is_copied_from_this_model:
                surpluses[file.folder] += 1
            is_in_this_model = file.folder == folder
            if is_in_this_model:
                for other in self._model_of_folder:
                    if source.is_in(other):
                        surpluses[other] -= 1
        return surpluses

    @cached_property
    def _model_of_folder(self) -> dict[str, str]:
        """The name of the model by folder."""
        return {file.folder: file.model for file in self.index.files}

    @cached_property
    def _copies(self) -> list[tuple[IndexedFile, CopySource]]:
        """Each source that a `# Copied from` comment names, with the comment's file."""
        copies = []
        for file in self.index.files:
            for fragment in file.fragments:
                if fragment.copied_from:
                    copies.append((file, parse_copy_source(fragment.copied_from)))
        return copies

    def _is_younger_by_date_or_name(self, folder: str, other_folder: str) -> bool:
        """Return whether the first of two models is younger.

        The dates of their first commits decide. If these are equal or unknown, the years
        in their files decide, and then the names: `llama_moe` is younger than `llama`.

        Args:
            folder: The folder of the first model.
            other_folder: The folder of the second model.
        """
        for dates in (self._dates, self.index.years):
            date = dates.get(folder, NO_YEAR)
            other_date = dates.get(other_folder, NO_YEAR)
            are_known = date != NO_YEAR and other_date != NO_YEAR
            if are_known and date != other_date:
                return date > other_date
        model = self._model_of_folder[folder]
        other_model = self._model_of_folder[other_folder]
        return model.startswith(f"{other_model}_")

    @cached_property
    def _dates(self) -> dict[str, str]:
        """For each folder of a model, the date on which git got its first file.

        Without git or a repository, there are no dates.
        """
        project = self.index.project
        paths = {file.path: file.folder for file in self.index.files}
        dates: dict[str, str] = {}
        with suppress(GitError):
            history = History(project.root, paths)
            for path, folder in paths.items():
                commits = history.commits(path)
                if commits:
                    # The newest commit comes first.
                    date = commits[-1].date
                    dates[folder] = min(date, dates.get(folder, date))
        return dates
