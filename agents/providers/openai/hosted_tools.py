"""Tools that the Responses API runs itself: how to request them, and how to show their results to people.

Sources: https://developers.openai.com/api/docs/guides/tools-web-search, .../guides/tools-code-interpreter and the types of openai 3.54.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.messages import AnswerFile, BuiltinTool, ModelSettings, ProviderToolCall

HOSTED_TOOLS: Mapping[str, BuiltinTool] = {
    "web_search_call": BuiltinTool.WEB_SEARCH,
    "code_interpreter_call": BuiltinTool.CODE_EXECUTION,
}
IMAGE_CALL = "image_generation_call"
NO_IMAGE = "The image could not be made."
# Each tool's declaration, and the field to include. There is no tool for pages alone: web search opens those that a message names.
_DECLARATIONS: Mapping[BuiltinTool, tuple[dict[str, Any], str]] = {
    BuiltinTool.IMAGE_GENERATION: ({"type": "image_generation"}, ""),
    BuiltinTool.WEB_SEARCH: ({"type": "web_search"}, "web_search_call.action.sources"),
    BuiltinTool.CODE_EXECUTION: ({"type": "code_interpreter", "container": {"type": "auto"}}, "code_interpreter_call.outputs"),
}


def hosted_tools(settings: ModelSettings) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the declarations, and the `include` fields with the results that people see."""
    offers = [_DECLARATIONS[tool] for tool in settings.builtin_tools if tool in _DECLARATIONS]
    return [tool for tool, _ in offers], [include for _, include in offers if include]


def hosted_call(item: Mapping[str, Any]) -> ProviderToolCall:
    """Convert a finished item. Raises KeyError or AttributeError when it is malformed."""
    is_search = item["type"] == "web_search_call"
    return ProviderToolCall(
        str(item["id"]),
        HOSTED_TOOLS[item["type"]],
        _action(item) if is_search else {"code": item.get("code") or ""},
        _pages(item) if is_search else _code_output(item),
        is_error=item.get("status") in ("failed", "incomplete"),
    )


def is_billed_search(item: Mapping[str, Any]) -> bool:
    """Return whether the item is a search that is billed by itself; pages that it opens are not (https://platform.openai.com/docs/pricing)."""
    return bool(item["type"] == "web_search_call" and (item.get("action") or {}).get("type", "search") == "search")


def image_file(item: Mapping[str, Any]) -> AnswerFile:
    """Return the generated image (PNG unless the item says otherwise), or one with a `problem`. Raises TypeError when malformed."""
    result = item.get("result") or ""
    if not isinstance(result, str):
        raise TypeError
    media_type = f"image/{item.get('output_format') or 'png'}"
    return AnswerFile("", "", media_type, unsaved_base64=result, problem="" if result else NO_IMAGE)


def image_call_to_wire(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item as the API takes it back, without the result: it refuses the settings that it returned itself."""
    return {"type": IMAGE_CALL, "id": str(item["id"]), "status": "completed"}


def _action(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the search queries, or the page that was opened."""
    action = item.get("action") or {}
    return {name: action[name] for name in ("query", "queries", "url", "pattern") if action.get(name)}


def _pages(item: Mapping[str, Any]) -> list[str] | None:
    """Return the URLs that a search found."""
    sources = (item.get("action") or {}).get("sources") or ()
    return [str(source.get("url")) for source in sources if source.get("url")] or None


def _code_output(item: Mapping[str, Any]) -> str | None:
    """Return what the code printed. Its images stay with the provider."""
    outputs = item.get("outputs") or ()
    return "".join(str(output.get("logs") or "") for output in outputs) or None
