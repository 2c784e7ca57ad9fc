"""Which diagrams a text has."""

from __future__ import annotations

from time import process_time

import pytest

from artifacts.diagrams import diagram_sources
from tests.support.suite.time_limits import scaled_to_load


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("```mermaid\ngraph TD\n```\n~~~ mermaid\r\npie\r\n~~~", ["graph TD", "pie"]),
        ("```mermaid\ngraph\n````\nafter", ["graph"]),  # the closing fence may be longer
        ("````mermaid\na\n```\nb\n````", ["a\n```\nb"]),
        ("````\n```mermaid\nshown as text\n```\n````\n```mermaid\npie\n```", ["pie"]),
        ("```python\nx\n```\n```mermaid\n\n```\n```mermaid\nwithout an end", []),
    ],
)
def test_a_diagram_is_what_stands_between_fences(text: str, sources: list[str]) -> None:
    assert list(diagram_sources(text)) == sources


def test_a_megabyte_of_opening_fences_is_read_in_a_second() -> None:
    began = process_time()
    assert list(diagram_sources("```mermaid\n" * 95_000)) == []
    assert process_time() - began < scaled_to_load(1)
