"""What the Gemini API ran itself during an answer (code, searches, pages), read from the answer's parts and metadata.

Sources: https://ai.google.dev/gemini-api/docs/code-execution, https://ai.google.dev/gemini-api/docs/google-search,
https://ai.google.dev/gemini-api/docs/url-context, https://ai.google.dev/gemini-api/docs/tool-combination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from agents.messages import BuiltinTool, ProviderMetadata, ProviderPart, ProviderToolCall
from agents.providers.citations import CitedSources
from agents.providers.google.contents import Part

_STARTS = frozenset({"executableCode", "toolCall"})
_PARTS = _STARTS | {"codeExecutionResult", "toolResponse"}
_NAMES: Mapping[str, str] = {
    "GOOGLE_SEARCH_WEB": BuiltinTool.WEB_SEARCH.value,
    "GOOGLE_SEARCH_IMAGE": BuiltinTool.WEB_SEARCH.value,
    "URL_CONTEXT": BuiltinTool.URL_CONTEXT.value,
}
_FAILED = ("failed", "deadline_exceeded")


def is_server_part(part: Part) -> bool:
    """Return whether the part belongs to a server tool. Raises TypeError when such a part is malformed."""
    kinds = _PARTS & part.keys()
    if not all(isinstance(part[kind], dict) for kind in kinds):
        raise TypeError
    return bool(kinds)


def server_calls(parts: Iterable[Part], provider_metadata: Callable[[Sequence[Part]], ProviderMetadata]) -> list[ProviderToolCall]:
    """Return one call per server tool use, in order, each with its own parts unchanged.

    Parts before the first use belong to it, such as an empty signed part.
    """
    runs: list[list[Part]] = []
    for part in parts:
        if not runs or (not _STARTS.isdisjoint(part) and _opening_part(runs[-1])):
            runs.append([])
        runs[-1].append(part)
    return [
        _tool_call(run, provider_metadata(run)) if "toolCall" in _opening_part(run) else _code_call(run, provider_metadata(run))
        for run in runs
    ]


def _opening_part(run: Iterable[Part]) -> Part:
    """Return the part that starts the use; {} when there is none."""
    return next((part for part in run if not _STARTS.isdisjoint(part)), {})


def _tool_call(parts: Sequence[Part], provider_metadata: ProviderMetadata) -> ProviderToolCall:
    call = _opening_part(parts)["toolCall"]
    kind = str(call.get("toolType") or "tool")
    arguments = call.get("args")
    return ProviderToolCall(
        str(call.get("id") or ""),
        _NAMES.get(kind, kind.lower()),
        arguments if isinstance(arguments, dict) else {},
        provider_metadata=provider_metadata,
    )


def _code_call(parts: Sequence[Part], provider_metadata: ProviderMetadata) -> ProviderToolCall:
    """Return the call. Its `output` is what the code printed and how it ended; after a failure only the printed text."""
    code = _opening_part(parts).get("executableCode", {})
    results = [part["codeExecutionResult"] for part in parts if "codeExecutionResult" in part]
    outcome = str(results[-1].get("outcome") or "").removeprefix("OUTCOME_").lower() if results else "no_result"
    stdout = "".join(str(result.get("output") or "") for result in results)
    is_error = outcome in _FAILED
    return ProviderToolCall(
        str(code.get("id") or ""),
        BuiltinTool.CODE_EXECUTION.value,
        {"language": str(code.get("language") or "python").lower(), "code": str(code.get("code") or "")},
        (stdout or f"The code did not end well ({outcome}).") if is_error else {"output": stdout, "outcome": outcome},
        is_error=is_error,
        provider_metadata=provider_metadata,
    )


class GroundingMetadata:
    """Searches and pages according to an answer's metadata, which comes with the last chunks and partly repeats earlier parts."""

    def __init__(self) -> None:
        self._queries: dict[str, None] = {}
        self._pages: dict[str, str] = {}
        self._sources = CitedSources()

    def add(self, candidate: Mapping[str, Any]) -> None:
        """Record a candidate's metadata. Raises AttributeError or TypeError when it is malformed."""
        metadata = candidate.get("groundingMetadata") or {}
        self._queries |= dict.fromkeys(query for query in metadata.get("webSearchQueries") or [] if isinstance(query, str))
        for chunk in metadata.get("groundingChunks") or []:
            page = chunk.get("web") or {}
            self._sources.cite(page.get("uri"), page.get("title"))
        for page in (candidate.get("urlContextMetadata") or {}).get("urlMetadata") or []:
            status = str(page.get("urlRetrievalStatus") or "").removeprefix("URL_RETRIEVAL_STATUS_").lower()
            self._pages[str(page.get("retrievedUrl") or "")] = status

    @property
    def query_count(self) -> int:
        """How often was searched, according to the metadata."""
        return len(self._queries)

    def entries(self, tool_names: Collection[str]) -> list[ProviderPart]:
        """Return the calls that no part reported, and the cited pages. `tool_names`: names of the tools that parts reported."""
        calls = list[ProviderPart]()
        if self._queries and BuiltinTool.WEB_SEARCH.value not in tool_names:
            calls.append(ProviderToolCall("", BuiltinTool.WEB_SEARCH.value, {"queries": list(self._queries)}))
        if self._pages and BuiltinTool.URL_CONTEXT.value not in tool_names:
            pages = [{"url": url, "status": status} for url, status in self._pages.items()]
            calls.append(ProviderToolCall("", BuiltinTool.URL_CONTEXT.value, {"urls": list(self._pages)}, {"pages": pages}))
        return [*calls, *self._sources.drain()]
