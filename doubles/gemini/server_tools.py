"""Tools that the Gemini API runs itself, as its stream reports them.

Sources: https://ai.google.dev/gemini-api/docs/code-execution, https://ai.google.dev/gemini-api/docs/google-search,
https://ai.google.dev/gemini-api/docs/url-context, https://ai.google.dev/gemini-api/docs/tool-combination.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from doubles.gemini.models import ModelProfile
from doubles.gemini.signatures import sign
from doubles.script import CitedText, ProviderTool

Part = dict[str, Any]

_WIRE_NAMES = {"web_search": "googleSearch", "url_context": "urlContext", "code_execution": "codeExecution"}
_TYPES = {"web_search": "GOOGLE_SEARCH_WEB", "url_context": "URL_CONTEXT"}


class ServerTools:
    """The parts of one answer's server tools, and its final metadata. A tool that the request does not offer is not run."""

    def __init__(self, body: Mapping[str, Any], model: ModelProfile) -> None:
        self._tool_kinds = {kind for tool in body.get("tools", []) for kind in tool}
        self._shows_calls = bool(body.get("toolConfig", {}).get("includeServerSideToolInvocations"))
        self._model = model
        self._queries: list[str] = []
        self._chunks: list[tuple[str, str]] = []
        self._supports: list[dict[str, Any]] = []
        self._pages: list[dict[str, str]] = []

    def run(self, tool: ProviderTool) -> Iterator[Part]:
        if _WIRE_NAMES[tool.tool] not in self._tool_kinds:
            return
        if tool.tool == "code_execution":
            yield from self._code(tool)
            return
        self._record_pages(tool)
        if self._shows_calls:
            yield from self._call(tool)

    def cite(self, text: CitedText, text_so_far: str) -> None:
        """Record citations. `text_so_far`: all visible text up to the end of this one. Offsets count UTF-8 bytes."""
        if "googleSearch" not in self._tool_kinds:
            return
        self._chunks += (page for page in text.pages if page not in self._chunks)
        end = len(text_so_far.encode())
        segment = {"startIndex": end - len(text.text.encode()), "endIndex": end, "text": text.text}
        self._supports.append({"segment": segment, "groundingChunkIndices": [self._chunks.index(page) for page in text.pages]})

    def metadata(self) -> dict[str, Any]:
        """Return the metadata for the candidate of the last chunk."""
        metadata: dict[str, Any] = {}
        if self._queries or self._chunks:
            metadata["groundingMetadata"] = {
                "webSearchQueries": self._queries,
                "groundingChunks": [{"web": {"uri": url, "title": title}} for url, title in self._chunks],
                "groundingSupports": self._supports,
                "searchEntryPoint": {"renderedContent": "<div>Search</div>"},
            }
        if self._pages:
            metadata["urlContextMetadata"] = {"urlMetadata": self._pages}
        return metadata

    def _record_pages(self, tool: ProviderTool) -> None:
        if tool.tool == "web_search":
            self._queries += queries_of(tool)
            return
        status = "ERROR" if tool.failed else "SUCCESS"
        self._pages += ({"retrievedUrl": url, "urlRetrievalStatus": f"URL_RETRIEVAL_STATUS_{status}"} for url, _ in tool.pages)

    def _code(self, tool: ProviderTool) -> Iterator[Part]:
        outcome = "OUTCOME_FAILED" if tool.failed else "OUTCOME_OK"
        call_id = {"id": _id_of(tool)} if self._model.needs_signatures else {}
        code = {**call_id, "language": "PYTHON", "code": str(tool.arguments.get("code", ""))}
        yield self._sign_part({"executableCode": code})
        yield {"codeExecutionResult": {**call_id, "outcome": outcome, "output": tool.output}}

    def _call(self, tool: ProviderTool) -> Iterator[Part]:
        names = {"id": _id_of(tool), "toolType": _TYPES[tool.tool]}
        arguments = {"queries": queries_of(tool)} if tool.tool == "web_search" else {"urls": [url for url, _ in tool.pages]}
        yield self._sign_part({"toolCall": {**names, "args": arguments}})
        yield self._sign_part({"toolResponse": {**names, "response": {}}})

    def _sign_part(self, part: Part) -> Part:
        return {**part, "thoughtSignature": sign(part, self._model.name)} if self._model.needs_signatures else part


def _id_of(tool: ProviderTool) -> str:
    """Return an id that is the same for the same call, so that answers can be compared. Clients make ids unique."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{tool.tool} {tool.arguments}").hex[:16]


def queries_of(tool: ProviderTool) -> list[str]:
    """Return the queries of a search, whose arguments contain one or several."""
    several = tool.arguments.get("queries")
    return [str(query) for query in several] if several else [str(tool.arguments.get("query", ""))]
