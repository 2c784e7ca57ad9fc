"""A replayed run beside its original: what is aligned with what, and where they differ (design 48)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from admin_config.services.changes.diff import DiffLine, text_diff
from agents.entry_codec import entry_encode
from agents.messages import Entry, ModelRequest
from agents.runtime.replay.recorded_calls import UNRECORDED_READING
from agents.runtime.replay.settled_calls import ENTERED, LIVE
from chat.models import ModelCall, Run
from chat.storage.call_log import model_request_of
from chat.storage.search_columns import cost_of
from evaluations.replays.outcomes import tokens_of
from evaluations.replays.steps import Step, run_calls, run_entries, run_steps
from tenants.errors import NotFound

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_WORDS: Final = 4000  # of a text that is compared word by word
_IDS: Final = frozenset({"id", "call_id"})
MAX_SHOWN: Final = 4000  # characters of a result
State = Literal["equal", "changed", "added", "missing", "stopped"]
LABELS: Final[dict[State, StrOrPromise]] = {
    "equal": gettext_lazy("Equal"),
    "changed": gettext_lazy("Changed"),
    "added": gettext_lazy("Added"),
    "missing": gettext_lazy("Missing"),
    "stopped": gettext_lazy("Stopped"),
}

NOTES: Final[dict[str, Promise]] = {ENTERED: gettext_lazy("Entered by an admin"), LIVE: gettext_lazy("Run live")}


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text. `is_own`: the other text lacks it."""

    text: str
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """What is shown of one run in a row. Without the right to read texts there are neither pieces nor results."""

    step: Step
    pieces: Sequence[Piece] = ()
    result: str = ""
    length: int = 0  # characters of its text

    @property
    def digest(self) -> str:
        return self.step.call.request_hash if self.step.call else ""

    @property
    def input_tokens(self) -> int:
        return self.step.call.usage.get("input_tokens", 0) if self.step.call else 0


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page."""

    state: State
    before: Side | None
    after: Side | None
    where: Sequence[str] = ()  # of a changed request: what differs
    lines: Sequence[DiffLine] = ()  # the same, line by line, where texts may be read

    @property
    def label(self) -> str:
        return str(LABELS[self.state])

    @property
    def may_run_live(self) -> bool:
        """Whether the replay stopped at a call of a tool that only reads."""
        return self.after is not None and self.after.step.label == UNRECORDED_READING


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run's model calls used, of those that a replay makes again."""

    requests: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    before: Figures
    after: Figures | None  # None: nothing was replayed
    rows: Sequence[Row]


def compare_runs(original: Run, replayed: Run | None, *, with_texts: bool) -> Comparison:
    """Return both runs beside each other. Four queries, and up to ten for each request that differs."""
    calls = run_calls(original)
    if replayed is None:
        return Comparison(_figures(calls), None, ())
    again = run_calls(replayed)
    before, after = run_steps(run_entries(original), calls), run_steps(run_entries(replayed), again)
    noted_steps = [replace(step, note=NOTES.get(replayed.settled_calls.get(step.call_id, ""), "")) for step in after]
    return Comparison(_figures(calls), _figures(again), [_row(left, right, with_texts) for left, right in _align(before, noted_steps)])


def _figures(calls: Sequence[ModelCall]) -> Figures:
    return Figures(len(calls), tokens_of(calls), cost_of(calls))


