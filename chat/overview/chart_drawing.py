"""Charts as plain SVG, drawn on the server: shapes only, with the words around them in HTML, so that they stay readable at any width."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

WIDTH: Final = 1000  # of the drawing, in its own units; the page stretches it
HEIGHT: Final = 200
GAP: Final = 0.25  # between bars, of a bar's place

Value = float | None  # None: not known, or still to come
Words = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Series:
    """One row of values, a value for each place of the chart."""

    label: str
    look: str  # the end of its CSS class
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Shape:
    """A path of the SVG."""

    look: str
    path: str


@dataclass(frozen=True, slots=True)
class Link:
    """Where a place of the chart leads."""

    href: str
    is_shown: bool = False  # the page shows what it leads to
    last: str = ""  # how a time is named that ends with this place


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the time that the chart shows, as it is pointed at and as a line of the table."""

    x: float
    width: float
    title: str
    label: str
    cells: Sequence[str]
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """What the template draws."""

    key: str
    title: str
    series: Sequence[Series]
    shapes: Sequence[Shape]
    places: Sequence[Place]
    columns: Sequence[str]
    y_labels: Sequence[str]  # from the top
    x_labels: Sequence[str]
    is_empty: bool
    is_bars: bool
    is_linked: bool
    note: str = ""  # what the drawing means, in a sentence


def chart(
    key: str,
    title: str,
    *,
    labels: Sequence[str],
    series: Sequence[Series],
    words: Words,
    is_bars: bool,
    notes: Sequence[str] = (),
    links: Sequence[Link] = (),
) -> Chart:
    """Return a chart. Bars stand on each other. `words` writes a value; `notes`: what else the table says of each place; `links`: of each."""
    place_values = [[value for value in values if value is not None] for values in zip(*(each.values for each in series), strict=True)]
    highest = max((sum(values) if is_bars else max(values) for values in place_values if values), default=0)
    top = nice_top(highest)
    width = WIDTH / len(labels)
    cells = [
        [*("\N{EN DASH}" if value is None else words(value) for value in values), *([notes[place]] if notes else [])]
        for place, values in enumerate(zip(*(each.values for each in series), strict=True))
    ]
    columns = [*(each.label for each in series), *([gettext("Not counted")] if notes else [])]
    return Chart(
        key=key,
        title=title,
        series=series,
        shapes=_bars(series, top) if is_bars else [shape for each in series for shape in _lines(each, top)],
        places=[
            Place(
                round(place * width, 2),
                round(width, 2),
                _title(label, columns, cells[place]),
                label,
                cells[place],
                links[place] if links else None,
            )
            for place, label in enumerate(labels)
        ],
        columns=columns,
        y_labels=[words(top), _middle(series, top, words), words(0)],
        x_labels=[labels[0], labels[len(labels) // 2], labels[-1]],
        is_empty=highest == 0,
        is_bars=is_bars,
        is_linked=bool(links),
    )


def _middle(series: Sequence[Series], top: float, words: Words) -> str:
    """Return what stands half way up: nothing where one is the most of what is counted, since there is no half of a run."""
    counts = all(value is None or isinstance(value, int) for each in series for value in each.values)
    return "" if counts and top == 1 else words(top / 2)


def nice_top(highest: float) -> float:
    """Return the next 1, 2, 4 or 10 of a power of ten, so that half of it is a plain number, too."""
    if highest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= highest * 0.9999)


def _title(label: str, columns: Sequence[str], cells: Sequence[str]) -> str:
    values = [f"{column} {cell}" for column, cell in zip(columns, cells, strict=True) if cell]
    return f"{label}: {', '.join(values)}"


def _bars(series: Sequence[Series], top: float) -> list[Shape]:
    width = WIDTH / len(series[0].values)
    below = [0.0] * len(series[0].values)
    shapes = []
    for each in series:
        path = []
        for place, value in enumerate(each.values):
            if value:
                x, y, height = (place + GAP / 2) * width, _y(below[place] + value, top), value / top * HEIGHT
                path.append(f"M{x:.2f} {y:.2f}h{width * (1 - GAP):.2f}v{height:.2f}h{-width * (1 - GAP):.2f}z")
                below[place] += value
        shapes.append(Shape(each.look, "".join(path)))
    return shapes


def _lines(series: Series, top: float) -> list[Shape]:
    """Return a line with a gap where nothing is known, and dots: values on their own, as lines without length, whose round ends are seen."""
    values = [None, *series.values, None]
    width, line, dots = WIDTH / len(series.values), "", ""
    for place, (before, value, after) in enumerate(zip(values, values[1:], values[2:], strict=False)):
        if value is None:
            continue
        point = f"{(place + 0.5) * width:.2f} {_y(value, top):.2f}"
        if before is None and after is None:
            dots += f"M{point}h0.01"
        else:
            line += f"{'M' if before is None else 'L'}{point}"
    return [Shape(look, path) for look, path in ((series.look, line), (f"{series.look} is-dot", dots)) if path]


def _y(value: float, top: float) -> float:
    return HEIGHT - value / top * HEIGHT
