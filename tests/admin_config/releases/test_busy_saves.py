"""A save or a look while another admin holds the settings for longer than the product waits: nothing is lost, and nothing overwritten."""

from __future__ import annotations

import html
import re

import pytest

from admin_config.models import AgentConfig, AgentTool, AppSettings
from admin_config.services.agents.custom_agents import custom_agent_save_new
from admin_config.services.changes.exclusion import token_of
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, Page, changed_values, save, send
from tests.admin_config.releases.two_admins import AGENTS, BUSY, CHAT, RELEASES, Admins, text_of, while_locked

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])

PUBLISH = f"{RELEASES}publish/"
READING = "Another admin is saving just now. Open this page again in a moment."


def test_after_a_busy_save_the_next_one_still_names_what_others_saved(admins: Admins) -> None:
    url = admins.page()
    page = admins.bob.get(url)
    save(admins.alice, url, max_steps="9")
    busy = while_locked(admins, lambda: send(admins.bob, url, page, description="Bob's."))
    assert BUSY in text_of(busy)

    response = send(admins.bob, url, busy)
    assert "Alice changed" in text_of(response)
    assert "while you had this page open" in text_of(response)
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig.objects.get(key=CHAT)
        assert (agent.max_steps, agent.description) == (9, "")
    assert send(admins.bob, url, response).status_code == 302, "he has been told"


def test_a_busy_save_tries_no_rows_and_keeps_the_chosen_sub_agents(admins: Admins) -> None:
    with tenant_tx(admins.cast.acme.pk):
        helper = AgentConfig(name="helper", provider="google", system_prompt="Help.")
        custom_agent_save_new(helper)
        others = AgentTool.objects.filter(agent__key=CHAT, source=None)
        count = others.count()
    assert count, "there are rows that both change"
    url = admins.page()
    page = admins.bob.get(url)
    inline = next(each.formset for each in page.context["inline_admin_formsets"] if "sub_agent" in each.formset.form.base_fields)
    row = f"{inline.prefix}-{count}"
    choice = {f"{inline.prefix}-TOTAL_FORMS": str(count + 1), f"{row}-sub_agent": str(helper.pk), f"{row}-position": "7"}

    busy = while_locked(admins, lambda: send(admins.bob, url, page, **choice), lambda: others.update(position=5))
    assert BUSY in text_of(busy)
    assert changed_values(busy.content.decode(), {})[f"{row}-sub_agent"] == str(helper.pk)
    assert send(admins.bob, url, busy).status_code == 302
    with tenant_tx(admins.cast.acme.pk):
        assert others.filter(sub_agent=helper).exists()
    with tenant_tx(admins.cast.other.pk):
        assert not AgentConfig.objects.filter(name="helper").exists()


def left_out(admins: Admins) -> dict[str, str]:
    """What leaves out one of two changes of the draft."""
    save(admins.alice, admins.page(), max_steps="9")
    save(admins.alice, admins.page("chat_model_agent_openai"), max_steps="8")
    return {"without": token_of(("agents", CHAT))}


def test_the_publish_page_keeps_what_is_left_out_while_it_cannot_be_read(admins: Admins) -> None:
    query = left_out(admins) | {"note": "Ann's <note>", "audience": "percent", "percent": "20", "fitting": "0"}
    busy = while_locked(admins, lambda: admins.bob.get(PUBLISH, query))
    page = text_of(busy)
    assert READING in page
    assert "nothing of yours" not in page
    values = changed_values(busy.content.decode(), {})
    assert {name: values.get(name) for name in query} == query

    again = admins.bob.get(PUBLISH, values)
    assert again.context["tokens"] == [query["without"]]
    later_values = changed_values(again.content.decode(), {})
    assert {name: later_values.get(name) for name in ("note", "audience", "percent")} == {
        "note": "Ann's <note>",
        "audience": "percent",
        "percent": "20",
    }
    part = while_locked(admins, lambda: admins.bob.get(PUBLISH, {**query, "part": "1"}))
    assert part.status_code == 503, "the page's script tries again"


