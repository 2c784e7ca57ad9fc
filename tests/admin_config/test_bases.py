"""One agent for all providers (SPEC 4.15): platform's default, then the base, then the provider's own row, field by field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from admin_config.defaults.platform import ALL_PROVIDERS, CHAT_AGENT, DOCUMENT_AGENT, KINDS, MERMAID_AGENT, PROVIDERS, agent_key
from admin_config.models import AgentConfig, AgentOperation, AgentTool, AppSettings, ModelConfig, PromptSection, ToolSource
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.bases import bases_attach
from admin_config.services.changes.diff import release_diff
from admin_config.services.configuration import release_publish
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.discarding.loading import release_load_into_draft
from admin_config.services.drafts.draft import draft_compose, draft_load, draft_problems
from admin_config.services.drafts.draft_hashes import rows_hash
from admin_config.services.restoring import release_restore
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast

CHAT_BASE = agent_key(CHAT_AGENT, ALL_PROVIDERS)
GOOGLE, OPENAI = agent_key(CHAT_AGENT, "google"), agent_key(CHAT_AGENT, "openai")


def base(kind: str = CHAT_AGENT) -> Any:
    return AgentConfig.objects.filter(key=agent_key(kind, ALL_PROVIDERS))


def chat_row(key: str) -> Any:
    return AgentConfig.objects.get(key=key)


def draft() -> ReleaseSnapshot:
    return draft_compose(draft_load())


def publish(cast: Cast) -> None:
    release_publish(organization_id=cast.acme.id, author_id=cast.alice.pk)


# Field, the base's value, the provider's own: None where it has none, and what then holds.
LEVELS: list[tuple[str, Any, Any, Any]] = [
    ("max_steps", None, None, KINDS[CHAT_AGENT].max_steps),
    ("max_steps", 9, None, 9),
    ("max_steps", 9, 3, 3),
    ("max_steps", None, 3, 3),
    ("temperature", 0.5, 0.0, 0.0),
    ("cost_budget_usd", Decimal("0.5"), None, 0.5),
    ("system_prompt", "Be brief.", None, "Be brief."),
    ("description", "", "Mine.", "Mine."),
    ("tool_policy", "single", None, "single"),
    ("hidden_tools", "message\nplan", None, ("message", "plan")),
    ("ask_first", None, None, False),
    ("ask_first", True, None, True),
    ("ask_first", True, False, False),
    ("prune_empty", False, None, False),
    ("is_enabled", False, None, False),
    ("is_enabled", False, True, True),
]


@pytest.mark.parametrize(("field", "shared", "own", "expected"), LEVELS)
def test_a_field_has_the_first_value_that_is_set(field: str, shared: Any, own: Any, expected: Any) -> None:
    common_fields = {"kind": CHAT_AGENT, "organization_id": uuid4()}
    above = AgentConfig(key=CHAT_BASE, provider=ALL_PROVIDERS, **common_fields, **({field: shared} if shared is not None else {}))
    row = AgentConfig(key=GOOGLE, provider="google", **common_fields, **({field: own} if own is not None else {}))
    above.defaults = KINDS[CHAT_AGENT]
    assert bases_attach([row, above]) == [row]
    if field == "is_enabled":
        effective_value: Any = row.is_on
    elif field in type(row.options()).model_fields:
        effective_value = getattr(row.options(), field)
    else:
        effective_value = row.value(field) or (getattr(KINDS[CHAT_AGENT], field) if row.value(field) in (None, "") else row.value(field))
    assert effective_value == expected


def test_a_new_organization_has_a_base_of_each_kind_that_sets_nothing(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        kinds = set(AgentConfig.objects.filter(provider=ALL_PROVIDERS).values_list("kind", flat=True))
        assert kinds == {kind for kind, defaults in KINDS.items() if not defaults.is_custom}
        assert draft().bases == {}
        assert len(draft().agents) == len(kinds) * len({key.rsplit("_agent_", 1)[1] for key in draft().agents})


def test_a_value_for_all_providers_is_in_each_flat_agent_of_the_release(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base().update(max_steps=9, ask_first=True)
        PromptSection.objects.filter(agent__key=CHAT_BASE, name="language").update(text="Answer in Welsh.")
        AgentOperation.objects.filter(agent__key=CHAT_BASE, name="title").update(is_enabled=False)
        AgentConfig.objects.filter(key=OPENAI).update(max_steps=3)
        PromptSection.objects.filter(agent__key=OPENAI, name="language").update(text="Answer in Breton.")
        AgentOperation.objects.filter(agent__key=OPENAI, name="title").update(is_enabled=True)
        publish(seeded_cast)
        agents = live_release(organization_id=seeded_cast.acme.id).snapshot.agents
    chats = {key: agent for key, agent in agents.items() if agent.kind == CHAT_AGENT}
    assert {key: agent.max_steps for key, agent in chats.items()} == {key: 3 if key == OPENAI else 9 for key in chats}
    assert {agent.ask_first for agent in chats.values()} == {True}
    assert chats[GOOGLE].sections["language"].text == "Answer in Welsh."
    assert chats[OPENAI].sections["language"].text == "Answer in Breton."
    assert (chats[GOOGLE].operations["title"].is_enabled, chats[OPENAI].operations["title"].is_enabled) == (False, True)
    assert {agent.max_steps for agent in agents.values() if agent.kind == DOCUMENT_AGENT} == {KINDS[DOCUMENT_AGENT].max_steps}


def test_the_tools_of_all_providers_come_in_addition(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        before = draft().agents
        source = ToolSource.objects.create(kind="plan", name="planner", prefix="p")
        AgentTool.objects.create(agent=base().get(), source=source)
        AgentTool.objects.create(agent=base().get(), source=ToolSource.objects.get(name="plan"))
        after = draft().agents
    for key in (GOOGLE, OPENAI):
        source_ids = [tool.source_id for tool in after[key].tools if tool.source_id]
        assert set(source_ids) == {source.pk, *(tool.source_id for tool in before[key].tools if tool.source_id)}
        assert len(source_ids) == len(set(source_ids))


def test_other_organizations_have_bases_of_their_own(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.id):
        before = draft()
    with tenant_tx(seeded_cast.acme.id):
        base().update(system_prompt="Acme's own.")
    with tenant_tx(seeded_cast.other.id):
        assert draft() == before
        assert base().get().system_prompt == ""


def test_a_change_for_all_providers_is_told_once(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        before = draft()
        base().update(max_steps=9)
        AgentConfig.objects.filter(key=OPENAI).update(max_steps=3)
        changes = release_diff(before, draft())
    assert [change.path for change in changes] == [f"agents > {CHAT_BASE} > max steps", f"agents > {OPENAI} > max steps"]


def test_discarding_brings_back_both_levels(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base().update(max_steps=9, hidden_tools="message\nplan", prune_empty=False, is_enabled=True)
        PromptSection.objects.filter(agent__key=CHAT_BASE, name="language").update(text="Answer in Welsh.")
        PromptSection.objects.filter(agent__key=CHAT_BASE, name="safety").update(is_enabled=False)
        PromptSection.objects.filter(agent__key=OPENAI, name="safety").update(is_enabled=True)
        AgentConfig.objects.filter(key=OPENAI).update(max_steps=3, prune_empty=True)
        AgentTool.objects.create(agent=base().get(), source=ToolSource.objects.create(kind="plan", name="planner", prefix="p"))
        AppSettings.objects.update(publish_on_save=False)
        publish(seeded_cast)
        base().update(max_steps=2, hidden_tools="", prune_empty=None, system_prompt="Theirs.")
        PromptSection.objects.filter(agent__kind=CHAT_AGENT).update(text="Theirs.", is_enabled=None)
        AgentConfig.objects.filter(kind=CHAT_AGENT).exclude(key=CHAT_BASE).update(max_steps=4, prune_empty=False)
        AgentTool.objects.filter(agent=base().get()).delete()
        waiting = unpublished_draft()
        assert waiting is not None
        draft_discard(organization_id=seeded_cast.acme.id, expected_hash=waiting.rows_hash)
        row, google, openai = (chat_row(key) for key in (CHAT_BASE, GOOGLE, OPENAI))
        assert unpublished_draft() is None
        assert (row.max_steps, row.hidden_tools, row.prune_empty, row.system_prompt) == (9, "message\nplan", False, "")
        assert (google.max_steps, google.prune_empty, openai.max_steps, openai.prune_empty) == (None, None, 3, True)
        assert PromptSection.objects.get(agent=google, name="language").text == ""
        assert PromptSection.objects.get(agent=openai, name="safety").is_enabled is True
        assert row.tools.count() == 1
        assert not google.tools.filter(source__name="planner").exists()


def test_a_release_from_before_there_were_bases_empties_them(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        first = live_release(organization_id=seeded_cast.acme.id)
        base().update(max_steps=9)
        publish(seeded_cast)
        waiting = rows_hash(draft_load())
        release_load_into_draft(organization_id=seeded_cast.acme.id, release_id=first.id, expected_hash=waiting)
        assert base().get().max_steps is None
        assert draft().content_hash() == first.snapshot.content_hash()
        release_restore(organization_id=seeded_cast.acme.id, release_id=first.id)
        assert live_release(organization_id=seeded_cast.acme.id).snapshot.agents[GOOGLE].max_steps == KINDS[CHAT_AGENT].max_steps


def test_a_fault_of_the_base_is_told_once_and_names_it(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base(MERMAID_AGENT).update(tail_percent=80)
        problems = draft_problems(draft_load())
        row = base(MERMAID_AGENT).get()
    assert {problem.row_id for problem in problems} == {row.pk}
    assert all(problem.text.startswith(f"{row}: ") for problem in problems)


def test_a_contradiction_with_the_base_is_told_at_the_provider(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base().update(compact_at_percent=20)
        AgentConfig.objects.filter(key=GOOGLE).update(tail_percent=30)
        [problem] = draft_problems(draft_load())
        assert problem.row_id == AgentConfig.objects.get(key=GOOGLE).pk
    assert problem.text.startswith("Chat agent (Google Gemini): The shares must rise")
    assert problem.text.endswith("Part of it is set for all providers.")


def test_a_prompt_for_all_providers_fits_the_smallest_window_that_is_offered(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(offered_providers=["openai"])
        ModelConfig.objects.filter(provider="openai").update(context_window=32_000)
        ModelConfig.objects.filter(provider="anthropic").update(context_window=4_000)  # not offered, so that it does not count
        PromptSection.objects.filter(agent__key=CHAT_BASE, name="skills").update(text="word " * 10_000)
        [problem] = draft_problems(draft_load())
        assert (problem.row_id, problem.field) == (base().get().pk, "system_prompt")
        PromptSection.objects.filter(agent__key=OPENAI, name="skills").update(text="Short.")
        assert draft_problems(draft_load()) == []
    assert "may have 8,000" in problem.text


def test_a_cost_budget_for_all_providers_needs_the_prices_of_the_offered_ones(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        ModelConfig.objects.create(provider="compatible", model_id="m", display_name="M", is_default=True)
        base().update(cost_budget_usd=1)
        assert draft_problems(draft_load()) == []


def test_a_base_has_no_settings_of_one_provider_and_calls_no_agent(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        base().update(provider_options={"service_tier": "flex"})
        helper = AgentConfig.objects.get(key="provider_tools_agent_google")
        AgentTool.objects.create(agent=base().get(), sub_agent=helper)
        texts = " ".join(problem.text for problem in draft_problems(draft_load()))
    assert "has no settings of one provider" in texts
    assert "Agents are called within one provider" in texts
    assert set(PROVIDERS).isdisjoint({ALL_PROVIDERS})
