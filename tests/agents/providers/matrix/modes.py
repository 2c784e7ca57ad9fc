"""Every provider, in each of its modes, as one table: its strict double, the model in front of it, and how its wire spells things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from agents.engine.agent import AgentSpec
from agents.engine.ports import LanguageModel
from agents.messages import BuiltinTool, ModelSettings
from agents.providers.anthropic.adapter import AnthropicModel
from agents.providers.connection import Connection
from agents.providers.google.adapter import GoogleModel
from agents.providers.openai.chat_adapter import ChatCompletionsModel, CompatibleTraits
from agents.providers.openai.responses_adapter import OpenAIModel
from agents.providers.xml_tools.conversion import call_text
from doubles.openai import ServerQuirks
from doubles.script import Call, Fault, Finish, Item, Pacing, ReceivedRequest, Text
from tests.agents.engine.scripted import AGENT
from tests.agents.providers.harness import connection
from tests.support.agents.anthropic import anthropic_double
from tests.support.agents.gemini import gemini_double
from tests.support.agents.model_calls import OpenedModel
from tests.support.agents.openai import openai_double

SETTINGS = ModelSettings(thinking_budget=2000, builtin_tools=(BuiltinTool.WEB_SEARCH,), native_files=("image", "pdf"))


class Double(Protocol):
    """What the doubles of all wires have."""

    requests: list[ReceivedRequest]
    base_url: str

    @property
    def queued_count(self) -> int: ...

    def answer(self, *items: Item, pacing: Pacing = ...) -> None: ...


@dataclass(frozen=True, eq=False)
class ProviderMode:
    """`build`: an adapter. `writes_calls`: in the XML mode. `as_sent`: an answer's items as this mode's model sends them. `finish_reasons`: its wire's words for the ways an answer ends.

    `too_long`: how it says that a prompt is. `overload`: the status of its overload. `keeps_provider_metadata`: whether its own data go back to it.
    `searches`: whether its provider does; `takes_pdf`: as they are.
    """

    name: str
    model: str
    serve: Callable[[], AbstractContextManager[Double]]
    build: Callable[[Connection], LanguageModel]
    finish_reasons: Mapping[str, str]
    too_long: Fault
    as_sent: Callable[[Item], Item] = field(default=lambda item: item)
    overload: int = 503
    keeps_provider_metadata: bool = True
    searches: bool = True
    takes_pdf: bool = True
    writes_calls: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def agent(self) -> AgentSpec:
        return replace(AGENT, model=self.model, settings=SETTINGS)

    @asynccontextmanager
    async def open_model(self, double: Double, timeout_s: float = 5.0, **limits: Any) -> AsyncIterator[LanguageModel]:
        """The model as a route opens it, without retries."""
        async with connection(double.base_url, timeout_s=timeout_s) as provider_connection:
            yield OpenedModel(
                self.build(replace(provider_connection, api_version="", **limits)), attempts=1, calls_in_text=self.writes_calls
            )


def _call_as_text(item: Item) -> Item:
    """A call as text; unreadable arguments stay so."""
    if not isinstance(item, Call):
        return item
    if isinstance(item.arguments, Mapping):
        return Text(f"\n{call_text(item.name, dict(item.arguments))}")
    return Text(f"<tool_call>{item.arguments}</tool_call>")


def _bad_gemini_call(item: Item) -> Item:
    """Gemini throws a call away that can't be read."""
    if isinstance(item, Call) and not isinstance(item.arguments, Mapping):
        return Finish("MALFORMED_FUNCTION_CALL", "Malformed function call: look_up(", bare=True)
    return item


def compatible(**quirks: Any) -> Callable[[], AbstractContextManager[Double]]:
    @contextmanager
    def serve() -> Iterator[Double]:
        with openai_double(models=None, quirks=ServerQuirks(**quirks)) as double:
            yield double

    return serve


_CHAT_ENDS = {"length": "length", "filter": "content_filter"}
_CLAUDE_ENDS = {"length": "max_tokens", "filter": "refusal"}
_TOO_LONG = Fault.status(400, "This model's maximum context length is 128000 tokens.", reason="context_length_exceeded")
_CLAUDE_TOO_LONG = Fault.status(400, "prompt is too long: 200001 tokens > 200000 maximum")

GOOGLE = ProviderMode(
    "google",
    "gemini-3-flash-preview",
    gemini_double,
    GoogleModel,
    {"length": "MAX_TOKENS", "filter": "SAFETY"},
    Fault.status(400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
    _bad_gemini_call,
)
OPENAI = ProviderMode(
    "openai", "gpt-6.2-sol", openai_double, OpenAIModel, {"length": "max_output_tokens", "filter": "content_filter"}, _TOO_LONG
)
ANTHROPIC = ProviderMode("anthropic", "claude-opus-5-5", anthropic_double, AnthropicModel, _CLAUDE_ENDS, _CLAUDE_TOO_LONG, overload=529)
ANTHROPIC_BUDGET = replace(ANTHROPIC, name="anthropic with a budget", model="claude-haiku-4-5")
COMPATIBLE = ProviderMode(
    "compatible",
    "qwen3:8b",
    compatible(reasoning_field="reasoning_content", makes_grammars=True),
    ChatCompletionsModel,
    _CHAT_ENDS,
    _TOO_LONG,
    keeps_provider_metadata=False,
    searches=False,
    takes_pdf=False,
)
COMPATIBLE_BACK = replace(
    COMPATIBLE,
    name="compatible with its reasoning back",
    model="deepseek-reasoner",
    build=lambda made: ChatCompletionsModel(made, traits=CompatibleTraits(reasoning_back="reasoning_content")),
)
COMPATIBLE_XML = replace(COMPATIBLE, name="compatible, XML mode", as_sent=_call_as_text, writes_calls=True)
MISTRAL = replace(COMPATIBLE, name="Mistral", model="mistralai/Mistral-Small-4", serve=compatible(mistral=True))

MODES = (GOOGLE, OPENAI, ANTHROPIC, COMPATIBLE, COMPATIBLE_XML)
ALL_MODES = (*MODES, ANTHROPIC_BUDGET, COMPATIBLE_BACK)
