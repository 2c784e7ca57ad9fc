"""Agents as files: out of one organization, into another, the same but for ids and secrets (SPEC 4.13)."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from admin_config.defaults.platform import KINDS, PROVIDERS
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentTool,
    AppSettings,
    ModelConfig,
    PromptSection,
    Release,
    StepRule,
    ToolSource,
)
from admin_config.services.configuration import release_publish, tool_source_secret_set
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

KEY = "chat_model_agent_google"
SECRET = "key-NeverShownAgain-wxyz"
INVALID_CHANGES: list[tuple[tuple[str, ...], Any, str]] = [
    ((), "- 1", "must begin with"),
    ((), "parley: 1\nx: &a 1\ny: *a", "references"),
    ((), "parley: 1\nx: " + "[" * 100_000, "nested too deeply"),
    ((), "parley: 1\nx: !!python/object:os.system 1", "no YAML"),
    ((), "parley: 1\nagents: [", "no YAML: line 3, column 1."),
    (("agents", KEY, "max_steps"), 99, "less than or equal to 25"),
    (("agents", KEY, "max_stepz"), 9, "unknown max_stepz"),
    (("agents", KEY, "max_steps"), "many", "agents.chat_model_agent_google.max_steps"),
    (("agents", KEY, "provider"), "openai", "kind and provider must be"),
    (("agents", KEY, "model"), "gpt-nothing", "no model gpt-nothing"),
    (("agents", KEY, "active_tools"), "nonsense", "nonsense is not a known tool"),
    (("agents", KEY, "system_prompt"), "x" * 100_001, "The system prompt may have at most 100,000 characters; it has 100,001."),
    (("agents", KEY, "sections"), {"skills": {"text": "x" * 100_001}}, "skills.text: The text may have at most 100,000 characters"),
    (("agents", KEY, "sections"), {"nonsense": {}}, "unknown nonsense"),
    (("agents", KEY, "tools"), [{"source": "nonsense"}], "no source nonsense"),
    (("agents", KEY, "tools"), [{"position": 1}], "either a source or an agent"),
    (("agents", KEY, "tools"), [{"source": "plan"}, {"source": "plan", "position": 2}], "plan is here twice"),
    (("agents", "Bad name_google"), {"kind": "custom_agent", "provider": "google", "name": "Bad name"}, "A name is a small letter"),
    (("agents", "message_google"), {"kind": "custom_agent", "provider": "google", "name": "message"}, "the platform's own"),
    (
        ("agents", "tea_google"),
        {"kind": "custom_agent", "provider": "google", "name": "tea", "input_schema": {"type": "string"}},
        "must be a JSON object",
    ),
    (("agents", "new_google"), {"kind": "custom_agent", "provider": "google", "name": "other"}, "no such agent"),
    (("tool_sources", "orders"), {"kind": "nonsense"}, "no kind of tool source"),
    (
        ("tool_sources", "orders"),
        {"kind": "http", "settings": {"url": "https://10.0.0.7/", "description": "x"}},
        "not a public address",
    ),
]
ORDERS = {"url": "https://shop.example/orders", "description": "Orders: \u00fcber\nand more", "secret_header": "X-Key"}


def run(*args: str) -> str:
    out = StringIO()
    call_command("agents", *args, stdout=out)
    return out.getvalue()


def tune(organization: Organization) -> None:
    """An organization that decided many things."""
    with tenant_tx(organization.id):
        agent = AgentConfig.objects.get(key=KEY)
        agent.model = ModelConfig.objects.filter(provider="google", is_enabled=True).exclude(is_default=True).first()
        agent.temperature, agent.system_prompt = 0.5, "Be brief.\nBe kind."
        for option, value in {"cost_budget_usd": "0.5000", "active_tools": "shop_orders\nmessage"}.items():
            setattr(agent, option, value)
        agent.save()
        PromptSection.objects.filter(agent=agent, name="safety").update(is_enabled=False)
        PromptSection.objects.filter(agent=agent, name="skills").update(text="We sell tea.\n\n  Indented: yes")
        AgentOperation.objects.filter(agent=agent, name="title").update(system_prompt="Short titles.")
        StepRule.objects.create(agent=agent, first_step=2, tool_choice="none")
        source = ToolSource.objects.create(name="orders", kind="http", prefix="shop", danger="dangerous", settings=ORDERS)
        tool_source_secret_set(source=source, value=SECRET)
        AgentTool.objects.create(agent=agent, source=source, position=40)
        for name in ("bills", "stock"):  # at the same position: the file keeps their order
            more = ToolSource.objects.create(name=name, kind="http", prefix=name, settings=ORDERS)
            AgentTool.objects.create(agent=agent, source=more, position=40)
        release_publish(organization_id=organization.id)


def live(organization: Organization) -> Any:
    """The live configuration without ids and secrets: models and sources by name."""
    with tenant_tx(organization.id):
        content = live_release(organization_id=organization.id).snapshot.as_json()
    names = {row["id"]: row.get("name") or row.get("model_id") for part in ("tool_sources", "models") for row in content[part]}
    text = json.dumps({"agents": content["agents"], "tool_sources": content["tool_sources"]})
    for row_id, name in names.items():
        text = text.replace(row_id, str(name))

    def without_ids(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without_ids(inner) for key, inner in value.items() if key not in ("id", "secret_id")}
        return [without_ids(item) for item in value] if isinstance(value, list) else value

    return without_ids(json.loads(text))


def test_a_file_makes_another_organization_the_same_and_holds_no_secret(seeded_cast: Cast, tmp_path: Path) -> None:
    tune(seeded_cast.acme)
    file = str(tmp_path / "agents.yaml")
    run("export", "acme", file)
    text = Path(file).read_text()
    assert SECRET not in text
    assert "secret_id" not in text
    assert live(seeded_cast.other) != live(seeded_cast.acme)

    assert run("validate", "other", file) == "The file is right.\n"
    output = run("import", "other", file)
    assert "+ Be brief." in output
    assert "Nothing was changed." in output
    with tenant_tx(seeded_cast.other.id):
        assert (Release.objects.count(), ToolSource.objects.filter(name="orders").count()) == (1, 0), "only shown"

    assert "Release 2 is live." in run("import", "other", file, "--yes")
    assert live(seeded_cast.other) == live(seeded_cast.acme)
    assert run("import", "other", file, "--yes") == "The file changes nothing.\n"
    assert run("export", "other") == text


def test_a_source_keeps_its_secret_for_its_own_host_only(seeded_cast: Cast, tmp_path: Path) -> None:
    tune(seeded_cast.acme)
    content = yaml.safe_load(run("export", "acme"))
    file = tmp_path / "agents.yaml"
    for url, has_secret in (("https://shop.example/v2", True), ("https://evil.example/", False)):
        content["tool_sources"]["orders"]["settings"]["url"] = url
        file.write_text(yaml.safe_dump(content))
        run("import", "acme", str(file), "--yes")
        with tenant_tx(seeded_cast.acme.id):
            assert (ToolSource.objects.get(name="orders").secret_id is not None) is has_secret


def test_what_the_admin_would_refuse_is_refused_and_nothing_stays(seeded_cast: Cast, tmp_path: Path) -> None:
    export, before, file = yaml.safe_load(run("export", "acme")), live(seeded_cast.acme), tmp_path / "agents.yaml"
    for path, value, problem in INVALID_CHANGES:
        content: dict[str, Any] = {"parley": 1, "tool_sources": {}, "agents": {KEY: {**export["agents"][KEY]}}}
        place = content
        for name in path[:-1]:
            place = place[name]
        if path:
            place[path[-1]] = value
        file.write_text(yaml.safe_dump(content) if path else str(value))
        with pytest.raises(CommandError, match=problem):
            run("validate", "acme", str(file))
    with pytest.raises(CommandError, match="not a public address"):
        run("import", "acme", str(file), "--yes")
    assert live(seeded_cast.acme) == before
    with tenant_tx(seeded_cast.acme.id):
        assert not ToolSource.objects.filter(name="orders").exists()


FILE = f"{ACME}admin_config/agentconfig/file/"
STEPS = f"parley: 1\nagents:\n  {KEY}:\n    kind: chat_model_agent\n    provider: google\n    max_steps: 9\n"


def steps(cast: Cast) -> tuple[int | None, int]:
    """In the draft, and live."""
    with tenant_tx(cast.acme.id):
        live = live_release(organization_id=cast.acme.id).snapshot.agents[KEY].max_steps
        return AgentConfig.objects.get(key=KEY).max_steps, live


def test_an_admin_downloads_what_the_command_writes(alice: Client, seeded_cast: Cast) -> None:
    answer = alice.get(f"{FILE}agents.yaml")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="agents-acme.yaml"'
    assert answer.content.decode() == run("export", "acme")


def test_a_file_is_shown_first_and_then_taken_over(alice: Client, seeded_cast: Cast) -> None:
    upload = SimpleUploadedFile("agents.yaml", STEPS.encode())
    preview = alice.post(FILE, {"file": upload, "step": "show"})
    assert [(group.title, [change.label for change in group.changes]) for group in preview.context["groups"]] == [
        ("Chat agent (Google Gemini)", ["Max steps", "Plugins", "Tools and sub-agents"])
    ]
    assert steps(seeded_cast) == (None, 5)
    response = alice.post(FILE, {"text": preview.context["text"], "step": "take"}, follow=True)
    assert "Release 2 is live." in response.content.decode()
    assert steps(seeded_cast) == (9, 9)
    with tenant_tx(seeded_cast.acme.id):
        event = AuditEvent.objects.get(action="agentconfig.import")
        assert (event.actor_user_id, event.object_label) == (seeded_cast.alice.pk, "Chat agent (Google Gemini)")


def test_where_changes_are_collected_a_file_goes_into_the_draft(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
    response = alice.post(FILE, {"text": STEPS, "step": "take"}, follow=True)
    assert "The file is in the draft." in response.content.decode()
    assert steps(seeded_cast) == (9, 5)
    assert [author.who for author in alice.get(f"{ACME}admin_config/release/").context["authors"]] == ["Alice"]


def test_a_wrong_file_changes_nothing_and_says_why(alice: Client, seeded_cast: Cast) -> None:
    response = alice.post(FILE, {"text": STEPS.replace("9", "99"), "step": "take"})
    assert "less than or equal to 25" in str(response.context["problems"])
    assert "max_steps: 99" in response.content.decode()
    assert alice.post(FILE, {"file": SimpleUploadedFile("a.yaml", b"\xff"), "step": "show"}).context["problems"] == [
        "The file is not written in UTF-8."
    ]
    assert steps(seeded_cast) == (None, 5)


def test_the_list_has_a_kinds_base_first_and_then_what_members_can_use(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(offered_providers=["openai"])
    page = alice.get(f"{ACME}admin_config/agentconfig/")
    rows = [(agent.kind, agent.provider) for agent in page.context["cl"].result_list]
    kinds = [kind for kind, defaults in KINDS.items() if not defaults.is_custom]
    assert rows == [(kind, provider) for kind in kinds for provider in ("all", "google", "openai")]
    assert page.context["more_providers"] == ["Anthropic Claude", "OpenAI-compatible endpoint", "Demo (no key, scripted)"]
    assert re.findall(r"<a [^>]*>(Chat agent|chat_model_agent_google)</a>", page.content.decode())[:2] == ["Chat agent", "Chat agent"]
    more = alice.get(f"{ACME}admin_config/agentconfig/?more=yes").context["cl"].result_list
    assert [agent.provider for agent in more][:5] == ["all", "google", "openai", "anthropic", "compatible"]
    matches = alice.get(f"{ACME}admin_config/agentconfig/?q=anthropic").context["cl"].result_list
    assert {agent.provider for agent in matches} == {"anthropic"}


def test_the_list_tells_what_is_switched_off_for_all_providers(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key="python_agent_all").update(is_enabled=False)
        AgentConfig.objects.filter(key="python_agent_google").update(is_enabled=True)
    off = alice.get(f"{ACME}admin_config/agentconfig/?state=disabled").context["cl"].result_list
    assert {agent.kind for agent in off} == {"python_agent"}
    assert {agent.provider for agent in off} == {"all", *PROVIDERS} - {"google", "demo_openai", "demo_anthropic", "demo_compatible"}
    on = alice.get(f"{ACME}admin_config/agentconfig/?state=enabled&kind__exact=python_agent").context["cl"].result_list
    assert [agent.provider for agent in on] == ["google"]
