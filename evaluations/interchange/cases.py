"""A case as files have it, and the checks that forms and files share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext

from agents.runtime.replay.recorded_calls import GivenResult
from evaluations.graders.answer import ExpectedResult
from evaluations.graders.kinds import expected_problem
from tenants.errors import BadRequest
from tenants.input.plain_values import NotPlain, plain_check
from tenants.localization.figures import figure

MAX_NAME_CHARS: Final = 120
MAX_MESSAGES: Final = 50
MAX_TEXT_CHARS: Final = 60_000  # of one message, as in a chat
MAX_EXPECTED: Final = 30
MAX_RESULTS: Final = 200  # recorded ones
MAX_RESULT_CHARS: Final = 1_000_000  # of all of them, as JSON
ROLES: Final = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContent:
    """A case without its data set. `messages`: {"role", "text"}, the last one the user's."""

    name: str
    messages: Sequence[Mapping[str, str]]
    expected: Sequence[ExpectedResult] = ()
    marked: bool = False
    tool_results: Sequence[GivenResult] = ()
    recorded_tools: bool = False  # whether tools give these results instead of running

    @property
    def question(self) -> str:
        return self.messages[-1]["text"] if self.messages else ""


def case_problem(case: CaseContent) -> str:
    """Return what is wrong with a case, or ""."""
    if not case.messages or case.messages[-1]["role"] != "user" or not case.question.strip():
        return gettext("The last message must be a question of the user.")
    if len(case.messages) > MAX_MESSAGES:
        return gettext("At most %(max_messages)s messages.") % {"max_messages": MAX_MESSAGES}
    if any(not message["text"].strip() or len(message["text"]) > MAX_TEXT_CHARS for message in case.messages):
        return gettext("Each message needs a text, of at most %(max_text_chars)s characters.") % {"max_text_chars": figure(MAX_TEXT_CHARS)}
    if len(case.expected) > MAX_EXPECTED:
        return gettext("At most %(max_expected)s checks.") % {"max_expected": MAX_EXPECTED}
    if not are_storable(case.tool_results):
        return gettext("At most %(max_results)s recorded results, of 1,000,000 characters together.") % {"max_results": MAX_RESULTS}
    return next(filter(None, map(expected_problem, case.expected)), "")


def are_storable(results: Sequence[GivenResult]) -> bool:
    """Return whether a case may hold so many recorded results."""
    return len(results) <= MAX_RESULTS and len(json.dumps(results, default=str)) <= MAX_RESULT_CHARS


def case_check(case: CaseContent, place: str) -> CaseContent:
    """Return the case. Raises BadRequest, whose sentence begins with the place in the file."""
    if problem := case_problem(case):
        raise BadRequest(f"{place}: {problem}")
    return case


def name_of(name: Any, question: str) -> str:
    """Return the case's name, or the beginning of its question."""
    return " ".join(str(name or question).split())[:MAX_NAME_CHARS] or gettext("Case")


def text_of(raw_value: Any, place: str) -> str:
    """Return a text, also of a number. Raises BadRequest for anything else."""
    if isinstance(raw_value, bool) or not isinstance(raw_value, (str, int, float)):
        raise BadRequest(gettext("%(place)s: a text is missing.") % {"place": place})
    return str(raw_value)


def plain_value(raw_value: Any, place: str) -> Any:
    """Return what a file has at this place. Raises BadRequest for what can't be kept, and says where it is."""
    try:
        plain_check(raw_value, place)
    except NotPlain as error:
        raise BadRequest(str(error)) from error
    return raw_value


def earlier_as_text(messages: Sequence[Mapping[str, str]]) -> str:
    """Return messages as people write them: each begins with "User:" or "Assistant:" at the start of a line."""
    return "\n".join(f"{ROLES[message['role']]}: {message['text']}" for message in messages)


def earlier_from_text(text: str) -> list[dict[str, str]]:
    """Read what `earlier_as_text` writes. Raises BadRequest when the first line says not who speaks."""
    messages: list[dict[str, str]] = []
    for line in text.replace("\r\n", "\n").strip("\n").split("\n") if text.strip() else ():
        role = next((role for role, name in ROLES.items() if line.startswith(f"{name}:")), None)
        if role is not None:
            messages.append({"role": role, "text": line.partition(":")[2].strip()})
        elif messages:
            messages[-1]["text"] += f"\n{line}"
        else:
            raise BadRequest(gettext("Begin with “User:” or “Assistant:”, so that it is clear who speaks."))
    return messages
