"""The output items of a Responses stream while they are being sent."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

import orjson

from doubles.openai.encrypted_reasoning import new_reasoning_id
from doubles.openai.player import Frame
from doubles.script import Call, Picture, ProviderTool


class ItemStream(Protocol):
    """What an item needs from its stream."""

    def new_id(self, prefix: str) -> str: ...

    def encrypted(self, item_id: str) -> str | None:
        """Return encrypted content for this item; None when the request did not ask for it."""
        ...

    def event(self, name: str, tokens: int = 0, /, **more: Any) -> Frame:
        """Return an event about the open item."""
        ...


class OpenItem:
    """An output item that is being sent."""

    def __init__(self, stream: ItemStream, item: dict[str, Any]) -> None:
        self._stream = stream
        self.item = item

    @property
    def id(self) -> str:
        item_id: str = self.item["id"]
        return item_id

    def begin(self) -> Iterator[Frame]:
        yield self._stream.event("response.output_item.added", item=self.item)

    def end(self, status: str) -> Iterator[Frame]:
        if "status" in self.item:
            self.item["status"] = status
        yield self._stream.event("response.output_item.done", item=self.item)


class ReasoningItem(OpenItem):
    """A reasoning item with its summary parts."""

    def __init__(self, stream: ItemStream) -> None:
        item_id = new_reasoning_id()
        ciphertext = stream.encrypted(item_id)
        item = {"id": item_id, "type": "reasoning", "summary": []}
        super().__init__(stream, item | ({"encrypted_content": ciphertext} if ciphertext else {}))
        self._pieces: list[str] = []

    def begin(self) -> Iterator[Frame]:
        placeholder = {"encrypted_content": "gAAA"} if "encrypted_content" in self.item else {}
        yield self._stream.event("response.output_item.added", item=self.item | placeholder)

    def begin_part(self) -> Frame:
        self._pieces = []
        return self._part_event("response.reasoning_summary_part.added", part={"type": "summary_text", "text": ""})

    def delta(self, piece: str, tokens: int) -> Frame:
        self._pieces.append(piece)
        return self._part_event("response.reasoning_summary_text.delta", tokens, delta=piece)

    def end_part(self) -> Iterator[Frame]:
        text = "".join(self._pieces)
        yield self._part_event("response.reasoning_summary_text.done", text=text)
        yield self._part_event("response.reasoning_summary_part.done", part={"type": "summary_text", "text": text})
        self.item["summary"].append({"type": "summary_text", "text": text})

    def _part_event(self, name: str, tokens: int = 0, /, **more: Any) -> Frame:
        return self._stream.event(name, tokens, item_id=self.id, summary_index=len(self.item["summary"]), **more)


class MessageItem(OpenItem):
    """A message with one part: text or a refusal (`kind`)."""

    def __init__(self, stream: ItemStream, kind: str, phase: str | None) -> None:
        item = {"id": stream.new_id("msg"), "type": "message", "status": "in_progress", "role": "assistant", "content": []}
        super().__init__(stream, item | ({"phase": phase} if phase else {}))
        self.kind = kind
        self._pieces: list[str] = []
        self._annotations: list[dict[str, Any]] = []

    def begin(self) -> Iterator[Frame]:
        yield from super().begin()
        yield self._part_event("response.content_part.added", part=self._part())

    def cite(self, pages: Iterable[tuple[str, str]]) -> Iterator[Frame]:
        """Yield citations of pages for the text so far."""
        end = sum(map(len, self._pieces))
        for url, title in pages:
            citation = {"type": "url_citation", "start_index": 0, "end_index": end, "url": url, "title": title}
            self._annotations.append(citation)
            number = len(self._annotations) - 1
            yield self._stream.event(
                "response.output_text.annotation.added",
                item_id=self.id,
                content_index=0,
                annotation_index=number,
                annotation=citation,
            )

    def delta(self, piece: str, tokens: int) -> Frame:
        self._pieces.append(piece)
        return self._part_event(f"response.{self.kind}.delta", tokens, delta=piece)

    def end(self, status: str) -> Iterator[Frame]:
        text = "".join(self._pieces)
        yield self._part_event(f"response.{self.kind}.done", **{self._text_name: text})
        yield self._part_event("response.content_part.done", part=self._part())
        self.item["content"] = [self._part()]
        yield from super().end(status)

    @property
    def _text_name(self) -> str:
        return "refusal" if self.kind == "refusal" else "text"

    def _part(self) -> dict[str, Any]:
        part: dict[str, Any] = {"type": self.kind, self._text_name: "".join(self._pieces)}
        return part if self.kind == "refusal" else part | {"annotations": self._annotations, "logprobs": []}

    def _part_event(self, name: str, tokens: int = 0, /, **more: Any) -> Frame:
        logprobs: dict[str, Any] = {"logprobs": []} if name.startswith("response.output_text") else {}
        return self._stream.event(name, tokens, item_id=self.id, content_index=0, **more, **logprobs)


class FunctionCallItem(OpenItem):
    """A call of a function."""

    def __init__(self, stream: ItemStream, call: Call) -> None:
        call_id = f"call_{uuid.uuid4().hex[:24]}" if call.id is None else call.id
        item = {"id": stream.new_id("fc"), "type": "function_call", "status": "in_progress"}
        super().__init__(stream, item | {"call_id": call_id, "name": call.name, "arguments": ""})
        self._pieces: list[str] = []

    def delta(self, piece: str, tokens: int) -> Frame:
        self._pieces.append(piece)
        return self._stream.event("response.function_call_arguments.delta", tokens, item_id=self.id, delta=piece)

    def end(self, status: str) -> Iterator[Frame]:
        self.item["arguments"] = "".join(self._pieces)
        if status == "completed":
            yield self._stream.event(
                "response.function_call_arguments.done", item_id=self.id, name=self.item["name"], arguments=self.item["arguments"]
            )
        yield from super().end(status)


class HostedItem(OpenItem):
    """A use of a tool that the API runs itself."""

    _PREFIXES: ClassVar[Mapping[str, str]] = {"web_search_call": "ws", "code_interpreter_call": "ci"}

    def __init__(self, stream: ItemStream, kind: str) -> None:
        super().__init__(stream, {"id": stream.new_id(self._PREFIXES[kind]), "type": kind, "status": "in_progress"})

    def run(self, tool: ProviderTool, *, include_results: bool) -> Iterator[Frame]:
        """Run the tool. `include_results`: the request asked for the results as well."""
        stage = "searching" if self.item["type"] == "web_search_call" else "interpreting"
        for state in ("in_progress", stage, "completed"):
            yield self._stream.event(f"response.{self.item['type']}.{state}", item_id=self.id)
        self.item |= (
            _search_fields(tool, include_results=include_results)
            if stage == "searching"
            else _interpreter_fields(tool, include_results=include_results)
        )
        self._failed = tool.failed

    def end(self, status: str) -> Iterator[Frame]:
        yield from super().end("failed" if self._failed else status)


class ImageItem(OpenItem):
    """An image made by the tool image_generation."""

    def __init__(self, stream: ItemStream) -> None:
        super().__init__(stream, {"id": stream.new_id("ig"), "type": "image_generation_call", "status": "in_progress", "result": None})

    def make(self, picture: Picture) -> Iterator[Frame]:
        for state in ("in_progress", "generating"):
            yield self._stream.event(f"response.image_generation_call.{state}", item_id=self.id)
        self._failed = picture.failed
        if picture.failed:
            return
        self.item |= {
            "result": base64.b64encode(picture.data).decode(),
            "output_format": picture.media_type.removeprefix("image/"),
            "background": "opaque",
            "quality": "medium",
            "size": "1024x1024",
            "action": "generate",
            "revised_prompt": "A picture.",
        }
        yield self._stream.event("response.image_generation_call.completed", item_id=self.id)

    def end(self, status: str) -> Iterator[Frame]:
        yield from super().end("failed" if self._failed else status)


def _search_fields(tool: ProviderTool, *, include_results: bool) -> dict[str, Any]:
    sources = {"sources": [{"type": "url", "url": url} for url, _ in tool.pages]} if include_results else {}
    return {"action": {"type": "search", **tool.arguments, **sources}}


def _interpreter_fields(tool: ProviderTool, *, include_results: bool) -> dict[str, Any]:
    outputs = [{"type": "logs", "logs": tool.output}] if include_results and tool.output else None
    return {"code": tool.arguments.get("code"), "container_id": f"cntr_{uuid.uuid4().hex}", "outputs": outputs}


def arguments_text(call: Call) -> str:
    """Return the arguments as the model wrote them. Text is returned unchanged, even if it is not JSON."""
    if isinstance(call.arguments, str):
        return call.arguments
    return orjson.dumps(dict(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments).decode()
