"""Converts models in batches, in this process or in several, and formats each batch."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from modular.conversion.conversion import Conversion
from modular.flatten.formatted import Formatted
from modular.format import formatting
from modular.project.project import Project
from modular.run.options import Progress
from modular.source.diagnostics import killed
from modular.system.machine import available_processors, collect_garbage_rarely


if TYPE_CHECKING:
    from modular.conversion.converter import Converter
    from modular.run.pool import Pool

_MIN_MODELS_FOR_POOL = 12
"""Starting worker processes costs more time than it saves for fewer models."""


class BatchConverter:
    """Converts batches of models for one run.

    Attributes:
        progress: Called before the first model, after each model and before formatting,
            or None.
        regenerated: Texts, by path, that conversions read instead of the files on disk.
    """

    def __init__(
        self,
        project: Project,
        jobs: int | None,
        progress: Progress | None,
        finds_info: bool,
    ) -> None:
        """Create a converter, which starts worker processes only when it needs them."""
        self.progress = progress
        self.regenerated: Mapping[str, str] = {}
        self._project = project
        self._finds_info = finds_info
        self._jobs = jobs or available_processors()
        self._pool: Pool | None = None
        self._converter: Converter | None = None

    def local_converter(self) -> "Converter":
        """Return the converter that runs in this process, not in a worker.

        It is created at the first call. From then on, each call tells it which new
        texts of generated files to read instead of the stale files on disk.
        """
        # Loading LibCST takes long, and a run that finds all results in the cache
        # converts nothing.
        from modular.conversion.converter import Converter

        if self._converter is None:
            collect_garbage_rarely()
            self._converter = Converter(self._project, {}, self._finds_info)
        _replace_overlay(self._converter, self.regenerated)
        return self._converter

    def stop(self) -> None:
        """End the worker processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def convert(
        self,
        modular_paths: Sequence[str],
        pending_count: int,
        keep_files_of: Collection[str] = (),
    ) -> list[Conversion]:
        """Convert models.

        Args:
            modular_paths: Paths of modular files relative to the root.
            pending_count: Number of models that this run still has to convert; it
                decides whether worker processes are worth starting.
            keep_files_of: Modular files whose conversions keep the output files. In a
                small batch, all conversions keep them.

        Returns:
            The conversions, in the order of ``modular_paths``.

        Raises:
            modular.settings.settings.SettingsError: The table of model names cannot be
                read.
        """
        # An unreadable table is an error of the project, so it is read before any
        # conversion could report it as an error of one model.
        self._project.names.cased("")

        # The conversions in the order in which they end.
        unordered: Iterator[Conversion]
        is_small = self._pool is None and pending_count < _MIN_MODELS_FOR_POOL
        if is_small:
            # To start workers would take longer.
            unordered = map(self.local_converter().convert, modular_paths)
        elif self._jobs < 2:
            unordered = self._convert_in_this_process(modular_paths, keep_files_of)
        else:
            unordered = self._convert_in_pool(
                modular_paths, pending_count, keep_files_of
            )

        conversions: dict[str, Conversion] = {}
        if self.progress is not None:
            self.progress("converting models", 0, len(modular_paths))
        for conversion in unordered:
            conversions[conversion.modular] = conversion
            if self.progress is not None:
                self.progress("converting models", len(conversions), len(modular_paths))
        return [conversions[path] for path in modular_paths]

    def _convert_in_this_process(
        self, modular_paths: Sequence[str], keep_files_of: Collection[str]
    ) -> Iterator[Conversion]:
        """Yield the conversions, reduced to the parts that take little memory."""
        converter = self.local_converter()
        for path in modular_paths:
            yield converter.convert(path).reduce(keeps_files=path in keep_files_of)

    def _convert_in_pool(
        self,
        modular_paths: Sequence[str],
        pending_count: int,
        keep_files_of: Collection[str],
    ) -> Iterator[Conversion]:
        """Yield the conversions as worker processes finish them, in any order.

        Args:
            modular_paths: The modular files of this batch.
            pending_count: Number of modular files in this and all later batches, which
                use the same processes.
            keep_files_of: Modular files whose conversions keep the output files.
        """
        if self._pool is None:
            from modular.conversion.converter import Converter
            from modular.run.pool import Pool

            worker_count = min(self._jobs, pending_count)
            # Each worker creates a converter of its own with these arguments.
            self._pool = Pool(
                worker_count, Converter, self._project, {}, self._finds_info
            )
        results = self._pool.run(
            _convert_in_worker, modular_paths, self.regenerated, set(keep_files_of)
        )
        for path, conversions in results:
            # There is one conversion, or none if the worker was killed, for example for
            # lack of memory.
            if conversions:
                yield conversions[0]
            else:
                yield Conversion(path, diagnostics=(killed(path, "converted"),))

    def format(self, conversions: Sequence[Conversion]) -> Formatted:
        """Format the files of some conversions together.

        Raises:
            modular.system.ruff.FormatterError: The formatter cannot be run.
        """
        if self.progress is not None:
            self.progress("formatting", 0, 0)
        texts = {}
        for conversion in conversions:
            for path, text in conversion.texts.items():
                texts[path] = text.replace("\n", conversion.newline)
        return formatting.format_texts(
            texts, self._project.root, self._project.settings.formatter
        )


def _convert_in_worker(
    converter: "Converter",
    modular_path: str,
    regenerated: Mapping[str, str],
    keep_files_of: Collection[str],
) -> Conversion:
    """Convert one model in a worker process.

    Args:
        converter: The worker's converter, which lives as long as the worker.
        modular_path: The modular file.
        regenerated: Texts of generated files, by path, to read instead of the disk.
        keep_files_of: Modular files whose conversions keep their output files.
    """
    _replace_overlay(converter, regenerated)
    conversion = converter.convert(modular_path)
    return conversion.reduce(keeps_files=modular_path in keep_files_of)


def _replace_overlay(converter: "Converter", regenerated: Mapping[str, str]) -> None:
    """Make a converter read the regenerated texts instead of the files on disk.

    Args:
        converter: The converter. Its overlay has the texts of the last call, by path.
        regenerated: The new texts of generated files, by path. All other files are read
            from disk again.
    """
    for path in {*converter.overlay, *regenerated}:
        old_text = converter.overlay.get(path)
        new_text = regenerated.get(path)  # None for the file on disk
        if new_text != old_text:
            converter.refresh(path, new_text)