def _align(before: Sequence[Step], after: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    """Yield what stands beside each other: things of the same kind, equal ones first."""
    matcher = SequenceMatcher(None, [step.key for step in before], [step.key for step in after], autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        left, right = before[start:end], after[other_start:other_end]
        if tag == "equal":
            yield from zip(left, right, strict=True)
        else:
            yield from ((step, None) for step in left)
            yield from ((None, step) for step in right)


def _row(left: Step | None, right: Step | None, with_texts: bool) -> Row:
    if left is None or right is None:
        state: State = "stopped" if right and right.kind == "notice" else "added" if left is None else "missing"
        return Row(state, _side(left, with_texts), _side(right, with_texts))
    if left.content == right.content and (left.content or left.kind != "request"):
        return Row("equal", _side(left, with_texts), _side(right, with_texts))
    if left.call and right.call:
        where, lines = _request_changes(left.call, right.call, with_texts)
        return Row("changed", _side(left, with_texts), _side(right, with_texts), where, lines)
    own, other = _word_pieces(left.text, right.text) if with_texts else ((), ())
    return Row("changed", _side(left, with_texts, own), _side(right, with_texts, other))


def _side(step: Step | None, with_texts: bool, pieces: Sequence[Piece] = ()) -> Side | None:
    if step is None:
        return None
    is_public = step.kind == "notice"  # it names a tool and nothing else
    visible_pieces = pieces or ([Piece(step.text)] if (with_texts or is_public) and step.text else [])
    return Side(step, visible_pieces, step.result[:MAX_SHOWN] if with_texts else "", len(step.text))


def _word_pieces(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces that are in the other one or not."""
    left, right = _words(before), _words(after)
    if len(left) + len(right) > 2 * MAX_WORDS:
        return [Piece(before, is_own=True)], [Piece(after, is_own=True)]
    own, other = [], []
    for tag, start, end, other_start, other_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        own.append(Piece("".join(left[start:end]), is_own=tag != "equal"))
        other.append(Piece("".join(right[other_start:other_end]), is_own=tag != "equal"))
    return [piece for piece in own if piece.text], [piece for piece in other if piece.text]


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+", text)


def _request_changes(before: ModelCall, after: ModelCall, with_texts: bool) -> tuple[list[str], Sequence[DiffLine]]:
    """Return in words where two requests differ, and their prompts and tools as a diff where texts may be read."""
    try:
        left, right = model_request_of(before), model_request_of(after)
    except NotFound:
        return [gettext("One of both requests was not kept, because the process that made it ended.")], ()
    where = [*_model_changes(before, after, left, right), *_tool_changes(left, right), *_history_changes(left, right)]
    lines = text_diff(_text_of(left), _text_of(right)) if with_texts else ()
    return where or [gettext("Only what providers put into their answers differs, such as ids of calls.")], lines


def _model_changes(before: ModelCall, after: ModelCall, left: ModelRequest, right: ModelRequest) -> Iterator[str]:
    if (before.provider, before.model) != (after.provider, after.model):
        yield gettext("Model: %(model)s instead of %(model_2)s.") % {"model": after.model, "model_2": before.model}
    if str(left.system) != str(right.system):
        yield gettext("The system prompt differs.")
    old, new = asdict(left.settings), asdict(right.settings)
    if changed := [name.replace("_", " ") for name in old if old[name] != new[name]]:
        yield gettext("Settings differ: %(changed)s.") % {"changed": ", ".join(changed)}


def _tool_changes(left: ModelRequest, right: ModelRequest) -> Iterator[str]:
    old, new = {tool.name: tool for tool in left.tools}, {tool.name: tool for tool in right.tools}
    for words, names in (
        (gettext("Tools added: %(names)s."), new.keys() - old.keys()),
        (gettext("Tools missing: %(names)s."), old.keys() - new.keys()),
        (gettext("Tools changed: %(names)s."), {name for name in old.keys() & new.keys() if old[name] != new[name]}),
    ):
        if names:
            yield words % {"names": ", ".join(sorted(names))}


def _history_changes(left: ModelRequest, right: ModelRequest) -> Iterator[str]:
    pairs = zip_longest(left.entries, right.entries)
    place = next(
        (
            place
            for place, (old, new) in enumerate(pairs, 1)
            if old is None or new is None or _visible_content(old) != _visible_content(new)
        ),
        None,
    )
    if place is not None:
        yield gettext("The conversation differs from entry %(place)s of %(count)s on.") % {"place": place, "count": len(left.entries)}


def _visible_content(entry: Entry) -> tuple[str, dict[str, object]]:
    """Return what an entry says, without ids, which differ in each answer."""
    kind, content, _ = entry_encode(entry)
    return kind, {name: value for name, value in content.items() if name not in _IDS}


def _text_of(request: ModelRequest) -> str:
    tools = (gettext("Tool %(name)s: %(description)s") % {"name": tool.name, "description": tool.description} for tool in request.tools)
    return "\n".join([str(request.system), *tools])
