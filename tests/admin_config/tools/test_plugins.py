"""Plugins of an agent: typed settings, order, and webhook secrets that never come out."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from admin_config.models import AgentConfig, AgentPlugin
from admin_config.release import AgentSnapshot, PluginSnapshot, ReleaseSnapshot
from admin_config.services.changes.diff import release_diff
from admin_config.services.configuration import plugin_secret_set, release_publish
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.restoring import release_restore
from admin_config.services.selectors import live_release
from agents.plugins.suggestions import PROMPT
from security.models import AuditEvent, Secret
from security.secrets.services import secret_reveal
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page, errors, form_values, save, send
from tests.support.accounts.cast import Cast

KEY = "chat_model_agent_google"
SECRET = "whsec-NeverShownAgain-wxyz"
URL = "https://hooks.example/parley?team=1"


@pytest.fixture
def page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key=KEY).id}/change/"


def group(response: Page, label: str) -> str:
    """The form prefix of a kind of plugin on the page."""
    [prefix] = [inline.formset.prefix for inline in response.context["inline_admin_formsets"] if inline.opts.verbose_name == label]
    return str(prefix)


def change(client: Client, page: str, label: str, row: int = 0, **changes: str) -> Page:
    response = client.get(page)
    prefix = group(response, label)
    return send(client, page, response, **{f"{prefix}-{row}-{name}": value for name, value in changes.items()})


def add_webhook(client: Client, page: str, response: Page | None = None, **changes: str) -> Page:
    """As the page's script does it: one row more than there are. `response`: the page, when it is open already."""
    response = response or client.get(page)
    prefix = group(response, "Webhook")
    row = int(form_values(response)[f"{prefix}-TOTAL_FORMS"])
    fields = {"is_enabled": "on", "position": "3", "url": URL, "events": "run.finished", "new_secret": SECRET} | changes
    rows = {f"{prefix}-{row}-{name}": value for name, value in fields.items()}
    return send(client, page, response, **rows, **{f"{prefix}-TOTAL_FORMS": str(row + 1)})


def plugins(seeded_cast: Cast, key: str = KEY) -> list[PluginSnapshot]:
    """Those of the live release."""
    return list(live_snapshot(seeded_cast).agents[key].plugins)


def live_snapshot(seeded_cast: Cast) -> ReleaseSnapshot:
    with tenant_tx(seeded_cast.acme.id):
        return live_release(organization_id=seeded_cast.acme.id).snapshot


def test_titles_are_on_and_suggestions_only_at_the_demo(seeded_cast: Cast) -> None:
    assert [plugin.name for plugin in plugins(seeded_cast)] == ["title"]
    assert [plugin.name for plugin in plugins(seeded_cast, "chat_model_agent_demo")] == ["title", "suggestions"]
    assert plugins(seeded_cast, "document_agent_google") == []


def test_a_plugin_that_is_switched_on_is_live_with_its_defaults(alice: Client, seeded_cast: Cast, page: str) -> None:
    assert change(alice, page, "Suggestions", is_enabled="on").status_code == 302
    [_, suggestions] = plugins(seeded_cast)
    assert (suggestions.name, suggestions.settings) == ("suggestions", {"count": 3, "prompt": PROMPT})


def test_settings_have_typed_fields_and_blank_ones_follow_the_platform(alice: Client, seeded_cast: Cast, page: str) -> None:
    change(alice, page, "Suggestions", is_enabled="on", count="2", prompt="In verse.")
    assert plugins(seeded_cast)[1].settings == {"count": 2, "prompt": "In verse."}
    change(alice, page, "Suggestions", count="", prompt="")
    assert plugins(seeded_cast)[1].settings == {"count": 3, "prompt": PROMPT}
    with tenant_tx(seeded_cast.acme.id):
        assert AgentPlugin.objects.get(agent__key=KEY, name="suggestions").settings == {}


def test_releases_are_compared_in_words(alice: Client, seeded_cast: Cast, page: str) -> None:
    before = live_snapshot(seeded_cast)
    change(alice, page, "Suggestions", is_enabled="on", count="2", prompt="In verse.")
    add_webhook(alice, page)
    [changed] = release_diff(before, live_snapshot(seeded_cast))
    assert changed.where == ("agents", KEY, "plugins")
    [_, suggestions, webhook] = [line.text for line in changed.lines]
    assert suggestions == "plugin suggestions, count 2, prompt In verse."
    assert webhook.startswith(f"plugin webhook, events run.finished, include text no, url {URL}, secret set (")
    with tenant_tx(seeded_cast.acme.id):
        assert unpublished_draft() is None


def test_a_wrong_setting_is_named_at_its_field(alice: Client, seeded_cast: Cast, page: str) -> None:
    response = change(alice, page, "Suggestions", is_enabled="on", count="9")
    assert list(errors(response)) == ["suggestions.count"]
    assert [plugin.name for plugin in plugins(seeded_cast)] == ["title"]


def test_the_order_is_the_admins(alice: Client, seeded_cast: Cast, page: str) -> None:
    change(alice, page, "Suggestions", is_enabled="on", position="1")
    change(alice, page, "Title", position="2")
    assert [plugin.name for plugin in plugins(seeded_cast)] == ["suggestions", "title"]


def test_saving_the_page_as_it_is_changes_nothing(alice: Client, seeded_cast: Cast, page: str) -> None:
    add_webhook(alice, page)
    before = plugins(seeded_cast)
    save(alice, page)
    assert plugins(seeded_cast) == before


