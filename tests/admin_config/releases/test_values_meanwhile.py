"""A value that somebody changed while its editor was open is not lost, and who changed it is named."""

from __future__ import annotations

from django.test import Client

from admin_config.models import AgentConfig, PromptSection
from tenants.context import tenant_tx
from tests.admin_config.value_editor import GOOGLE, OPENAI, SKILLS, Editor, agent_of, live, url_of
from tests.support.accounts.cast import Cast


def test_a_value_that_somebody_changed_meanwhile_is_not_lost(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    url = url_of(seeded_cast.acme, GOOGLE, "max_steps")
    mine, theirs = Editor(alice, url), Editor(second_admin, url)
    assert theirs.save("7")
    assert not mine.save("3")
    assert mine.problems == ["Bob changed it to 7 meanwhile. Save again to put yours over it."]
    assert 'value="3"' in mine.text
    assert agent_of(seeded_cast.acme, GOOGLE).max_steps == 7
    assert mine.save("3")
    assert agent_of(seeded_cast.acme, GOOGLE).max_steps == 3
    switch = url_of(seeded_cast.acme, GOOGLE, SKILLS)
    mine, theirs = Editor(alice, switch), Editor(second_admin, switch)
    assert theirs.save("off")
    assert not mine.save("on")
    assert mine.problems == ["Bob changed it to Off meanwhile. Save again to put yours over it."]


def test_only_who_may_have_changed_the_value_is_named(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    url, agent = url_of(seeded_cast.acme, GOOGLE, "is_enabled"), agent_of(seeded_cast.acme, GOOGLE)
    assert Editor(second_admin, url).save("on"), "before the editor is opened"
    mine = Editor(alice, url)
    assert Editor(second_admin, url_of(seeded_cast.acme, GOOGLE, SKILLS)).save("off"), "another switch"
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(pk=agent.pk).update(is_enabled=None)  # as a discard does, which is no change of the agent alone
    assert not mine.save("on")
    assert mine.problems == ["It was changed to On meanwhile. Save again to put yours over it."]


def test_who_copied_another_value_over_it_is_named(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    mine = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "max_steps"))
    theirs = url_of(seeded_cast.acme, OPENAI, "max_steps")
    assert Editor(second_admin, theirs).save("6")
    form = {"what": "chosen", "values": ["max_steps"], "targets": [str(agent_of(seeded_cast.acme, GOOGLE).pk)]}
    assert second_admin.post(theirs.replace("/value/?place=max_steps", "/copy/"), form).status_code == 302
    assert not mine.save("3")
    assert mine.problems == ["Bob changed it to 6 meanwhile. Save again to put yours over it."]


def test_other_values_that_somebody_changed_meanwhile_stay(alice: Client, second_admin: Client, seeded_cast: Cast) -> None:
    mine = Editor(alice, url_of(seeded_cast.acme, GOOGLE, "max_steps"))
    assert Editor(second_admin, url_of(seeded_cast.acme, GOOGLE, "temperature")).save("1.5")
    with tenant_tx(seeded_cast.acme.id):
        PromptSection.objects.filter(agent__key=GOOGLE, name="skills").update(text="We sell tea.")
    assert mine.save("3")
    agent = live(seeded_cast.acme, GOOGLE)
    assert (agent.max_steps, agent.temperature, agent.sections["skills"].text) == (3, 1.5, "We sell tea.")