def test_a_busy_publish_waits_once_and_keeps_the_note(admins: Admins) -> None:
    first_page = admins.bob.get(PUBLISH, left_out(admins))
    values = changed_values(first_page.content.decode(), {"note": "Better", "audience": "all"})
    busy = while_locked(admins, lambda: admins.bob.post(PUBLISH, values))
    page = text_of(busy)
    assert f"Not published. {BUSY}" in page
    assert READING not in page, "it did not try to lock again"

    again = admins.bob.get(PUBLISH, changed_values(busy.content.decode(), {}))
    assert again.context["tokens"] == first_page.context["tokens"]
    response = admins.bob.post(PUBLISH, changed_values(again.content.decode(), {}), follow=True)
    assert "is live." in html.unescape(response.content.decode())
    with tenant_tx(admins.cast.acme.pk):
        live = AppSettings.objects.get().live_release
        assert live is not None
        assert live.note == "Better"
        assert AgentConfig.objects.get(key=CHAT).max_steps == 9, "what was left out stays in the draft"


def draft_hash_in(question: Page) -> str:
    """What the question remembers of the draft that it shows."""
    return str(re.findall(r'name="seen" value="(\w+)"', question.content.decode())[0])


def test_a_busy_answer_to_the_question_what_waits_keeps_the_note(admins: Admins) -> None:
    save(admins.alice, admins.page(), max_steps="9")
    with tenant_tx(admins.cast.acme.pk):
        settings = f"{ACME}admin_config/appsettings/{AppSettings.objects.get().pk}/change/"
    page = admins.bob.get(settings)
    answer = {"publish_on_save": "on", "note": "Nine steps", "seen": draft_hash_in(send(admins.bob, settings, page, publish_on_save="on"))}
    busy = while_locked(admins, lambda: send(admins.bob, settings, page, **answer))
    assert BUSY in text_of(busy)

    again = send(admins.bob, settings, busy)
    assert "Nine steps</textarea>" in again.content.decode()
    assert "It has changed since you looked." not in text_of(again)
    assert send(admins.bob, settings, busy, seen=draft_hash_in(again)).status_code == 302
    with tenant_tx(admins.cast.acme.pk):
        live = AppSettings.objects.get().live_release
        assert live is not None
        assert live.note == "Nine steps"


RULES = {"has_rules": "1", "failed": "7", "cost": "", "min_runs": "99"}  # taken back and promoted by hand


def test_a_busy_publish_keeps_the_rules_of_a_canary_and_an_owners_reason(admins: Admins) -> None:
    page = admins.alice.get(PUBLISH, left_out(admins))
    changes = {
        **RULES,
        "note": "Better",
        "audience": "percent",
        "percent": "20",
        "override_reason": "The <customer> waits.",
        "is_automatic": "off",
    }
    values = changed_values(page.content.decode(), changes) | {"override": "1", "override_reason": changes["override_reason"]}
    busy = while_locked(admins, lambda: admins.alice.post(PUBLISH, values))
    assert f"Not published. {BUSY}" in text_of(busy)

    again = admins.alice.get(PUBLISH, changed_values(busy.content.decode(), {}))
    assert again.context["kept"]["override_reason"] == "The <customer> waits."
    later_values = changed_values(again.content.decode(), {})
    assert {name: later_values.get(name) for name in RULES} == RULES
    assert "is_automatic" not in later_values

    whole = while_locked(admins, lambda: admins.alice.post(PUBLISH, {**values, "without": []}))
    later_values = changed_values(whole.content.decode(), {})
    assert {name: later_values.get(name) for name in RULES} == RULES, "the page needs no lock when nothing is left out"


def test_an_agents_schema_stays_when_its_field_is_not_sent(admins: Admins) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    with tenant_tx(admins.cast.acme.pk):
        agent = AgentConfig(name="helper", provider="google", system_prompt="Help.", description="Helps.", input_schema=schema)
        custom_agent_save_new(agent)
        old_schema = AgentConfig.objects.get(pk=agent.pk).input_schema
    url = f"{AGENTS}{agent.pk}/change/"
    values = changed_values(admins.bob.get(url).content.decode(), {"description": "Bob's."})
    without = {name: value for name, value in values.items() if not name.startswith("input_arguments")}
    assert admins.bob.post(url, without).status_code == 302
    with tenant_tx(admins.cast.acme.pk):
        agent.refresh_from_db()
        assert (agent.description, agent.input_schema) == ("Bob's.", old_schema)
    assert save(admins.bob, url, input_arguments="").status_code == 302
    with tenant_tx(admins.cast.acme.pk):
        agent.refresh_from_db()
        assert agent.input_schema == {}, "a field that is sent empty says that there are none"
