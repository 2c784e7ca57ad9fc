"""Parsers and checks of lists that admins write into text fields: tool names, stop sequences, pruning by tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast, get_args

from django.apps import apps
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from admin_config.defaults.options import Pruning
from admin_config.defaults.platform import TOOLS

PRUNING_CHOICES: tuple[str, ...] = get_args(Pruning)
TOOL_CHOICES = ("auto", "none", "required")
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
HOST_PATTERN = re.compile(rf"((\*\.)?({_LABEL}\.)*{_LABEL}|\[[0-9a-f:]+\])(:\d{{1,5}})?")
MAX_HOST_CHARS = 260
MAX_HOSTS = 200
MAX_STOP_SEQUENCES = 5  # Gemini's limit
MAX_STOP_SEQUENCE_CHARS = 64


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names between commas or line breaks, without repeats."""
    return tuple(dict.fromkeys(name for part in re.split(r"[,\n]", text) if (name := part.strip())))


def parse_lines(text: str) -> tuple[str, ...]:
    """Return the lines that are not empty, without repeats, and with the white space inside them."""
    return tuple(dict.fromkeys(line for line in text.splitlines() if line.strip()))


def parse_pruning(text: str) -> dict[str, Pruning]:
    """Parse one `tool: pruning` per line, as checked by `check_pruning`."""
    return {name: cast(Pruning, pruning) for name, pruning in _pairs(text)}


def check_tool_names(text: str) -> None:
    """Raise ValidationError for names of unknown tools."""
    if unknown := _unknown_tools(parse_names(text)):
        raise ValidationError(unknown)


def check_tool_choice(text: str) -> None:
    """Raise ValidationError for what is neither in TOOL_CHOICES nor the name of a tool."""
    if text not in TOOL_CHOICES and _unknown_tools([text]):
        raise ValidationError(gettext("Choose one of: %(value)s.") % {"value": ", ".join((*TOOL_CHOICES, *_known_tools()))})


def check_stop_sequences(text: str) -> None:
    """Raise ValidationError for too many stop sequences, or too long ones."""
    lines = parse_lines(text)
    if len(lines) > MAX_STOP_SEQUENCES:
        raise ValidationError(
            gettext("At most %(max_stop_sequences)s stop sequences, one on each line.") % {"max_stop_sequences": MAX_STOP_SEQUENCES}
        )
    if any(len(line) > MAX_STOP_SEQUENCE_CHARS for line in lines):
        raise ValidationError(
            gettext("A stop sequence has at most %(max_stop_sequence_length)s characters.")
            % {"max_stop_sequence_length": MAX_STOP_SEQUENCE_CHARS}
        )


def check_pruning(text: str) -> None:
    """Raise ValidationError for unknown tools or kinds of pruning."""
    pairs = _pairs(text)
    problems = _unknown_tools(name for name, _ in pairs)
    problems += [
        gettext('"%(name)s: %(pruning)s" needs one of: %(pruning_choices)s.')
        % {"name": name, "pruning": pruning, "pruning_choices": ", ".join(PRUNING_CHOICES)}
        for name, pruning in pairs
        if pruning not in PRUNING_CHOICES
    ]
    if problems:
        raise ValidationError(problems)


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in parse_lines(text))
    return [(name.strip(), pruning.strip()) for name, _, pruning in lines]


def _unknown_tools(names: Iterable[str]) -> list[str]:
    """Return a sentence for each unknown name. Queries the database only for names that are not the platform's own."""
    if not (others := [name for name in names if name not in TOOLS]):
        return []
    tool_names = _known_tools()
    return [
        gettext("%(name)s is not a known tool. Known: %(known)s.") % {"name": name, "known": ", ".join(tool_names)}
        for name in others
        if name not in tool_names
    ]


def _known_tools() -> list[str]:
    """Return the platform's own tools and those of the current organization's sources and agents, enabled or not. Two queries."""
    sources, agents = (apps.get_model("admin_config", model).objects for model in ("ToolSource", "AgentConfig"))
    tool_names = [name for source in sources.all() for name in source.given_names]
    return list(dict.fromkeys((*TOOLS, *tool_names, *agents.exclude(name="").values_list("name", flat=True))))


def check_hosts(text: str) -> None:
    """Raise ValidationError for what is no list of hosts, one on each line."""
    hosts = parse_names(text)
    if len(hosts) > MAX_HOSTS:
        raise ValidationError(gettext("At most %(max_hosts)s hosts, one on each line.") % {"max_hosts": MAX_HOSTS})
    for host in hosts:
        if len(host) > MAX_HOST_CHARS or not HOST_PATTERN.fullmatch(host):
            raise ValidationError(
                gettext(
                    "%(host)s is no host. Write example.com, *.example.com for all below it, or example.com:8443; small letters, and names in other scripts as xn--."
                )
                % {"host": host[:80]}
            )


def check_names(text: str) -> None:
    """Raise ValidationError for names that providers would not accept, one on each line."""
    for name in parse_names(text):
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name):
            raise ValidationError(
                gettext("%(name)s is no name of a tool: letters, digits, dots, dashes and underscores, at most 64.") % {"name": name}
            )
