"""The texts that agents are given have a maximum, on the page, in the draft and in files."""

from __future__ import annotations

import pytest
from django.test import Client

from admin_config.errors import ReleaseInvalid
from admin_config.models import AgentConfig, AgentOperation, AppSettings, PromptSection
from admin_config.services.configuration import release_publish
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, errors, send
from tests.support.accounts.cast import Cast

PREFIXES: dict[type[AgentConfig] | type[AgentOperation] | type[PromptSection], str] = {
    AgentConfig: "",
    AgentOperation: "operations-0-",
    PromptSection: "sections-0-",
}
TOO_LONG: list[tuple[type[AgentConfig] | type[AgentOperation] | type[PromptSection], str, int, str]] = [
    (AgentConfig, "system_prompt", 100_000, "system prompt"),
    (AgentConfig, "description", 4_000, "description"),
    (AgentOperation, "system_prompt", 100_000, "system prompt"),
    (AgentOperation, "user_prompt_template", 100_000, "user prompt template"),
    (PromptSection, "text", 100_000, "text"),
]


@pytest.fixture
def page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key='chat_model_agent_google').id}/change/"


def test_a_text_that_is_too_long_is_refused_at_its_field(seeded_cast: Cast, signed_in: SignedIn, page: str) -> None:
    """All texts are typed on one page."""
    alice: Client = signed_in(seeded_cast.alice)
    texts = {PREFIXES[model] + field: "{conversation}".ljust(limit + 1, "x") for model, field, limit, _ in TOO_LONG}
    response = alice.get(page)
    field_errors = errors(send(alice, page, response, **texts))
    assert sorted((shown_at.split(".")[-1], [*refusals]) for shown_at, refusals in field_errors.items()) == sorted(
        (field, [f"The {label} may have at most {limit:,} characters; it has {limit + 1:,}."]) for _, field, limit, label in TOO_LONG
    )
    assert send(alice, page, response, **{name: text[:-1] for name, text in texts.items()}).status_code == 302


@pytest.mark.parametrize(("model", "field", "limit", "label"), TOO_LONG)
def test_no_release_holds_a_text_that_is_too_long(
    seeded_cast: Cast, model: type[AgentConfig] | type[AgentOperation] | type[PromptSection], field: str, limit: int, label: str
) -> None:
    """However it came into the row."""
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)
        row = model.objects.latest("id")
        model.objects.filter(id=row.id).update(**{field: "x" * (limit + 1)})
        with pytest.raises(ReleaseInvalid, match=f"The {label} may have at most {limit:,} characters") as invalid:
            release_publish(organization_id=seeded_cast.acme.id)
        assert (row.id, field) in {(problem.row_id, problem.field) for problem in invalid.value.problems}
