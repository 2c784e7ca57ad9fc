"""An answer of the OpenAI wires on its way to engine entries, in the order they came: runs of text and reasoning, calls, sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from agents.engine.messages import (
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
from agents.engine.tools.coercion import parse_arguments
from agents.providers.citations import CitedSources

Kind = Literal["text", "reasoning", "call", "part"]
Item = Mapping[str, Any]
Shown = TextDelta | ReasoningDelta | ProviderPart


@dataclass
class EntryDraft:
    """One entry to be. `items`: the provider's own, which go back verbatim before what stands for the entry; `metadata`: more extras."""

    kind: Kind
    items: list[Item] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)


@dataclass
class CallDraft(EntryDraft):
    """A call to be; `argument_object`: its arguments when they came as an object and not as text."""

    kind: Kind = "call"
    id: str = ""
    name: str = ""
    argument_object: Any = None

    @property
    def arguments(self) -> dict[str, Any] | None:
        """None when they are no JSON object."""
        if self.argument_object is not None:
            return self.argument_object if isinstance(self.argument_object, dict) else None
        return parse_arguments("".join(self.pieces))

    @property
    def is_whole(self) -> bool:
        """Whether it has a name and arguments that end where JSON ends."""
        return bool(self.name and (self.pieces or self.argument_object is not None) and self.arguments)

    def problem(self, *, is_cut: bool) -> str:
        """What makes it unusable, as the start of a sentence; "": nothing. `is_cut`: the answer reached its maximum length."""
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
    """What the provider ran itself, or a page that it cites: whole at once."""

    kind: Kind = "part"
    part: ProviderPart = field(default_factory=lambda: Source(""))


DraftT = TypeVar("DraftT", bound=EntryDraft)


class EntryDrafts:
    """What follows a call in the same answer is not shown at once, but comes with the response: else it would stand before the call."""

    def __init__(self) -> None:
        self._drafts: list[EntryDraft] = []
        self._pending_items: list[Item] = []
        self._sources = CitedSources()
        self.contains_calls = False

    def add_text(self, text: str) -> list[Shown]:
        """What of it is to be shown now."""
        return [TextDelta(text)] if self._add("text", text) else []

    def add_reasoning(self, text: str) -> list[Shown]:
        return [ReasoningDelta(text)] if self._add("reasoning", text) else []

    def add_hosted(self, call: ProviderToolCall, item: Item, after: str) -> list[Shown]:
        """A tool that the provider ran; its item goes back, as long as the reasoning with the id `after` does."""
        return self._add_part(call, [item], {"after": after})

    def add_file(self, file: AnswerFile, item: Item | None = None, after: str = "") -> list[Shown]:
        """A file that the model made; `item`: of the tool that made it, without its bytes, which goes back as one of `add_hosted` does."""
        return self._add_part(file, [item], {"after": after}) if item else self._add_part(file, [], {})

    def cite(self, annotations: Any) -> None:
        """Pages that the text cites, as far as these annotations are of pages."""
        for annotation in annotations or ():
            if annotation.get("type") == "url_citation":
                page = annotation.get("url_citation", annotation)
                self._sources.cite(page.get("url"), page.get("title"))

    def add_sources(self) -> list[Shown]:
        """The pages that were cited since the last time."""
        return [shown for source in self._sources.drain() for shown in self._add_part(source, [], {})]

    def begin_call(self) -> CallDraft:
        self.contains_calls = True
        return self._begin(CallDraft())

    def keep(self, item: Item) -> None:
        """An item that shows nothing more and must go back: with the reasoning that it made, or before what comes next."""
        if self._drafts and self._drafts[-1].kind == "reasoning":
            self._drafts[-1].items.append(item)
        else:
            self._pending_items.append(item)

    def mark_text(self, **metadata: Any) -> None:
        """Extras of the text that came last."""
        texts = [draft for draft in self._drafts if draft.kind == "text"]
        if texts:
            texts[-1].metadata |= metadata

    def mark_reasoning(self, **metadata: Any) -> None:
        for draft in self._drafts:
            if draft.kind == "reasoning":
                draft.metadata |= metadata

    def problem(self, *, is_cut: bool = False) -> str:
        """What was wrong with the first unusable call, as a sentence for the model; "": nothing."""
        problems = (draft.problem(is_cut=is_cut) for draft in self._drafts if isinstance(draft, CallDraft))
        return next((f"{problem}." for problem in problems if problem), "")

    def entries(self, provider: str, model: str, *, with_calls: bool) -> tuple[ResponseEntry, ...]:
        """`with_calls` False: one call that can't be read takes the others with it, for they may depend on it."""
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

    def _add_part(self, part: ProviderPart, items: list[Item], metadata: dict[str, Any]) -> list[Shown]:
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
