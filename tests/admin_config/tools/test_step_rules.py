"""Step rules: kept in their order, deleted, and refused where they are wrong."""

from __future__ import annotations

from django.test import Client

from admin_config.models import AgentConfig, StepRule
from tenants.context import tenant_tx
from tests.admin_config.agents import CHAT, KNOWN_TOOLS, agent_url, live_agent
from tests.admin_config.pages import Page, save, send_each
from tests.support.accounts.cast import Cast

RULE = "step_rules-0-"


def new_rule(**fields: str) -> dict[str, str]:
    rule = {f"{RULE}{name}": value for name, value in {"position": "1", **fields}.items()}
    return {"step_rules-TOTAL_FORMS": "1", **rule}


def add_rule(client: Client, url: str, **fields: str) -> Page:
    return save(client, url, **new_rule(**fields))


def test_rules_are_kept_in_their_order(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    with tenant_tx(seeded_cast.acme.id):
        agent = AgentConfig.objects.get(key=CHAT)
        StepRule.objects.create(agent=agent, position=2, first_step=1, tool_choice="none")
    save(
        alice,
        url,
        **{"step_rules-TOTAL_FORMS": "2", "step_rules-1-position": "1", "step_rules-1-first_step": "2", "step_rules-1-last_step": "4"},
        **{"step_rules-1-temperature": "0", "step_rules-1-active_tools": "message", "step_rules-1-max_output_tokens": "100"},
    )
    rules = [rule.model_dump(exclude_none=True) for rule in live_agent(seeded_cast.acme).step_rules]
    assert rules == [
        {"first": 2, "last": 4, "temperature": 0.0, "active_tools": ("message",), "max_output_tokens": 100},
        {"first": 1, "tool_choice": "none"},
    ]


def test_a_rule_is_deleted(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    assert add_rule(alice, url, first_step="1", temperature="0").status_code == 302
    save(alice, url, **{f"{RULE}DELETE": "on"})
    assert live_agent(seeded_cast.acme).step_rules == ()


# The rule, the field and the error beside it.
WRONG_RULES: list[tuple[dict[str, str], str, str]] = [
    ({"first_step": "3", "last_step": "2"}, "last_step", "The last step comes before the first, so that the rule never holds."),
    ({"first_step": "0"}, "first_step", "Ensure this value is greater than or equal to 1."),
    ({"first_step": ""}, "first_step", "This field is required."),
    ({"first_step": "1", "last_step": "26"}, "last_step", "Ensure this value is less than or equal to 25."),
    ({"first_step": "1", "active_tools": "web"}, "active_tools", f"web is not a known tool. Known: {KNOWN_TOOLS}."),
    ({"first_step": "1", "tool_choice": "web"}, "tool_choice", f"Choose one of: auto, none, required, {KNOWN_TOOLS}."),
    (
        {"first_step": "1", "temperature": ""},
        "tool_choice",
        "This rule changes nothing. Fill in at least one setting, or remove it.",
    ),
    ({"first_step": "1", "temperature": "3"}, "temperature", "Ensure this value is less than or equal to 2.0."),
]


def test_a_wrong_rule_is_refused_at_its_field(alice: Client, seeded_cast: Cast) -> None:
    tries = (new_rule(temperature="0") | new_rule(**rule) for rule, _, _ in WRONG_RULES)
    answers = send_each(alice, agent_url(seeded_cast.acme), tries)
    row_errors = [
        [form.errors for inline in answer.context["inline_admin_formsets"] for form in inline.formset.forms if form.errors]
        for answer in answers
    ]
    assert row_errors == [[{field: [error]}] for _, field, error in WRONG_RULES]
