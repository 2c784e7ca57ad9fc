"""Admins tune how an agent works: its sections, options and prices."""

from __future__ import annotations

import pytest
from django.test import Client

from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import CHAT_SECTIONS, DOCUMENT_AGENT
from admin_config.models import AgentConfig, PromptSection, Release, StepRule
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.drafts.draft import draft_load, draft_problems
from tenants.context import tenant_tx
from tests.admin_config.agents import CHAT, DOCUMENT, KNOWN_TOOLS, agent_url, live_agent
from tests.admin_config.pages import Page, errors, form_values, save, send
from tests.support.accounts.cast import Cast
from tests.support.agents.prices import price, set_prices


def change_section(client: Client, url: str, name: str, response: Page | None = None, **fields: str) -> Page:
    """`response`: the page, when it is open already."""
    response = response or client.get(url)
    formset = next(inline.formset for inline in response.context["inline_admin_formsets"] if inline.formset.prefix == "sections")
    number = next(index for index, form in enumerate(formset.forms) if form.instance.name == name)
    return send(client, url, response, **{f"sections-{number}-{field}": value for field, value in fields.items()})


def test_the_sections_stand_in_the_order_of_the_prompt(alice: Client, seeded_cast: Cast) -> None:
    page = alice.get(agent_url(seeded_cast.acme))
    sections = next(inline.formset for inline in page.context["inline_admin_formsets"] if inline.formset.prefix == "sections")
    names = [section.name for section in CHAT_SECTIONS]
    assert [form.instance.name for form in sections.forms] == names
    assert set(live_agent(seeded_cast.acme).sections) == set(names)


