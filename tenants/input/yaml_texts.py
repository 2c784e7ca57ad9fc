"""YAML from people: plain data without tags, and nothing by which a small text becomes huge or slow."""

from __future__ import annotations

from typing import Any, Final

import yaml

MAX_DEPTH: Final = 100  # a parser's time grows with its square


class YamlReferences(yaml.YAMLError):
    """The text uses references (& and *), which can turn a small text into a huge one."""


class YamlTooDeep(yaml.YAMLError):
    """The text is nested more than MAX_DEPTH deep."""

    def __str__(self) -> str:
        return "it is nested too deeply"


def yaml_read(text: str) -> Any:
    """Return the text's data. It is read by libyaml: what is written in Python takes ten times as long, and the request waits for it.

    Raises YamlReferences, YamlTooDeep, other YAMLErrors for what is no YAML, and ValueError for a value that can't be, such as a 30th of February.
    """
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise YamlReferences
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise YamlTooDeep
    return yaml.load(text, Loader=yaml.CSafeLoader)
