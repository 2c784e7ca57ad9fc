from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import CHAT_AGENT, DOCUMENT_AGENT
from admin_config.defaults.prices import utc_today
from admin_config.errors import AgentNotConfigured, EndpointNotConfigured, ModelNotConfigured
from admin_config.release import AgentSnapshot, EndpointSnapshot, ModelSnapshot, OperationSnapshot, ReleaseSnapshot
from admin_config.services.changes.diff import DiffLine, release_diff

FLASH, PRO, DEMO = UUID(int=1), UUID(int=2), UUID(int=3)


def model(model_id: UUID, provider: str, *, default: bool = False) -> ModelSnapshot:
    return ModelSnapshot(
        id=model_id,
        provider=provider,
        model_id=f"model-{model_id.int}",
        display_name=f"Model {model_id.int}",
        context_window=1000,
        max_output_tokens=100,
        supports_thinking=True,
        thinking_style="budget",
        supports_tools=True,
        is_default=default,
    )


def endpoint(provider: str, *, priority: int, base_url: str = "https://example.org") -> EndpointSnapshot:
    return EndpointSnapshot(
        id=uuid4(),
        provider=provider,
        name=f"{provider} {priority}",
        base_url=base_url,
        api_version="v1",
        secret_id=None,
        priority=priority,
        timeout_s=90,
    )


def agent(kind: str, **changes: Any) -> AgentSnapshot:
    operation = OperationSnapshot(name="create", is_enabled=True, system_prompt="Write.", user_prompt_template="{title}: {instruction}")
    plain: dict[str, Any] = {
        "key": f"{kind}_google",
        "kind": kind,
        "provider": "google",
        "is_enabled": True,
        "model_id": None,
        "system_prompt": "One.\nTwo.\nThree.",
        "description": "",
        "temperature": None,
        "max_output_tokens": None,
        "max_steps": 5,
        "thinking_budget": 8192,
        "operations": {"create": operation},
    }
    return AgentSnapshot(**{**plain, **changes})


def release(*agents: AgentSnapshot, **changes: Any) -> ReleaseSnapshot:
    plain: dict[str, Any] = {
        "active_provider": "google",
        "endpoints": (endpoint("google", priority=1), endpoint("google", priority=2)),
        "models": (model(FLASH, "google", default=True), model(PRO, "google"), model(DEMO, "demo", default=True)),
        "agents": {a.key: a for a in agents},
    }
    return ReleaseSnapshot(**{**plain, **changes})


def test_only_enabled_agents_of_the_active_provider_are_found() -> None:
    snapshot = release(agent(CHAT_AGENT), agent(DOCUMENT_AGENT, is_enabled=False))
    assert snapshot.agent(CHAT_AGENT).key == "chat_model_agent_google"
    with pytest.raises(AgentNotConfigured, match="Document agent is not enabled for Google Gemini"):
        snapshot.agent(DOCUMENT_AGENT)


@pytest.mark.parametrize(
    ("requested_id", "agents_own", "expected"),
    [
        (PRO, None, PRO),
        (None, PRO, PRO),
        (None, None, FLASH),
        (DEMO, None, FLASH),  # a model of another provider, chosen before the provider was switched
        (uuid4(), PRO, PRO),  # a model that is gone
    ],
)
def test_the_model_falls_back_to_the_agents_own_and_then_to_the_default(
    requested_id: UUID | None, agents_own: UUID | None, expected: UUID
) -> None:
    snapshot = release(agent(CHAT_AGENT, model_id=agents_own))
    assert snapshot.model(requested_id, snapshot.agent(CHAT_AGENT)).id == expected


def test_a_provider_without_a_default_model_is_a_clear_error() -> None:
    snapshot = release(agent(CHAT_AGENT), models=(model(PRO, "google"),))
    with pytest.raises(ModelNotConfigured, match="Google Gemini has no default model"):
        snapshot.model(None, snapshot.agent(CHAT_AGENT))


def test_the_endpoint_is_the_first_one_with_an_address() -> None:
    blank, second = endpoint("demo", priority=1, base_url=""), endpoint("demo", priority=2)
    snapshot = release(endpoints=(blank, second))
    assert snapshot.endpoint("demo") == second
    assert snapshot.with_demo_url("http://127.0.0.1:9").endpoint("demo").base_url == "http://127.0.0.1:9"
    with pytest.raises(EndpointNotConfigured):
        snapshot.endpoint("google")