def test_a_webhook_is_added_with_a_secret_for_its_address(alice: Client, seeded_cast: Cast, page: str) -> None:
    assert add_webhook(alice, page).status_code == 302
    [_, webhook] = plugins(seeded_cast)
    assert webhook.settings == {"events": ["run.finished"], "url": URL, "include_text": False}
    with tenant_tx(seeded_cast.acme.id):
        assert webhook.secret_id is not None
        assert secret_reveal(secret_id=webhook.secret_id, url=URL).reveal() == SECRET


def test_an_agent_may_have_several_webhooks(alice: Client, seeded_cast: Cast, page: str) -> None:
    add_webhook(alice, page)
    add_webhook(alice, page, url="https://other.example/", position="9")
    assert [plugin.settings["url"] for plugin in plugins(seeded_cast)[1:]] == [URL, "https://other.example/"]


def test_no_page_shows_the_secret_again(alice: Client, seeded_cast: Cast, page: str) -> None:
    response = add_webhook(alice, page, url="http://hooks.example/")
    add_webhook(alice, page)
    responses = [response, alice.get(page), *(alice.get(ACME + path) for path in ("", "admin_config/release/"))]
    assert "set, ends in wxyz" in responses[1].content.decode()
    assert not any(SECRET in one.content.decode() or SECRET[:-4] in one.content.decode() for one in responses)
    with tenant_tx(seeded_cast.acme.id):
        assert not any(SECRET in str(event.detail) for event in AuditEvent.objects.all())


def test_a_wrong_webhook_is_refused_at_its_field(alice: Client, seeded_cast: Cast, page: str) -> None:
    wrong: list[tuple[dict[str, str], str]] = [
        ({"url": "http://hooks.example/"}, "url"),
        ({"url": "https://10.0.0.7/"}, "url"),
        ({"url": ""}, "url"),
        ({"new_secret": ""}, "new_secret"),
        ({"new_secret": "\u00fcber"}, "new_secret"),
        ({"events": "run.forgotten"}, "events"),
    ]
    response = alice.get(page)
    error_fields = [list(errors(add_webhook(alice, page, response, **changes))) for changes, _ in wrong]
    assert error_fields == [[f"webhook.{field}"] for _, field in wrong]
    assert [plugin.name for plugin in plugins(seeded_cast)] == ["title"]


def test_another_path_keeps_the_secret_and_another_host_needs_it_again(alice: Client, seeded_cast: Cast, page: str) -> None:
    add_webhook(alice, page)
    old_id = plugins(seeded_cast)[1].secret_id
    assert change(alice, page, "Webhook", url="https://hooks.example/elsewhere").status_code == 302
    assert plugins(seeded_cast)[1].secret_id == old_id
    response = change(alice, page, "Webhook", url="https://other.example/")
    assert list(errors(response)) == ["webhook.new_secret"]
    change(alice, page, "Webhook", url="https://other.example/", new_secret="another-secret-1234")
    with tenant_tx(seeded_cast.acme.id):
        assert [secret.bound_origin for secret in Secret.objects.all()] == ["https://other.example:443"]


def test_a_deleted_webhook_leaves_no_secret(alice: Client, seeded_cast: Cast, page: str) -> None:
    add_webhook(alice, page)
    change(alice, page, "Webhook", DELETE="on")
    assert [plugin.name for plugin in plugins(seeded_cast)] == ["title"]
    with tenant_tx(seeded_cast.acme.id):
        assert list(Secret.objects.all()) == []


def test_a_restored_release_uses_the_secrets_of_today(alice: Client, seeded_cast: Cast, page: str) -> None:
    add_webhook(alice, page)
    with tenant_tx(seeded_cast.acme.id):
        first = live_release(organization_id=seeded_cast.acme.id)
        plugin = AgentPlugin.objects.get(name="webhook")
        plugin_secret_set(plugin=plugin, value="another-secret-1234")
        release_publish(organization_id=seeded_cast.acme.id)
        release_restore(organization_id=seeded_cast.acme.id, release_id=first.id)
    assert plugins(seeded_cast)[1].secret_id == plugin.secret_id


def test_rows_of_another_organization_are_neither_shown_nor_taken(alice: Client, seeded_cast: Cast, page: str) -> None:
    with tenant_tx(seeded_cast.other.id):
        agent = AgentConfig.objects.get(key=KEY)
        foreign = AgentPlugin.objects.create(agent=agent, name="webhook", settings={"url": "https://foreign.example/"})
    response = alice.get(page)
    assert "foreign.example" not in response.content.decode()
    prefix = group(response, "Title")
    refusal = save(alice, page, **{f"{prefix}-0-id": str(foreign.id), f"{prefix}-0-is_enabled": "off"})
    assert refusal.status_code == 200
    with tenant_tx(seeded_cast.other.id):
        assert not AgentPlugin.objects.get(id=foreign.id).is_enabled


@pytest.mark.parametrize(("kind", "names"), [("chat_model_agent", ["title"]), ("document_agent", [])])
def test_releases_from_before_plugins_go_on_writing_titles(kind: str, names: list[str]) -> None:
    old: dict[str, Any] = {
        "key": f"{kind}_google",
        "kind": kind,
        "provider": "google",
        "is_enabled": True,
        "model_id": None,
        "system_prompt": "",
        "description": "",
        "temperature": None,
        "max_output_tokens": None,
        "max_steps": 5,
        "thinking_budget": 8192,
        "operations": {},
    }
    assert [plugin.name for plugin in AgentSnapshot.model_validate(old).plugins] == names
