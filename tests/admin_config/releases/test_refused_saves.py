"""A save that can't be published is checked once, in its transaction: nothing of it stays, and its page keeps what was typed."""

from __future__ import annotations

import html
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from admin_config.models import (
    AgentConfig,
    AgentTool,
    AppSettings,
    Assistant,
    PromptSection,
    ProviderEndpoint,
    Release,
    StepRule,
    ToolSource,
)
from admin_config.services.configuration import credential_set
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url
from tests.admin_config.pages import ACME, FormValue, Page, changed_values, errors, form_values, save, send
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db

NO_ENDPOINT = "Google Gemini is the active provider and needs an enabled endpoint."


def give(client: Client, page: str, source: ToolSource, **changes: FormValue) -> Page:
    response = client.get(page)
    [prefix] = [
        inline.formset.prefix for inline in response.context["inline_admin_formsets"] if inline.opts.verbose_name == "source of tools"
    ]
    count = int(form_values(response)[f"{prefix}-TOTAL_FORMS"])
    row = {f"{prefix}-{count}-source": str(source.pk), f"{prefix}-{count}-position": "9", f"{prefix}-TOTAL_FORMS": str(count + 1)}
    return send(client, page, response, **row, **changes)


def events(cast: Cast) -> int:
    with tenant_tx(cast.acme.pk):
        return AuditEvent.objects.count()