def test_only_the_demos_own_blank_addresses_are_the_demo_servers() -> None:
    """A compatible endpoint without an address must never send a conversation to the demo."""
    blank = [endpoint(provider, priority=1, base_url="") for provider in ("demo", "demo_openai", "demo_anthropic", "compatible")]
    demo_release = release(endpoints=(*blank, endpoint("openai", priority=1))).with_demo_url("http://127.0.0.1:9")
    assert [e.base_url for e in demo_release.endpoints[:4]] == ["http://127.0.0.1:9", "http://127.0.0.1:9/v1", "http://127.0.0.1:9", ""]
    assert "127.0.0.1" not in demo_release.endpoint("openai").base_url
    assert not any(e.base_url for e in release(endpoints=tuple(blank)).with_demo_url("").endpoints)


def test_the_endpoints_of_a_provider_come_best_first_and_only_with_an_address() -> None:
    blank, first, second = endpoint("google", priority=0, base_url=""), endpoint("google", priority=1), endpoint("google", priority=2)
    snapshot = release(endpoints=(blank, first, endpoint("demo", priority=1), second))
    assert snapshot.endpoints_of("google") == (first, second)
    with pytest.raises(EndpointNotConfigured):
        snapshot.endpoints_of("openai")


def test_a_user_prompt_takes_the_values_its_template_names() -> None:
    operation = agent(DOCUMENT_AGENT).operations["create"]
    assert operation.user_prompt(title="Plan", instruction="Short.", current_content="unused") == "Plan: Short."


def test_the_content_hash_follows_the_content_alone() -> None:
    first = release(agent(CHAT_AGENT))
    assert first.content_hash() == ReleaseSnapshot.model_validate(first.as_json()).content_hash()
    assert first.content_hash() != release(agent(CHAT_AGENT, max_steps=6), endpoints=first.endpoints).content_hash()


def test_a_snapshot_of_a_newer_version_can_be_read() -> None:
    content = release(agent(CHAT_AGENT)).as_json()
    content["agents"]["chat_model_agent_google"]["later_field"] = 1
    assert ReleaseSnapshot.model_validate(content).agent(CHAT_AGENT).max_steps == 5


def test_a_release_from_before_an_option_has_the_platforms_default() -> None:
    content = release(agent(CHAT_AGENT)).as_json()
    for name in (*AgentOptions.model_fields, "step_rules"):
        del content["agents"]["chat_model_agent_google"][name]
    for model_content in content["models"]:
        del model_content["prices"]
    old = ReleaseSnapshot.model_validate(content)
    assert old.agent(CHAT_AGENT).tool_policy == "parallel"
    assert old.agent(CHAT_AGENT).step_rules == ()
    assert old.models[0].cost_usd(day=utc_today(), fresh_input=1, cached_input=0, output=1, thinking=0) is None


def test_a_price_of_an_old_release_still_counts() -> None:
    content = release(agent(CHAT_AGENT)).as_json()
    for model_content in content["models"]:
        del model_content["prices"]
        model_content |= {"input_price_usd": 1.0, "cached_price_usd": None, "output_price_usd": 10.0, "thinking_price_usd": None}
    old = ReleaseSnapshot.model_validate(content).models[0]
    assert old.cost_usd(day=utc_today(), fresh_input=1_000_000, cached_input=0, output=100_000, thinking=0) == pytest.approx(2)


def test_a_diff_shows_the_changed_lines_of_the_changed_fields() -> None:
    before = release(agent(CHAT_AGENT))
    after = release(agent(CHAT_AGENT, system_prompt="One.\n2.\nThree.", max_steps=7), endpoints=before.endpoints)
    prompt, steps = release_diff(before, after)
    assert prompt.where == ("agents", "chat_model_agent_google", "system prompt")
    assert prompt.lines == (
        DiffLine("same", "One."),
        DiffLine("removed", "Two."),
        DiffLine("added", "2."),
        DiffLine("same", "Three."),
    )
    assert [(line.kind, line.text) for line in steps.lines] == [("removed", "5"), ("added", "7")]


def test_equal_releases_have_no_diff() -> None:
    snapshot = release(agent(CHAT_AGENT))
    assert release_diff(snapshot, snapshot) == []


@pytest.mark.parametrize(("old", "new"), [(1, 1.0), (1, True), (0, False)])
def test_a_number_of_another_kind_is_a_change(old: object, new: object) -> None:
    before, after = (release(agent(CHAT_AGENT, provider_options={"seed": value})) for value in (old, new))
    assert [change.where[-1] for change in release_diff(before, after) if change.where[0] == "agents"] == ["seed"]
