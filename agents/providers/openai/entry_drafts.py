"""Drafts from which an answer's entries are assembled, for both OpenAI wires: text, reasoning, calls, sources, in order of arrival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from agents.coercion.arguments import parse_arguments
from agents.messages import (
    AnswerEvent,
    AnswerFile,
    AssistantText,
    ProviderMetadata,
    ProviderPart,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    ResponseEntry,
    Source,
    TextDelta,
    ToolCall,
)
from agents.providers.citations import CitedSources

Kind = Literal["text", "reasoning", "call", "part"]
Item = Mapping[str, Any]


@dataclass
class EntryDraft:
    """A future entry."""

    kind: Kind
    items: list[Item] = field(default_factory=list)  # the provider's own items, sent back verbatim before what stands for the entry
    metadata: dict[str, Any] = field(default_factory=dict)  # further provider metadata
    pieces: list[str] = field(default_factory=list)


@dataclass
class CallDraft(EntryDraft):
    """A future tool call."""

    kind: Kind = "call"
    id: str = ""
    name: str = ""
    argument_object: Any = None  # the arguments, when they came as an object instead of text

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The parsed arguments; None when they are not a JSON object."""
        if self.argument_object is not None:
            return self.argument_object if isinstance(self.argument_object, dict) else None
        return parse_arguments("".join(self.pieces))

    @property
    def is_whole(self) -> bool:
        """Whether it has a name and complete JSON arguments."""
        return bool(self.name and (self.pieces or self.argument_object is not None) and self.arguments)

    def problem(self, *, is_cut: bool) -> str:
        """Return what makes it unusable, as the start of a sentence; "" for nothing. `is_cut`: the answer reached its maximum length."""
        if not self.name:
            return "it named no tool"
        if self.arguments is not None:
            return ""
        return (
            f"the call of {self.name} was cut at the answer's maximum length"
            if is_cut
            else f"the arguments of {self.name} were no JSON object"
        )


@dataclass
class ProviderPartDraft(EntryDraft):
    """A tool that the provider ran, or a page or file of its answer; complete from the start."""

    kind: Kind = "part"
    part: ProviderPart = field(default_factory=lambda: Source(""))


DraftT = TypeVar("DraftT", bound=EntryDraft)


class EntryDrafts:
    """The drafts of one answer.

    Whatever follows a tool call in the same answer comes with the response only; shown immediately, it would appear before the call.
    The methods that add something return what can be shown now.
    """

    def __init__(self) -> None:
        self._drafts: list[EntryDraft] = []
        self._pending_items: list[Item] = []
        self._sources = CitedSources()
        self.contains_calls = False

    def add_text(self, text: str) -> list[AnswerEvent]:
        """Add text."""
        return [TextDelta(text)] if self._add("text", text) else []

    def add_reasoning(self, text: str) -> list[AnswerEvent]:
        return [ReasoningDelta(text)] if self._add("reasoning", text) else []

    def add_hosted(self, call: ProviderToolCall, item: Item, after: str) -> list[AnswerEvent]:
        """Add a tool that the provider ran. Its item goes back only together with the reasoning whose id is `after`."""
        return self._add_part(call, [item], {"after": after})

    def add_file(self, file: AnswerFile, item: Item | None = None, after: str = "") -> list[AnswerEvent]:
        """Add a file that the model made. `item` is that of the tool, without the bytes; it goes back like one of `add_hosted`."""
        return self._add_part(file, [item], {"after": after}) if item else self._add_part(file, [], {})

    def cite(self, annotations: Any) -> None:
        """Record pages that the text cites; annotations of other kinds are ignored."""
        for annotation in annotations or ():
            if annotation.get("type") == "url_citation":
                page = annotation.get("url_citation", annotation)
                self._sources.cite(page.get("url"), page.get("title"))

    def add_sources(self) -> list[AnswerEvent]:
        """Add the pages cited since the last call."""
        return [event for source in self._sources.drain() for event in self._add_part(source, [], {})]

    def begin_call(self) -> CallDraft:
        self.contains_calls = True
        return self._begin(CallDraft())

    def keep(self, item: Item) -> None:
        """Keep an item that shows nothing more but must go back: with the reasoning before it, or before the next entry."""
        if self._drafts and self._drafts[-1].kind == "reasoning":
            self._drafts[-1].items.append(item)
        else:
            self._pending_items.append(item)

    def mark_text(self, **metadata: Any) -> None:
        """Add provider metadata to the latest text."""
        texts = [draft for draft in self._drafts if draft.kind == "text"]
        if texts:
            texts[-1].metadata |= metadata

    def mark_reasoning(self, **metadata: Any) -> None:
        for draft in self._drafts:
            if draft.kind == "reasoning":
                draft.metadata |= metadata

    def problem(self, *, is_cut: bool = False) -> str:
        """Return what was wrong with the first unusable call, as a sentence for the model; "" for nothing."""
        problems = (draft.problem(is_cut=is_cut) for draft in self._drafts if isinstance(draft, CallDraft))
        return next((f"{problem}." for problem in problems if problem), "")

    def entries(self, provider: str, model: str, *, with_calls: bool) -> tuple[ResponseEntry, ...]:
        """Return the entries. With `with_calls` False all calls are dropped: if one is unreadable, the others may depend on it."""
        drafts: Sequence[EntryDraft] = [draft for draft in self._drafts if with_calls or draft.kind != "call"]
        return tuple(_entry(draft, provider, model) for draft in drafts)

    def _add(self, kind: Kind, text: str) -> bool:
        if not isinstance(text, str):
            raise TypeError
        if not text:
            return False
        same = self._drafts and self._drafts[-1].kind == kind
        (self._drafts[-1] if same else self._begin(EntryDraft(kind))).pieces.append(text)
        return not self.contains_calls

    def _add_part(self, part: ProviderPart, items: list[Item], metadata: dict[str, Any]) -> list[AnswerEvent]:
        self._begin(ProviderPartDraft(part=part, metadata=metadata)).items += items
        return [] if self.contains_calls else [part]

    def _begin(self, draft: DraftT) -> DraftT:
        if not isinstance(draft, ProviderPartDraft) or isinstance(draft.part, ProviderToolCall | AnswerFile):
            draft.items += self._pending_items
            self._pending_items = []
        self._drafts.append(draft)
        return draft


def _entry(draft: EntryDraft, provider: str, model: str) -> ResponseEntry:
    provider_metadata = _extras(draft, provider, model)
    if isinstance(draft, CallDraft):
        return ToolCall(draft.id, draft.name, draft.arguments or {}, provider_metadata)
    if isinstance(draft, ProviderPartDraft):
        return draft.part if isinstance(draft.part, Source) else replace(draft.part, provider_metadata=provider_metadata)
    text = "".join(draft.pieces)
    return Reasoning(text, provider_metadata) if draft.kind == "reasoning" else AssistantText(text, provider_metadata)


def _extras(draft: EntryDraft, provider: str, model: str) -> ProviderMetadata | None:
    if not draft.items and not draft.metadata:
        return None
    return {"provider": provider, "model": model, "items": draft.items, **draft.metadata}
