"""Children that are loaded for all rows of a table at once are those that each row would find by itself."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from admin_config.models import AgentConfig, PromptSection
from tenants.context import tenant_tx
from tenants.prefetching import children_prefetch
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db


def test_children_are_those_that_each_row_finds(seeded_cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with tenant_tx(seeded_cast.acme.id):
        sections_by_agent = {agent.pk: list(agent.sections.all()) for agent in AgentConfig.objects.all()}
        agents = list(AgentConfig.objects.all())
        with django_assert_num_queries(2):
            children_prefetch(agents, "sections", "step_rules")
        with django_assert_num_queries(0):
            assert {agent.pk: list(agent.sections.all()) for agent in agents} == sections_by_agent
            assert all(section.agent is agent for agent in agents for section in agent.sections.all())
            assert not any(agent.step_rules.all() for agent in agents)
    assert any(sections_by_agent.values())


def test_what_is_asked_beyond_the_loaded_rows_stays_with_their_parent(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        agents = list(AgentConfig.objects.all())
        children_prefetch(agents, "sections", "step_rules")
        agent = next(agent for agent in agents if len(agent.sections.all()) > 1)
        first, *others = agent.sections.all()
        assert list(agent.sections.exclude(pk=first.pk)) == list(agent.sections.all().exclude(pk=first.pk)) == others
        assert agent.sections.get(name=first.name) == first, "other agents have a section of this name, too"
        assert agent.sections.update(text="Changed") == len(others) + 1
        assert PromptSection.objects.filter(text="Changed").count() == len(others) + 1
        rule = agent.step_rules.create(first_step=1)
        assert list(agent.step_rules.all()) == [rule]
    with tenant_tx(seeded_cast.other.id):
        assert not list(agent.sections.exclude(pk=first.pk)), "an instance that another organization got hold of finds nothing"
