"""An agent's provider settings in the spelling of each wire, as its requests take them."""

from __future__ import annotations

from typing import Any

import pytest

from admin_config.defaults.platform import CHAT_AGENT
from agents.messages import BuiltinTool, ModelRequest, SystemPrompt, UserMessage
from agents.providers.anthropic.request import build_body
from agents.providers.option_merging import merge_objects
from agents.runtime.specs import model_settings
from tests.admin_config.releases.test_release import FLASH, agent, model

GATEWAY = {"order": ["a", "b"], "fallback_models": ["m/1"], "user": "parley", "zero_data_retention": True}


@pytest.mark.parametrize(
    ("provider", "provider_settings", "thinks", "expected"),
    [
        ("google", {"harassment": "OFF"}, False, {"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]}),
        ("openai", {"reasoning_effort": "max"}, True, {"reasoning": {"effort": "max"}}),
        ("openai", {"reasoning_effort": "max", "reasoning_summary": "auto"}, False, {}),
        (
            "anthropic",
            {"effort": "low", "thinking_display": "omitted"},
            True,
            {"output_config": {"effort": "low"}, "thinking": {"display": "omitted"}},
        ),
        ("anthropic", {"effort": "low"}, False, {}),
        ("demo_openai", {"reasoning_summary": "concise"}, True, {"reasoning": {"summary": "concise"}}),
        ("compatible", {}, True, {}),
        (
            "compatible",
            {**GATEWAY, "gateway": "openrouter"},
            False,
            {"provider": {"order": ["a", "b"], "zdr": True}, "models": ["m/1"], "user": "parley"},
        ),
        (
            "compatible",
            {**GATEWAY, "gateway": "vercel", "tags": ["t"], "provider_timeouts": ["a: 10", "b:600"]},
            False,
            {
                "providerOptions": {
                    "gateway": {
                        "order": ["a", "b"],
                        "models": ["m/1"],
                        "user": "parley",
                        "tags": ["t"],
                        "zeroDataRetention": True,
                        "providerTimeouts": {"byok": {"a": 10_000, "b": 600_000}},
                    }
                }
            },
        ),
        ("gone", {"anything": 1}, True, {}),
    ],
)
def test_settings_are_sent_in_the_providers_words(
    provider: str, provider_settings: dict[str, Any], thinks: bool, expected: dict[str, Any]
) -> None:
    own = agent(CHAT_AGENT, provider=provider, provider_settings=provider_settings)
    thinking = model(FLASH, provider).model_copy(update={"supports_thinking": True, "thinking_style": "level"})
    assert model_settings(own, thinking, thinking=thinks).provider_options == expected


@pytest.mark.parametrize(
    ("name", "takes_effort"), [("claude-haiku-4-5-20251001", False), ("claude-sonnet-4-6", True), ("claude-sonnet-5-5", True)]
)
def test_an_effort_is_not_sent_to_models_that_refuse_it(name: str, takes_effort: bool) -> None:
    own = agent(CHAT_AGENT, provider="anthropic", provider_settings={"effort": "low"})
    able = {"model_id": name, "supports_thinking": True, "thinking_style": "budget"}
    settings = model_settings(own, model(FLASH, "anthropic").model_copy(update=able), thinking=True)
    body = build_body(ModelRequest(model=name, system=SystemPrompt(""), entries=(UserMessage("Hi"),), settings=settings), "anthropic")
    assert body.get("output_config") == ({"effort": "low"} if takes_effort else None)


def test_further_fields_stand_over_the_settings_and_keep_what_they_do_not_name() -> None:
    own = agent(
        CHAT_AGENT,
        provider="openai",
        provider_settings={"reasoning_effort": "low", "reasoning_summary": "auto"},
        provider_options={"reasoning": {"effort": "high"}, "service_tier": "flex"},
    )
    thinking = model(FLASH, "openai").model_copy(update={"supports_thinking": True, "thinking_style": "budget"})
    options = model_settings(own, thinking, thinking=True).provider_options
    assert options == {"reasoning": {"effort": "high", "summary": "auto"}, "service_tier": "flex"}
    assert merge_objects({"a": {"b": 1}}, {"a": [2]}) == {"a": [2]}


def test_a_model_gets_what_the_agent_switched_on_and_it_can() -> None:
    own = agent(CHAT_AGENT, builtin_tools=("web_search", "code_execution"), provider_settings={"thinking_level": "minimal"})
    able = {"builtin_tools": ("url_context", "code_execution", "of_later"), "supports_images": True, "supports_pdf": True, "reasons": True}
    flash = model(FLASH, "google").model_copy(update={**able, "supports_thinking": True, "thinking_style": "level"})
    settings = model_settings(own, flash, thinking=True)
    assert settings.builtin_tools == (BuiltinTool.CODE_EXECUTION,)
    assert (settings.native_files, settings.reasons, settings.thinking_level) == (("image", "pdf"), True, "minimal")
    assert model_settings(own, flash.model_copy(update={"supports_pdf": False}), thinking=False).native_files == ("image",)
