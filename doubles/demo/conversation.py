"""The state of a conversation as the demo reads it from a request: who said what since the user's last message.

Files and older turns are left out. Also the demo's reply to a call that the user did not allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from doubles.script import ReceivedRequest

_REMINDER = re.compile(r"<reminder\b")
# Chat Completions has one text per message, which also contains what accompanies the user's words.
_BACKGROUND = re.compile(r"<(file|artifacts|page_state|compacted_history)\b.*?</\1>", re.DOTALL)
_REFUSAL = re.compile(r"The user (?:did not allow|refused)\b")


@dataclass(frozen=True)
class Event:
    """One part of the history."""

    kind: Literal["user", "model", "reminder", "call", "result"]
    value: Any  # a text, a functionCall, or a tool's result
    tool: str = ""


@dataclass(frozen=True)
class ConversationState:
    """The user's last message and what surrounds it."""

    text: str  # the user's last message
    before: Sequence[Event]  # events before it
    since: Sequence[Event]  # events after it
    tools: Sequence[str]  # names of the tools that may be called
    system_text: str
    must_call: bool

    @classmethod
    def of(cls, request: ReceivedRequest) -> ConversationState:
        events = [event for content in request.contents for event in _events(content)]
        place = max((place for place, event in enumerate(events) if event.kind == "user"), default=-1)
        return cls(
            text=events[place].value.strip() if place >= 0 else "",
            before=events[: max(place, 0)],
            since=events[place + 1 :],
            tools=() if request.tool_choice == "never" else request.tool_names,
            system_text=request.system_text,
            must_call=request.tool_choice == "must",
        )

    @property
    def results(self) -> list[Event]:
        """The newest step's results, if only reminders follow them."""
        calls = [place for place, event in enumerate(self.since) if event.kind in ("call", "model")]
        newest = self.since[calls[-1] + 1 :] if calls else self.since
        return [event for event in newest if event.kind == "result"]

    @property
    def reminders(self) -> list[str]:
        return [event.value for event in self.since if event.kind == "reminder"]

    @property
    def model_text_since(self) -> str:
        """The model's newest text after the user's last message."""
        return next((str(event.value) for event in reversed(self.since) if event.kind == "model"), "")

    @property
    def model_text_before(self) -> str:
        """The model's text directly before the user's last message; "" when something else precedes it."""
        return str(self.before[-1].value) if self.before and self.before[-1].kind == "model" else ""

    @property
    def last_call_arguments(self) -> dict[str, Any]:
        """The arguments of the call directly before the user's last message, with only its result between; {} without one."""
        others = [event for event in self.before if event.kind != "result"]
        return dict(others[-1].value.get("args") or {}) if others and others[-1].kind == "call" else {}


def newest_artifact(events: Iterable[Event]) -> dict[str, Any] | None:
    """Return the result of the tool that wrote the latest artifact."""
    artifacts = [event.value for event in events if event.kind == "result" and isinstance(event.value, dict) and "id" in event.value]
    return artifacts[-1] if artifacts else None


def _events(content: Mapping[str, Any]) -> list[Event]:
    return [event for part in content["parts"] if (event := _event(part, content.get("role", "user"))) is not None]


def _event(part: dict[str, Any], role: str) -> Event | None:
    if "functionCall" in part:
        return Event("call", part["functionCall"], part["functionCall"]["name"])
    if "functionResponse" in part:
        return Event("result", _result(part["functionResponse"]["response"]), part["functionResponse"]["name"])
    text = part.get("text", "") if role == "model" else _BACKGROUND.sub("", part.get("text", ""))
    if not text.strip() or part.get("thought"):
        return None
    if role == "model":
        return Event("model", text)
    return Event("reminder" if _REMINDER.match(text) else "user", text)


def _result(response: dict[str, Any]) -> Any:
    """Unwrap a result that an adapter sends as {"output": ...}. An error stays wrapped as {"error": ...}."""
    return response.get("output", response)


def refusal_text(result: Any) -> str | None:
    """Return the demo's reply to a call that the user refused; None when it was not refused."""
    error = str(result.get("error", "")) if isinstance(result, dict) else ""
    if not _REFUSAL.match(error):
        return None
    _, _, reason = error.partition("Reason:")
    why = f" You wrote: \u201c{reason.strip()}\u201d." if reason.strip() else ""
    return f"You did not allow that, so I left it, and nothing was changed.{why} What would you like instead?"