def without_endpoint(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        ProviderEndpoint.objects.filter(provider="google").update(is_enabled=False)


def page_with_rules(cast: Cast) -> str:
    """The page of an agent with two step rules."""
    with tenant_tx(cast.acme.pk):
        agent = AgentConfig.objects.get(key="chat_model_agent_google")
        for step in (1, 2):
            StepRule.objects.create(agent=agent, first_step=step, last_step=step, position=step, tool_choice="none")
    return agent_url(cast.acme, agent.key)


def rules(cast: Cast) -> list[tuple[int, int | None]]:
    """The first and the last step of each rule."""
    with tenant_tx(cast.acme.pk):
        return list(StepRule.objects.order_by("position").values_list("first_step", "last_step"))


@pytest.mark.parametrize(("publishes", "loads"), [(True, 1), (False, 0)])
def test_a_save_loads_the_draft_once_and_only_to_publish_it(alice: Client, seeded_cast: Cast, publishes: bool, loads: int) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AppSettings.objects.update(publish_on_save=publishes)
    url = agent_url(seeded_cast.acme, "chat_model_agent_google")
    values = changed_values(alice.get(url).content.decode(), {"max_steps": "9"})
    with CaptureQueriesContext(connection) as queries:
        assert alice.post(url, values).status_code == 302
    statements = [query["sql"] for query in queries.captured_queries]
    assert sum('FROM "admin_config_providerendpoint"' in sql for sql in statements) == loads
    with tenant_tx(seeded_cast.acme.pk):
        assert Release.objects.count() == 1 + publishes


def test_a_rows_problem_between_agents_is_told_on_the_page_that_keeps_the_row(alice: Client, seeded_cast: Cast) -> None:
    shop = {"url": "https://shop.example/orders", "description": "Orders"}
    with tenant_tx(seeded_cast.acme.pk):
        first = ToolSource.objects.create(name="shop_orders", kind="http", settings=shop)
        second = ToolSource.objects.create(name="orders", kind="http", prefix="shop", settings=shop)
        AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_google"), source=first)
    url, before = agent_url(seeded_cast.acme, "chat_model_agent_all"), events(seeded_cast)
    response = give(alice, url, second, description="Typed.")
    assert "both give a tool named shop_orders" in " ".join(errors(response)["__all__"])
    values = form_values(response)
    assert values["description"] == "Typed."
    assert str(second.pk) in values.values()
    assert events(seeded_cast) == before
    with tenant_tx(seeded_cast.acme.pk):
        assert not AgentTool.objects.filter(source=second).exists()
        assert AgentConfig.objects.get(key="chat_model_agent_all").description == ""


def test_a_refused_save_says_nothing_of_what_it_would_have_done(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        endpoint = ProviderEndpoint.objects.get(provider="google")
        credential_set(endpoint=endpoint, value="key-0123456789abcdef")
    url = f"{ACME}admin_config/providerendpoint/{endpoint.pk}/change/"
    response = save(alice, url, is_enabled="off", base_url="https://llm.example.com/v1")
    assert errors(response) == {"__all__": [NO_ENDPOINT]}
    assert "its key was removed" not in response.content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        row = ProviderEndpoint.objects.get(pk=endpoint.pk)
        assert (row.is_enabled, row.base_url, row.secret_id) == (True, "", endpoint.secret_id)
    retry = alice.post(url, changed_values(response.content.decode(), {"is_enabled": "on"}), follow=True)
    assert "its key was removed" in retry.content.decode()


def test_a_refused_deletion_says_nothing_of_what_it_would_have_left(alice: Client, seeded_cast: Cast) -> None:
    assistants = f"{ACME}admin_config/assistant/"
    save(alice, f"{assistants}add/", title="Analyst", description="Charts", prompt="Analyse.", for_agents="on")
    with tenant_tx(seeded_cast.acme.pk):
        assistant = Assistant.objects.get()
        AgentTool.objects.create(agent=AgentConfig.objects.get(key="chat_model_agent_google"), sub_agent=assistant.agent)
    without_endpoint(seeded_cast)
    page_html = alice.post(f"{assistants}{assistant.pk}/delete/", {"post": "yes"}, follow=True).content.decode()
    assert f"Not deleted. {NO_ENDPOINT}" in page_html
    assert "stays, because other agents call it" not in page_html
    with tenant_tx(seeded_cast.acme.pk):
        assert Assistant.objects.exists()


def test_a_refused_save_keeps_rows_that_were_changed_added_and_deleted(alice: Client, seeded_cast: Cast) -> None:
    url = page_with_rules(seeded_cast)
    without_endpoint(seeded_cast)
    rows = {
        "step_rules-TOTAL_FORMS": "3",
        "step_rules-0-DELETE": "on",
        "step_rules-1-last_step": "9",
        "step_rules-2-first_step": "3",
        "step_rules-2-position": "7",
        "step_rules-2-tool_choice": "none",
    }
    response = save(alice, url, **rows)
    assert NO_ENDPOINT in response.content.decode()
    assert {name: form_values(response)[name] for name in rows} == rows
    assert rules(seeded_cast) == [(1, 1), (2, 2)]
    with tenant_tx(seeded_cast.acme.pk):
        ProviderEndpoint.objects.filter(provider="google").update(is_enabled=True)
    assert send(alice, url, response).status_code == 302
    assert rules(seeded_cast) == [(2, 9), (3, None)]


@pytest.mark.parametrize(("changes", "is_saved"), [({}, False), ({"step_rules-0-DELETE": "on"}, True)])
def test_a_row_that_somebody_deleted_meanwhile_is_told(
    alice: Client, seeded_cast: Cast, changes: dict[str, FormValue], is_saved: bool
) -> None:
    url = page_with_rules(seeded_cast)
    page = alice.get(url)
    with tenant_tx(seeded_cast.acme.pk):
        StepRule.objects.get(first_step=1).delete()
    page_text = html.unescape(alice.post(url, changed_values(page.content.decode(), changes), follow=True).content.decode())
    assert ("Somebody deleted one of these rows meanwhile." in page_text) is not is_saved
    assert "Select a valid choice" not in page_text
    assert rules(seeded_cast) == [(2, 2)]


def test_a_refused_save_reads_an_uploaded_file_again(alice: Client, seeded_cast: Cast) -> None:
    without_endpoint(seeded_cast)
    content = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(content, "JPEG")
    picture = SimpleUploadedFile("me.jpg", content.getvalue(), "image/jpeg")
    url = f"{ACME}admin_config/assistant/add/"
    response = save(alice, url, title="Analyst", description="Charts", prompt="You are an analyst.", new_picture=picture)
    assert response.status_code == 200
    assert "new_picture" not in errors(response)
    assert NO_ENDPOINT in errors(response)["__all__"]
    assert form_values(response)["prompt"] == "You are an analyst."
    with tenant_tx(seeded_cast.acme.pk):
        assert not Assistant.objects.exists()


def test_a_problem_of_one_organization_keeps_no_other_from_saving(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.other.pk):
        ProviderEndpoint.objects.update(is_enabled=False)
    assert save(alice, agent_url(seeded_cast.acme, "chat_model_agent_google"), max_steps="9").status_code == 302


def test_a_row_of_another_page_or_organization_is_no_row_of_this_one(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, "chat_model_agent_google")
    page = alice.get(url)
    prefix = next(each.formset.prefix for each in page.context["inline_admin_formsets"] if each.formset.model is PromptSection)
    with tenant_tx(seeded_cast.acme.pk):
        beside = PromptSection.objects.filter(agent__key="chat_model_agent_openai").values_list("pk", flat=True)[0]
    with tenant_tx(seeded_cast.other.pk):
        foreign = PromptSection.objects.filter(agent__key="chat_model_agent_google").values_list("pk", flat=True)[0]
    for pk in (beside, foreign):
        response = send(alice, url, page, **{f"{prefix}-0-id": str(pk), f"{prefix}-0-text": "Mine now."})
        assert response.status_code == 200
    for organization in (seeded_cast.acme, seeded_cast.other):
        with tenant_tx(organization.pk):
            assert not PromptSection.objects.exclude(text="").exists()


def test_an_agents_page_costs_few_statements(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme, "chat_model_agent_google")
    page = alice.get(url)
    with CaptureQueriesContext(connection) as read_queries:
        alice.get(url)
    with CaptureQueriesContext(connection) as save_queries:
        assert send(alice, url, page, max_steps="9").status_code == 302
    assert len(read_queries) <= 40
    assert len(save_queries) <= 69  # with the publication of a release