def test_a_section_is_edited_and_back_to_its_default(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    default = live_agent(seeded_cast.acme).sections["language"].text
    change_section(alice, url, "language", text="Answer in Welsh.")
    assert live_agent(seeded_cast.acme).sections["language"].text == "Answer in Welsh."
    assert default.splitlines()[0] in alice.get(url).content.decode().replace("&#x27;", "'")
    change_section(alice, url, "language", text="")
    assert live_agent(seeded_cast.acme).sections["language"].text == default


def test_a_section_is_switched_off(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    change_section(alice, url, "safety", is_enabled="off")
    assert not live_agent(seeded_cast.acme).sections["safety"].is_enabled


def test_a_bad_section_is_refused_beside_its_text(alice: Client, seeded_cast: Cast) -> None:
    bad = [
        ("environment", "{date} {weather}", "{weather} is not a known placeholder. Known here: {date}, {organization}, {user}."),
        ("environment", "{preferences}", "{preferences} is not a known placeholder. Known here: {date}, {organization}, {user}."),
        ("environment", "{date", "A brace is not balanced. Write {{ or }} for a literal brace."),
        ("user_preferences", "Be kind.", "The placeholder {preferences} is missing."),
    ]
    url = agent_url(seeded_cast.acme)
    response = alice.get(url)
    field_errors = [errors(change_section(alice, url, section, response, text=text)) for section, text, _ in bad]
    assert field_errors == [{f"{section}.text": [error]} for section, _, error in bad]


def test_a_section_without_placeholders_takes_any_braces(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    change_section(alice, url, "skills", text='Answer like {"a": 1}.')
    assert live_agent(seeded_cast.acme).sections["skills"].text == 'Answer like {"a": 1}.'


def test_every_option_has_its_place_on_a_page(alice: Client, seeded_cast: Cast) -> None:
    pages = [alice.get(agent_url(seeded_cast.acme, key)).content.decode() for key in (CHAT, "mermaid_agent_google")]
    assert [name for name in AgentOptions.model_fields if not any(f'name="{name}"' in page for page in pages)] == []


def test_an_untouched_agent_has_the_platforms_options(seeded_cast: Cast) -> None:
    agent = live_agent(seeded_cast.acme)
    assert {name: getattr(agent, name) for name in AgentOptions.model_fields} == AgentOptions().model_dump()
    assert agent.step_rules == ()


# Field, what is typed, what the release then has.
OPTIONS: list[tuple[str, str, object]] = [
    ("top_p", "0.5", 0.5),
    ("top_k", "40", 40),
    ("presence_penalty", "-1", -1.0),
    ("frequency_penalty", "0", 0.0),
    ("seed", "0", 0),
    ("stop_sequences", "END\r\n\r\n  two words", ("END", "  two words")),
    ("tool_policy", "single", "single"),
    ("tool_choice", "document_agent", "document_agent"),
    ("active_tools", "document_agent, message", ("document_agent", "message")),
    ("hidden_tools", "message\r\n\r\nmessage", ("message",)),
    ("completion", "message_tool", "message_tool"),
    ("max_reminders", "0", 0),
    ("stop_on_tool_call", "document_agent", ("document_agent",)),
    ("max_equal_calls", "1", 1),
    ("token_budget", "50000", 50_000),
    ("compact_at_percent", "50", 50),
    ("tail_percent", "5", 5),
    ("guard_percent", "95", 95),
    ("prune_reasoning", "all", "all"),
    ("prune_tool_calls", "before_last_message", "before_last_message"),
    ("prune_tools", "document_agent: all\r\nmessage:none", {"document_agent": "all", "message": "none"}),
]
CONTRADICTS_OTHERS = "hidden_tools"  # it hides the tool that other rows ask for


@pytest.mark.parametrize(
    "options",
    [[row for row in OPTIONS if row[0] != CONTRADICTS_OTHERS], [row for row in OPTIONS if row[0] == CONTRADICTS_OTHERS]],
    ids=["together", CONTRADICTS_OTHERS],
)
def test_options_are_set_and_blank_again(alice: Client, seeded_cast: Cast, options: list[tuple[str, str, object]]) -> None:
    url = agent_url(seeded_cast.acme)
    assert save(alice, url, **{field: text for field, text, _ in options}).status_code == 302
    agent = live_agent(seeded_cast.acme)
    assert {field: getattr(agent, field) for field, _, _ in options} == {field: expected for field, _, expected in options}
    save(alice, url, **{field: "" for field, _, _ in options})
    agent = live_agent(seeded_cast.acme)
    assert {field: getattr(agent, field) for field, _, _ in options} == {
        field: AgentOptions.model_fields[field].default for field, _, _ in options
    }


# Field, what is typed, the error beside it. All of a list are typed on one page.
WRONG_OPTIONS = [
    ("top_p", "1.1", "Ensure this value is less than or equal to 1."),
    ("top_k", "0", "Ensure this value is greater than or equal to 1."),
    ("presence_penalty", "-2.1", "Ensure this value is greater than or equal to -2."),
    ("frequency_penalty", "3", "Ensure this value is less than or equal to 2."),
    ("stop_sequences", "a\nb\nc\nd\ne\nf", "At most 5 stop sequences, one on each line."),
    ("tool_choice", "web_search", f"Choose one of: auto, none, required, {KNOWN_TOOLS}."),
    ("active_tools", "documents", f"documents is not a known tool. Known: {KNOWN_TOOLS}."),
    ("hidden_tools", "message, mesage", f"mesage is not a known tool. Known: {KNOWN_TOOLS}."),
    ("stop_on_tool_call", "stop", f"stop is not a known tool. Known: {KNOWN_TOOLS}."),
    ("prune_tools", "message: some", '"message: some" needs one of: none, before_last_message, all.'),
    ("max_reminders", "11", "Ensure this value is less than or equal to 10."),
    ("max_equal_calls", "0", "Ensure this value is greater than or equal to 1."),
    ("token_budget", "10", "Ensure this value is greater than or equal to 1000."),
    ("guard_percent", "101", "Ensure this value is less than or equal to 100."),
]
MORE_WRONG_OPTIONS = [
    ("max_equal_calls", "6", "Ensure this value is less than or equal to 5."),
    ("stop_sequences", "a" * 65, "A stop sequence has at most 64 characters."),
    ("prune_tools", "mesage: all", f"mesage is not a known tool. Known: {KNOWN_TOOLS}."),
]


@pytest.mark.parametrize("wrong", [WRONG_OPTIONS, MORE_WRONG_OPTIONS])
def test_each_wrong_option_is_refused_at_its_field(alice: Client, seeded_cast: Cast, wrong: list[tuple[str, str, str]]) -> None:
    page = save(alice, agent_url(seeded_cast.acme), **{field: value for field, value, _ in wrong})
    assert errors(page) == {field: [error] for field, _, error in wrong}


def test_options_must_not_contradict_each_other(alice: Client, seeded_cast: Cast) -> None:
    hidden_error = "The message tool is hidden, so that no run could end."
    wrong = [
        (
            {"compact_at_percent": "95"},
            {"compact_at_percent": ["The shares must rise: keep whole 15 < shorten from 95 <= drop from 90."]},
        ),
        ({"tail_percent": "75"}, {"compact_at_percent": ["The shares must rise: keep whole 75 < shorten from 75 <= drop from 90."]}),
        ({"completion": "message_tool", "hidden_tools": "message"}, {"completion": [hidden_error]}),
        ({"completion": "message_tool", "active_tools": "document_agent"}, {"completion": [hidden_error]}),
        (
            {"completion": "message_tool", "tool_choice": "none"},
            {"tool_choice": ["Runs end with the message tool, so the model must be allowed to call it."]},
        ),
        (
            {"tool_choice": "document_agent", "hidden_tools": "document_agent"},
            {"tool_choice": ["document_agent is hidden from the model."]},
        ),
    ]
    url = agent_url(seeded_cast.acme)
    response = alice.get(url)
    assert [errors(send(alice, url, response, **options)) for options, _ in wrong] == [error for _, error in wrong]


def test_a_wrong_option_is_not_published(seeded_cast: Cast) -> None:
    """However it came into the row."""
    with tenant_tx(seeded_cast.acme.id):
        AgentConfig.objects.filter(key=CHAT).update(active_tools="nothing", prune_tools="message: some")
        PromptSection.objects.filter(agent__key=CHAT, name="environment").update(text="{weather}")
        StepRule.objects.create(agent=AgentConfig.objects.get(key=CHAT), first_step=3, last_step=2, temperature=0)
        assert [problem.field for problem in draft_problems(draft_load())] == ["active_tools", "prune_tools", "text", "last_step"]


def test_an_agent_that_is_a_tool_shows_only_what_it_heeds(alice: Client, seeded_cast: Cast) -> None:
    document, chat = form_values(alice.get(agent_url(seeded_cast.acme, DOCUMENT))), form_values(alice.get(agent_url(seeded_cast.acme)))
    assert not [name for name in document if name.startswith(("sections-", "step_rules-", "tool_", "completion", "compact_"))]
    assert "ask_first" not in chat
    assert {"top_p", "temperature", "stop_sequences"} <= document.keys() & chat.keys()


def test_a_sub_agent_asks_first_when_an_admin_wants_it(alice: Client, seeded_cast: Cast) -> None:
    assert not live_agent(seeded_cast.acme, DOCUMENT_AGENT).ask_first
    save(alice, agent_url(seeded_cast.acme, DOCUMENT), ask_first="on")
    assert live_agent(seeded_cast.acme, DOCUMENT_AGENT).ask_first


def test_a_cost_budget_needs_prices(alice: Client, seeded_cast: Cast) -> None:
    url = agent_url(seeded_cast.acme)
    set_prices(seeded_cast.acme.id)
    (refusal,) = errors(save(alice, url, cost_budget_usd="0.5"))["cost_budget_usd"]
    assert refusal.endswith(
        "a cost budget needs the prices of all models that may answer. "
        "Without a price: Gemini 2.5 Flash, Gemini 2.5 Pro, Gemini 3 Flash (preview)."
    )
    set_prices(seeded_cast.acme.id, price(0.3, 2.5))
    assert save(alice, url, cost_budget_usd="0.5").status_code == 302
    assert live_agent(seeded_cast.acme).cost_budget_usd == 0.5


def test_a_release_says_in_words_what_was_tuned(seeded_cast: Cast) -> None:
    with tenant_tx(seeded_cast.acme.id):
        agent = AgentConfig.objects.get(key=CHAT)
        AgentConfig.objects.filter(key=CHAT).update(hidden_tools="message", top_p=0.5)
        PromptSection.objects.filter(agent=agent, name="safety").update(is_enabled=False)
        StepRule.objects.create(agent=agent, first_step=1, last_step=2, active_tools="message", temperature=0)
        waiting = unpublished_draft()
        assert waiting is not None
        changes = {change.where[2:]: [line.text for line in change.lines] for change in waiting.changes}
    assert changes == {
        ("top p",): ["0.5"],
        ("hidden tools",): ["message"],
        ("sections", "safety", "is enabled"): ["yes", "no"],
        ("step rules",): ["first 1, last 2, active tools message, temperature 0.0"],
    }


def test_saving_the_page_as_it_is_publishes_nothing(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, agent_url(seeded_cast.acme)).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert Release.objects.count() == 1
