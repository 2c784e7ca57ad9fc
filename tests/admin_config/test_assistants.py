"""Admins make assistants in one form; they go live with a release, and what can't work is refused at its field (SPEC 4.14)."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from admin_config.agent_files.exporting import agents_export
from admin_config.agent_files.importing import agents_import
from admin_config.models import AgentConfig, AgentTool, AppSettings, Assistant, AssistantPicture, ModelConfig, Release, ToolSource
from admin_config.release import AssistantSnapshot, ReleaseSnapshot
from admin_config.services.changes.diff import release_diff
from admin_config.services.discarding.discard import draft_discard, unpublished_draft
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tenants.models import MemberGroup, Organization
from tests.admin_config.agents import agent_url
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, Page, errors, form_values, save
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db

LIST = f"{ACME}admin_config/assistant/"
ADD = f"{LIST}add/"


def make(client: Client, title: str = "Data analyst", url: str = ADD, **values: Any) -> Page:
    return save(client, url, **{"title": title, "description": "Tables in, charts out", "prompt": "You are an analyst.", **values})


def page_of(organization: Organization, title: str = "Data analyst") -> str:
    with tenant_tx(organization.pk):
        return f"{LIST}{Assistant.objects.get(title=title).pk}/change/"


def live(organization: Organization) -> ReleaseSnapshot:
    with tenant_tx(organization.pk):
        return live_release(organization_id=organization.pk).snapshot


def assistant_of(organization: Organization, key: str = "data_analyst_google") -> AssistantSnapshot:
    assistant = live(organization).agents[key].assistant
    assert assistant is not None
    return assistant


def picture(color: str = "red") -> SimpleUploadedFile:
    content = io.BytesIO()
    Image.new("RGB", (40, 20), color).save(content, "JPEG")
    return SimpleUploadedFile("me.jpg", content.getvalue(), "image/jpeg")


def test_an_admin_makes_an_assistant_in_one_form(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
        model = ModelConfig.objects.filter(provider="google").last()
        plan = ToolSource.objects.get(kind="plan")
        folder = ToolSource.objects.create(kind="files", name="handbook")
        helper = AgentConfig.objects.get(key="provider_tools_agent_google")
        assert model is not None
    answer = make(
        alice,
        starter_1_title="Plot",
        starter_1_text="Plot our stock.",
        model_choice="fixed",
        fixed_model=str(model.pk),
        tools=[str(plan.pk)],
        knowledge=[str(folder.pk)],
        sub_agents=[str(helper.pk)],
        audience="chosen",
        chosen_roles=["admin"],
        chosen_groups=[str(group.pk)],
        new_picture=picture(),
    )
    assert answer.status_code == 302, errors(answer)
    assistant, agent = assistant_of(seeded_cast.acme), live(seeded_cast.acme).agents["data_analyst_google"]
    assert (assistant.title, assistant.description, assistant.audience, assistant.roles, assistant.groups) == (
        "Data analyst",
        "Tables in, charts out",
        "chosen",
        ("admin",),
        (group.pk,),
    )
    assert [(starter.title, starter.text) for starter in assistant.starters] == [("Plot", "Plot our stock.")]
    assert (agent.system_prompt, agent.model_id, agent.description) == (
        "You are an analyst.",
        model.pk,
        "Data analyst: Tables in, charts out",
    )
    assert [tool.source_id or tool.agent_key for tool in agent.tools] == ["provider_tools_agent_google", plan.pk, folder.pk]
    with tenant_tx(seeded_cast.acme.pk):
        assert assistant.picture_id is not None
        picture_row = AssistantPicture.objects.get(pk=assistant.picture_id)
        assert Image.open(io.BytesIO(bytes(picture_row.content))).size == (256, 256)
    list_html = alice.get(LIST).content.decode()
    assert "Data analyst" in list_html
    assert "Admin, 1 group" in list_html
    again = form_values(alice.get(page_of(seeded_cast.acme)))
    assert (again["starter_1_title"], again["prompt"], again["tools"], again["chosen_roles"]) == (
        "Plot",
        "You are an analyst.",
        [str(plan.pk)],
        ["admin"],
    )


def test_a_change_keeps_the_key_and_what_was_not_touched(alice: Client, seeded_cast: Cast) -> None:
    make(alice, new_picture=picture())
    before = assistant_of(seeded_cast.acme)
    assert save(alice, page_of(seeded_cast.acme), title="Numbers").status_code == 302
    after = assistant_of(seeded_cast.acme)
    assert (after.title, after.picture_id) == ("Numbers", before.picture_id)
    assert live(seeded_cast.acme).agents["data_analyst_google"].description == "Numbers: Tables in, charts out"
    url = page_of(seeded_cast.acme, "Numbers")
    save(alice, url, new_picture=picture("blue"))
    assert assistant_of(seeded_cast.acme).picture_id not in {None, before.picture_id}
    save(alice, url, remove_picture="on")
    assert assistant_of(seeded_cast.acme).picture_id is None
    with tenant_tx(seeded_cast.acme.pk):
        assert AssistantPicture.objects.count() == 2, "earlier releases still name them"


@pytest.mark.parametrize(
    ("values", "field", "text"),
    [
        ({"prompt": ""}, "prompt", "write its instructions"),
        ({"title": ""}, "title", "required"),
        ({"audience": "chosen"}, "audience", "Choose at least one role or group"),
        ({"starter_1_title": "Plot"}, "starter_1_text", "needs a title and a message"),
        ({"new_picture": SimpleUploadedFile("me.svg", b"<svg/>")}, "new_picture", "not a picture that can be used"),
    ],
)
def test_what_is_missing_is_said_at_its_field(alice: Client, seeded_cast: Cast, values: dict[str, Any], field: str, text: str) -> None:
    answer = make(alice, **values)
    assert text in errors(answer)[field][0]
    with tenant_tx(seeded_cast.acme.pk):
        assert not Assistant.objects.exists()
        assert not AgentConfig.objects.filter(name="data_analyst").exists()


def test_two_assistants_have_two_names(alice: Client, seeded_cast: Cast) -> None:
    make(alice)
    assert errors(make(alice, "data Analyst"))["title"] == ["There is an assistant named data Analyst already."]
    assert make(alice, "Data-Analyst").status_code == 302
    assert "data_analyst_2_google" in live(seeded_cast.acme).agents


def test_a_fixed_model_needs_a_provider_that_can_be_reached(alice: Client, seeded_cast: Cast) -> None:
    make(alice, model_choice="fixed")
    with tenant_tx(seeded_cast.acme.pk):
        AgentConfig.objects.filter(name="data_analyst").update(provider="compatible", key="data_analyst_compatible")
    assert "needs an enabled endpoint and a default model" in errors(save(alice, page_of(seeded_cast.acme)))["model_choice"][0]


def test_an_agent_that_is_there_becomes_an_assistant_too(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        chat = AgentConfig.objects.get(key="chat_model_agent_google")
    save(
        alice,
        f"{ACME}admin_config/agentconfig/add/",
        agent_name="helper",
        agent_provider="google",
        description="Helps.",
        system_prompt="Help.",
    )
    with tenant_tx(seeded_cast.acme.pk):
        helper = AgentConfig.objects.get(name="helper")
        AgentTool.objects.create(agent=chat, sub_agent=helper)
    assert f"add/?agent={helper.pk}" in alice.get(LIST).content.decode()
    url = f"{ADD}?agent={helper.pk}"
    values = form_values(alice.get(url))
    assert (values["prompt"], values["for_agents"], values["call_description"]) == ("Help.", "on", "Helps.")
    assert save(alice, url, title="Helper", description="Helps people").status_code == 302
    agent = live(seeded_cast.acme).agents["helper_google"]
    assert agent.assistant is not None
    assert agent.description == "Helps."
    response = save(alice, page_of(seeded_cast.acme, "Helper"), for_agents="off")
    assert "an assistant that other agents may not call" in response.context["adminform"].form.non_field_errors()[0]
    assert alice.get(f"{ADD}?agent={chat.pk}").status_code == 404
    assert alice.post(f"{page_of(seeded_cast.acme, 'Helper').removesuffix('change/')}delete/", {"post": "yes"}).status_code == 302
    assert live(seeded_cast.acme).agents["helper_google"].assistant is None, "other agents still call it"


def test_how_an_assistants_run_ends_is_chosen_on_its_agents_page(alice: Client, seeded_cast: Cast) -> None:
    make(alice)
    page = agent_url(seeded_cast.acme, "data_analyst_google")
    assert save(alice, page, completion="message_tool", max_reminders="1").status_code == 302
    agent = live(seeded_cast.acme).agents["data_analyst_google"]
    assert (agent.completion, agent.max_reminders) == ("message_tool", 1)
    called = form_values(alice.get(agent_url(seeded_cast.acme, "provider_tools_agent_google")))
    assert ("completion" in called, "max_reminders" in called) == (False, True)


def test_a_deleted_assistant_takes_its_agent_along(alice: Client, seeded_cast: Cast) -> None:
    make(alice)
    alice.post(f"{page_of(seeded_cast.acme).removesuffix('change/')}delete/", {"post": "yes"})
    assert "data_analyst_google" not in live(seeded_cast.acme).agents


def test_the_draft_names_what_changes_and_is_thrown_away_whole(alice: Client, seeded_cast: Cast) -> None:
    make(alice, new_picture=picture(), starter_1_title="Plot", starter_1_text="Plot it.")
    with tenant_tx(seeded_cast.acme.pk):
        AppSettings.objects.update(publish_on_save=False)
        group = MemberGroup.objects.create(name="Sales")
    save(
        alice,
        page_of(seeded_cast.acme),
        title="Numbers",
        is_offered="off",
        audience="chosen",
        chosen_groups=[str(group.pk)],
        remove_picture="on",
    )
    with tenant_tx(seeded_cast.acme.pk):
        waiting = unpublished_draft()
        assert waiting is not None
        changes = {change.where[2:]: [line.text for line in change.lines if line.kind == "added"] for change in waiting.changes}
        assert changes["assistant", "title"] == ["Numbers"]
        assert changes["assistant", "on"] == ["no"]
        assert changes["assistant", "who may use it"] == ["group Sales"]
        draft_discard(organization_id=seeded_cast.acme.pk, expected_hash=waiting.rows_hash)
        assert unpublished_draft() is None
        assert Assistant.objects.get().title == "Data analyst"


def test_an_assistant_that_was_added_since_is_gone_after_a_discard(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        AppSettings.objects.update(publish_on_save=False)
    make(alice)
    with tenant_tx(seeded_cast.acme.pk):
        waiting = unpublished_draft()
        assert waiting is not None
        draft_discard(organization_id=seeded_cast.acme.pk, expected_hash=waiting.rows_hash)
        assert not Assistant.objects.exists()


def test_assistants_travel_in_agent_files(alice: Client, seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
    make(alice, audience="chosen", chosen_groups=[str(group.pk)], starter_1_title="Plot", starter_1_text="Plot it.")
    before = live(seeded_cast.acme)
    with tenant_tx(seeded_cast.acme.pk):
        text = agents_export()
        Assistant.objects.all().delete()
        agents_import(text)
        release = Release.objects.order_by("number").last()
        assert release is not None
        assert release_diff(before, ReleaseSnapshot.model_validate(release.content)) == []
    with tenant_tx(seeded_cast.other.pk):
        MemberGroup.objects.create(name="Sales")
        agents_import(text)
        assert Assistant.objects.get().groups != [str(group.pk)], "groups go by name"


def test_others_can_neither_see_nor_change_it(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    make(alice, new_picture=picture())
    url = page_of(seeded_cast.acme)
    picture_url = f"{LIST}{assistant_of(seeded_cast.acme).picture_id}/picture/"
    assert alice.get(picture_url)["Content-Type"] == "image/png"
    foreign = signed_in(seeded_cast.charlie)
    for path in (url, picture_url, LIST):
        assert signed_in(seeded_cast.bob).get(path).status_code == 404
        assert foreign.get(path).status_code == 404
    assert foreign.get(url.replace("/acme/", "/other/")).status_code in {302, 404}
    assert foreign.get(picture_url.replace("/acme/", "/other/")).status_code == 404
    with tenant_tx(seeded_cast.acme.pk):
        group = MemberGroup.objects.create(name="Ours")
    response = make(foreign, "Mine", ADD.replace("/acme/", "/other/"), audience="chosen", chosen_groups=[str(group.pk)])
    assert "chosen_groups" in errors(response)
