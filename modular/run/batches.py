"""Converts models in batches and formats what comes of each batch at once."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

from modular.flatten.formatted import Formatted
from modular.format import formatting
from modular.project.project import Project


if TYPE_CHECKING:
    from modular.conversion.conversion import Conversion
    from modular.conversion.converter import Converter
    from modular.run.workers import Workers

Progress = Callable[[int, int], None]
"""Called with how many models are done, and how many there are."""


class Batches:
    """The conversions of a run. What converts is loaded when there is something to convert."""

    def __init__(self, project: Project, jobs: int, progress: Progress | None) -> None:
        self.progress = progress
        self._project = project
        self._jobs = jobs
        self._fresh: dict[str, str] = {}
        self._workers: Workers | None = None

    def _started(self) -> "Workers":
        if self._workers is None:
            from modular.run.workers import Workers

            self._workers = Workers(self._project, self._jobs, self._fresh)
        return self._workers

    @property
    def here(self) -> "Converter":
        """The converter of this process."""
        return self._started().here

    def source(self, path: str) -> str:
        """Return the text of a file as conversions see it: fresh if there is such a text."""
        return self._project.load(path, self._fresh).text

    def stop(self) -> None:
        """End the other processes."""
        if self._workers is not None:
            self._workers.stop()

    def refresh(self, path: str, text: str | None) -> None:
        """Let conversions take a fresh text for a file from now on; None: what is on disk."""
        self._fresh.pop(path, None)
        if text is not None:
            self._fresh[path] = text
        if self._workers is not None:
            self._workers.refresh(path, text)

    def convert(self, modulars: Sequence[str], ahead: AbstractSet[str]) -> list["Conversion"]:
        """Convert models; the order of the results is that of the arguments. ``ahead`` are all that are still to be converted."""
        done: dict[str, Conversion] = {}
        self._project.names.cased("")  # a table that cannot be read is an error of the project, not of a model
        for conversions in self._started().convert(modulars, ahead):
            done.update({conversion.modular: conversion for conversion in conversions})
            if self.progress is not None:
                self.progress(len(done), len(modulars))
        return [done[modular] for modular in modulars]

    def format(self, conversions: Sequence["Conversion"]) -> list[tuple["Conversion", Mapping[str, str]]]:
        """Format the files of models at once; return each conversion, with what the formatter found, and its texts by path."""
        texts = {path: text.replace("\n", each.newline) for each in conversions for path, text in each.texts.items()}
        formatted = formatting.format_texts(texts, self._project.root, self._project.settings.formatter)
        return [(self._diagnosed(each, formatted), formatted.texts) for each in conversions]

    def _diagnosed(self, conversion: "Conversion", formatted: Formatted) -> "Conversion":
        """Report what the formatter found in a model's files. That is rare, so the origins of lines were not kept."""
        if formatted.complaints.isdisjoint(conversion.texts):
            return conversion
        return replace(conversion, diagnostics=self.here.diagnose(conversion.modular, formatted))
