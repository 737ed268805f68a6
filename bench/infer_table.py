"""The table of what is measured of the way back: nothing here runs or reads anything."""

from bench.inferring import Inferred, Nearest, Speed
from bench.table import MEGABYTES, SECONDS, Figure, Row


_PERCENT = "{:.1f} %"
_COUNT = "{:.0f}"
_MUST = (78.0, 93.0, 97.0)
_WALL = 600.0


def infer_rows(
    nearest: Nearest,
    generated: Inferred,
    flat: Inferred,
    speed: Speed,
) -> tuple[Row, ...]:
    """Make the table. A figure that is to be large is given as what is missing of 100 %."""
    files = max(1, generated.identical + generated.reordered)
    return (
        nearest_row(nearest),
        Row(
            f"`infer` from the files of {generated.models} modular files: unproved",
            (Figure(generated.unproved, 0, form=_COUNT),),
        ),
        Row(
            "files that are not identical",
            (Figure(100 * generated.reordered / files, 15, form=_PERCENT),),
            f"{generated.identical} identical, {generated.reordered} reordered, {generated.by_hand} lines by hand",
        ),
        Row(
            "modular lines, against those that authors wrote",
            (
                Figure(
                    100 * generated.modular / max(1, generated.authors),
                    102,
                    form=_PERCENT,
                ),
            ),
            f"{generated.modular} for {generated.authors}",
        ),
        Row(
            f"`infer` from {flat.models} flat models: unproved",
            (Figure(flat.unproved, 0, form=_COUNT),),
        ),
        Row(
            "lines that are not saved",
            (Figure(100 - 100 * flat.saved, 82, form=_PERCENT),),
            f"{flat.modular} for {flat.flat}, and {flat.by_hand} by hand",
        ),
        Row(
            "oddities in all of them",
            (Figure(generated.odd + flat.odd, 0, form=_COUNT),),
        ),
        Row(
            "models that are longer than their flat files",
            (Figure(flat.longer, 0, form=_COUNT),),
        ),
        Row("wall time of the same", (Figure(flat.wall, _WALL, form=SECONDS),)),
        Row(
            "peak memory",
            (Figure(max(flat.memory, generated.memory), 1000, form=MEGABYTES),),
        ),
        Row("making the index, CPU", (Figure(speed.index, 20, form=SECONDS),)),
        Row(
            "`modular nearest` with the index, wall",
            (Figure(speed.nearest, 1, form=SECONDS),),
        ),
        Row(
            "`modular infer` of one model, without and with the index, wall",
            (Figure(speed.cold, 30, form=SECONDS), Figure(speed.warm, 3, form=SECONDS)),
        ),
    )


def nearest_row(nearest: Nearest) -> Row:
    """Make the row of how `infer` ranks parents."""
    missing = tuple(
        Figure(100 - 100 * share, 100 - must, form=_PERCENT)
        for share, must in zip(nearest.shares, _MUST, strict=True)
    )
    return Row(
        f"ranking of `infer`: author's parent not first, in five, in ten, of {nearest.classes} classes",
        missing,
    )
