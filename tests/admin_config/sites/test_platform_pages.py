"""The operator's pages of the platform's defaults: what they refuse, and who finds them."""

from __future__ import annotations

import re

import pytest
from django.db import ProgrammingError, connection
from django.http import HttpRequest
from django.test import Client

from admin_config.admin.agents.page import AgentAdmin
from admin_config.admin.sites import organization_site
from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.forms.platform import platform_form
from admin_config.models import AgentConfig, PlatformDraft
from admin_config.models.platform import SHARED_OPTIONS, platform_defaults
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import errors, save, send_each
from tests.admin_config.sites.platform_defaults import CHAT, DEFAULTS, publish
from tests.support.accounts.cast import Cast

BAD = [
    ({"max_steps": "26"}, "max_steps"),
    ({"compact_at_percent": "10"}, "compact_at_percent"),
    ({"sections__user_preferences__text": "No placeholder."}, "sections__user_preferences__text"),
    ({"operations__title__user_prompt_template": "{nonsense}"}, "operations__title__user_prompt_template"),
]


def test_a_wrong_value_is_told_at_its_field(operator: Client) -> None:
    answers = send_each(operator, CHAT, (values for values, _ in BAD))
    assert [(answer.status_code, [*errors(answer)]) for answer in answers] == [(200, [field]) for _, field in BAD]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_page_that_saves_nothing_by_itself(operator: Client, kind: str) -> None:
    assert save(operator, f"{DEFAULTS}{kind}/change/").status_code == 302
    assert b"The draft is live already." in operator.get(f"{DEFAULTS}publish/").content


def test_opening_a_form_stores_nothing(operator: Client) -> None:
    assert [operator.get(f"{DEFAULTS}{kind}/change/").status_code for kind in KINDS] == [200] * len(KINDS)
    assert not PlatformDraft.objects.using("auth").exists()
    save(operator, CHAT, max_steps="9")
    assert [(row.kind, row.values) for row in PlatformDraft.objects.using("auth")] == [(CHAT_AGENT, {"max_steps": 9})]
    assert operator.get(f"{DEFAULTS}nonsense/change/").status_code == 404


def test_a_draft_that_changed_since_the_review_is_not_published(operator: Client) -> None:
    save(operator, CHAT, max_steps="9")
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', operator.get(f"{DEFAULTS}publish/").content.decode())
    save(operator, CHAT, max_steps="10")
    answer = operator.post(f"{DEFAULTS}publish/", {"note": "Old", "seen": draft_hash}, follow=True)
    assert b"Not published." in answer.content
    assert b">Old</textarea>" in answer.content, "the note is kept"
    assert platform_defaults().number == 0

    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', answer.content.decode())
    answer = operator.post(f"{DEFAULTS}publish/", {"note": "  ", "seen": draft_hash}, follow=True)
    assert b"Say in a note what changes." in answer.content
    assert platform_defaults().number == 0


def test_a_draft_is_not_published_over_a_release_that_came_after_the_review(operator: Client) -> None:
    """It would undo what another operator has just published, and the review had not shown that."""
    for steps in ("9", "10"):
        save(operator, CHAT, max_steps=steps)
        publish(operator)
    save(operator, CHAT, max_steps="11")
    [draft_hash] = re.findall(r'name="seen" value="(\w+)"', operator.get(f"{DEFAULTS}publish/").content.decode())
    operator.post("/operator/admin_config/platformrelease/1/restore/")
    answer = operator.post(f"{DEFAULTS}publish/", {"note": "Old", "seen": draft_hash}, follow=True)
    assert b"Not published." in answer.content
    assert platform_defaults().of(CHAT_AGENT).max_steps == 9


PAGES = ["", f"{CHAT_AGENT}/change/", "publish/"]


@pytest.mark.parametrize("page", PAGES)
def test_admins_of_an_organization_find_nothing(operator: Client, seeded_cast: Cast, signed_in: SignedIn, page: str) -> None:
    alice = signed_in(seeded_cast.alice)
    assert operator.get(DEFAULTS + page).status_code == 200
    assert alice.get(DEFAULTS + page).status_code == 404
    assert alice.post(DEFAULTS + page, {"max_steps": "9", "note": "Mine", "seen": ""}).status_code == 404
    assert alice.get(f"/o/acme/admin/admin_config/platformdraft/{page}").status_code == 404
    assert platform_defaults().number == 0


CLOSED = [
    "select note from admin_config_platformrelease",
    "select author_id from admin_config_platformrelease",
    "update admin_config_platformrelease set content = '{}'",
    "insert into admin_config_platformrelease (number, content) values (9, '{}')",
    "select * from admin_config_platformdraft",
]


def test_organizations_may_read_what_holds_and_nothing_else(operator: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id), connection.cursor() as cursor:
        cursor.execute("select number, content from admin_config_platformrelease")
    for statement in CLOSED:
        with pytest.raises(ProgrammingError, match="permission denied"), tenant_tx(seeded_cast.acme.id), connection.cursor() as cursor:
            cursor.execute(statement)


def test_the_operator_sets_the_options_that_the_agents_page_has(seeded_cast: Cast) -> None:
    differences: dict[str, set[str]] = {}
    for kind in KINDS:
        agent = AgentConfig(kind=kind, provider="google", organization_id=seeded_cast.acme.id)
        with tenant_tx(seeded_cast.acme.id):  # the page asks whether the agent is an assistant's
            fieldsets = AgentAdmin(AgentConfig, organization_site).get_fieldsets(HttpRequest(), agent)
        names = {name for _, group in fieldsets for line in group["fields"] for name in ([line] if isinstance(line, str) else line)}
        if difference := (set(platform_form(kind).base_fields) ^ names) & {*SHARED_OPTIONS}:
            differences[kind] = difference
    assert differences == {}
