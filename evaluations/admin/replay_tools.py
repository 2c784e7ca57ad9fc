"""Fields for the words of a run's tools, which a replay may change: the description of each tool and of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.utils.translation import gettext

from agents.messages import ToolDefinition
from agents.runtime.replay.recorded_calls import DefinitionChange

MAX_WORDS: Final = 20_000  # characters


@dataclass(frozen=True)
class ToolFields:
    """The fields of a tool in a form."""

    name: str
    description: forms.BoundField
    arguments: Sequence[forms.BoundField]

    @property
    def has_errors(self) -> bool:
        return any(field.errors for field in (self.description, *self.arguments))


def tool_fields(tools: Sequence[ToolDefinition]) -> dict[str, forms.Field]:
    """Return the form fields for the tools, by the names of `_name`."""
    return {
        _name(place, argument): _field(gettext("Description") if argument is None else argument, words)
        for place, tool in enumerate(tools)
        for argument, words in ((None, tool.description), *_arguments(tool).items())
    }


def bound_tools(form: forms.BaseForm, tools: Sequence[ToolDefinition]) -> Iterator[ToolFields]:
    for place, tool in enumerate(tools):
        yield ToolFields(tool.name, form[_name(place)], [form[_name(place, argument)] for argument in _arguments(tool)])


def changed_tools(cleaned_data: Mapping[str, Any], tools: Sequence[ToolDefinition]) -> dict[str, DefinitionChange]:
    """Return the words that differ from the recorded ones, of a valid form. Blank ones are as recorded."""
    changes = {}
    for place, tool in enumerate(tools):
        description = _text_of(cleaned_data, _name(place)) or tool.description
        arguments = {name: _text_of(cleaned_data, _name(place, name)) for name in _arguments(tool)}
        changed = {name: words for name, words in arguments.items() if words not in ("", _arguments(tool)[name].strip())}
        if changed or description.strip() != tool.description.strip():
            changes[tool.name] = DefinitionChange(description=description, arguments=changed)
    return changes


def _name(place: int, argument: str | None = None) -> str:
    return f"tool_{place}" if argument is None else f"tool_{place}_{argument}"


def _arguments(tool: ToolDefinition) -> dict[str, str]:
    """Return the descriptions of the tool's arguments."""
    properties = tool.input_schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {name: str(schema.get("description", "")) for name, schema in properties.items() if isinstance(schema, Mapping)}


def _field(label: str, words: str) -> forms.CharField:
    rows = 3 if len(words) < 200 else 8
    widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
    return forms.CharField(label=label, initial=words, required=False, max_length=MAX_WORDS, widget=widget)


def _text_of(cleaned_data: Mapping[str, Any], name: str) -> str:
    return str(cleaned_data[name]).replace("\r\n", "\n").replace("\x00", "").strip()
