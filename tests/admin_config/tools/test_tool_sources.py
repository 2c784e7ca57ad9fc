"""Tool sources of an organization: made, given to agents, checked, kept apart and deleted."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.test import Client

from admin_config.models import AgentConfig, AgentTool, ToolSource
from admin_config.release import ToolSourceSnapshot
from admin_config.services.changes.diff import release_diff
from admin_config.services.discarding.loading import write_exactly
from admin_config.services.restoring import release_restore
from admin_config.services.selectors import live_release
from admin_config.services.tool_review import ACCEPTED_KEY
from agents.engine.ports import Danger, ToolTraits
from agents.tools.base import with_source_options
from agents.tools.http.settings import HttpSettings
from agents.tools.mcp.definitions import PinnedTool, definitions_dump
from security.models import AuditEvent, Secret
from security.secrets.services import secret_reveal
from tenants.context import tenant_tx
from tests.admin_config.agents import agent_url
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, FormValue, Page, errors, form_values, save, send, send_each
from tests.admin_config.tools.tool_sources import ADD, LIST, ORDERS, live, names, page_of, source
from tests.support.accounts.cast import Cast

SECRET = "key-NeverShownAgain-wxyz"


WITH_SECRET = ORDERS | {"secret_header": "Authorization", "secret_prefix": "Bearer", "new_secret": SECRET}


@pytest.fixture
def agent_page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key='chat_model_agent_google').id}/change/"


def give(client: Client, page: str, *sources: ToolSource | ToolSourceSnapshot) -> Page:
    """As the page's script does it: one row more for each source."""
    response = client.get(page)
    [prefix] = [
        inline.formset.prefix for inline in response.context["inline_admin_formsets"] if inline.opts.verbose_name == "source of tools"
    ]
    first = int(form_values(response)[f"{prefix}-TOTAL_FORMS"])
    rows = {f"{prefix}-{first + row}-source": str(one.id) for row, one in enumerate(sources)}
    orders = {f"{prefix}-{first + row}-position": str(row + 1) for row in range(len(sources))}
    return send(client, page, response, **rows, **orders, **{f"{prefix}-TOTAL_FORMS": str(first + len(sources))})


def test_the_kind_is_chosen_first_and_the_page_asks_for_its_settings(alice: Client, seeded_cast: Cast) -> None:
    assert "?kind=http" in alice.get(f"{LIST}add/").content.decode()
    assert "?kind=http" in alice.get(f"{LIST}add/?kind=nonsense").content.decode()
    assert save(alice, ADD, **ORDERS, method="GET", danger="moderate", confirm="on").status_code == 302
    tool_source = source(seeded_cast)
    assert (tool_source.kind, tool_source.danger, tool_source.confirm, tool_source.secret_id) == ("http", "moderate", True, None)
    assert tool_source.settings == {name: value for name, value in ORDERS.items() if name != "name"} | {
        "input_schema": json.loads(ORDERS["input_schema"])
    }
    list_html = alice.get(LIST).content.decode()
    assert "orders" in list_html
    assert "the tool's own" in unescape(list_html)  # plan's danger: no server reports it
    assert "ticks off what is done" in alice.get(f"{LIST}add/?kind=plan").content.decode()  # a kind without settings says what it is, too


def test_an_agent_gets_a_source_and_the_release_says_so_in_words(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **ORDERS)
    before = live(seeded_cast)
    assert give(alice, agent_page, source(seeded_cast)).status_code == 302
    [changed] = release_diff(before, live(seeded_cast))
    assert (changed.where[-1], [line.text for line in changed.lines if line.kind == "added"]) == ("tools", ["orders"])
    snapshot = live(seeded_cast)
    assert "orders" in [one.name for one in snapshot.sources_of(snapshot.agents["chat_model_agent_google"])]


def test_a_secret_is_sealed_for_its_host_and_shown_nowhere(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, ADD, **WITH_SECRET).status_code == 302
    tool_source = source(seeded_cast)
    assert tool_source.secret_id is not None
    with tenant_tx(seeded_cast.acme.id):
        assert secret_reveal(secret_id=tool_source.secret_id, url=ORDERS["url"]).reveal() == SECRET
        assert not any(SECRET in str(event.detail) for event in AuditEvent.objects.all())
    pages = (page_of(seeded_cast), LIST, f"{ACME}admin_config/release/", ACME)
    assert "set, ends in wxyz" in alice.get(pages[0]).content.decode()
    assert not any(SECRET[:-4] in alice.get(page).content.decode() for page in pages)


def test_another_host_needs_the_secret_again_and_without_a_header_it_is_deleted(alice: Client, seeded_cast: Cast) -> None:
    save(alice, ADD, **WITH_SECRET)
    assert save(alice, page_of(seeded_cast), url="https://shop.example/v2/{number}").status_code == 302
    assert list(errors(save(alice, page_of(seeded_cast), url="https://evil.example/{number}"))) == ["new_secret"]
    assert save(alice, page_of(seeded_cast), secret_header="").status_code == 302
    assert source(seeded_cast).secret_id is None
    with tenant_tx(seeded_cast.acme.id):
        assert not Secret.objects.exists()


def test_a_restored_release_has_the_secret_of_today(alice: Client, seeded_cast: Cast) -> None:
    save(alice, ADD, **WITH_SECRET)
    with tenant_tx(seeded_cast.acme.id):
        old = live_release(organization_id=seeded_cast.acme.id)
    save(alice, page_of(seeded_cast), new_secret="another-secret-1234")
    newest = source(seeded_cast).secret_id
    with tenant_tx(seeded_cast.acme.id):
        release_restore(organization_id=seeded_cast.acme.id, release_id=old.id)
    assert source(seeded_cast).secret_id == newest


# What is entered, and the field that is refused; None: the form as a whole.
CANNOT_WORK: list[tuple[dict[str, str], str | None]] = [
    ({"name": "Orders"}, "name"),
    ({"name": "message"}, "name"),  # reserved
    ({"url": "https://{number}.example/"}, "url"),
    ({"url": "https://shop.example/{nonsense}"}, "url"),
    ({"url": "http://shop.example/{number}"}, "url"),
    ({"url": "https://10.0.0.7/"}, "url"),
    ({"url": "https://shop.example/{{secret:a}}"}, "url"),
    ({"query-name": "q", "query-value": "{nonsense}"}, "query"),
    ({"body": '{"q": "{number}"}'}, None),  # GET
    ({"input_schema": '{"type": "string"}'}, "input_schema"),
    ({"input_schema": '{"type": "object", "properties": {"a": {"type": "nothing"}}}'}, "input_schema"),
    ({"headers-name": "Host", "headers-value": "x"}, "headers"),
    ({"headers-name": "X", "headers-value": "a\nb"}, "headers"),
    ({"result_path": "a..b"}, "result_path"),
    ({"secret_header": "Authorization"}, "new_secret"),
    ({"new_secret": SECRET}, "new_secret"),  # no header to send it in
]


def test_what_cannot_work_is_refused_at_its_field(alice: Client, seeded_cast: Cast) -> None:
    answers = send_each(alice, ADD, (ORDERS | changes for changes, _ in CANNOT_WORK))
    assert [(answer.status_code, [*errors(answer)]) for answer in answers] == [(200, [field or "__all__"]) for _, field in CANNOT_WORK]
    assert names(seeded_cast).isdisjoint({"orders", *(changes.get("name") for changes, _ in CANNOT_WORK)})


# What is added, and the name that its tool would have.
OWN_NAMES: list[tuple[dict[str, str], str]] = [
    ({"name": "search"}, "search"),
    ({"name": "url", "prefix": "fetch"}, "fetch_url"),
    ({"name": "state", "prefix": "update_page"}, "update_page_state"),
    ({"name": "search_files"}, "search_files"),
    ({"name": "read_project_file"}, "read_project_file"),
    ({"name": "web_search"}, "web_search"),
    ({"name": "document_agent"}, "document_agent"),
]


def test_names_of_the_platforms_own_tools_are_kept_for_those(alice: Client, seeded_cast: Cast) -> None:
    answers = send_each(alice, ADD, (ORDERS | changes for changes, _ in OWN_NAMES))
    expected = [{"name": [f"the name {name} is the platform's own. Choose another name or a prefix."]} for _, name in OWN_NAMES]
    assert [
        {field: [text.partition(": ")[2] for text in texts] for field, texts in errors(answer).items()} for answer in answers
    ] == expected
    with tenant_tx(seeded_cast.acme.id):
        ToolSource.objects.filter(kind="plan").delete()
    refused = save(alice, ADD, **(ORDERS | {"name": "plan"}))
    assert "the name plan is the platform's own" in " ".join(errors(refused)["name"])
    assert save(alice, ADD.replace("http", "plan"), name="steps").status_code == 302, "its own kind may"


def test_names_that_clash_are_told_where_the_agent_gets_both(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **ORDERS)
    save(alice, ADD, **(ORDERS | {"name": "shop_orders"}))
    save(alice, ADD, **(ORDERS | {"name": "other", "prefix": "shop"}))
    assert give(alice, agent_page, source(seeded_cast), source(seeded_cast, "shop_orders"), source(seeded_cast, "other")).status_code == 302
    response = save(alice, page_of(seeded_cast), prefix="shop")
    assert "both give a tool named shop_orders" in " ".join(errors(response)["__all__"])


def test_more_tools_than_the_provider_takes_are_told_before_they_go_live(alice: Client, seeded_cast: Cast) -> None:
    pins = {ACCEPTED_KEY: definitions_dump({name: PinnedTool(name=name) for name in (f"tool_{number}" for number in range(126))})}
    with tenant_tx(seeded_cast.acme.id):
        row = ToolSource.objects.create(name="many", kind="mcp", settings={"url": "https://mcp.example/"}, pins=pins)
    openai, google = (agent_url(seeded_cast.acme, f"chat_model_agent_{provider}") for provider in ("openai", "google"))
    assert give(alice, google, row).status_code == 302
    refusal = give(alice, openai, row)
    assert "has 134 tools, and OpenAI takes at most 128" in " ".join(errors(refusal)["__all__"])
    with tenant_tx(seeded_cast.acme.id):
        ToolSource.objects.update(member_switch=ToolSource.MemberSwitch.STARTS_OFF)
    assert give(alice, openai, row).status_code == 302


def test_lists_of_tools_take_the_names_that_sources_give_and_refuse_typos(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **ORDERS, prefix="shop")
    assert save(alice, agent_page, active_tools="shop_orders\nmessage", tool_choice="shop_orders").status_code == 302
    assert list(errors(save(alice, agent_page, active_tools="orders"))) == ["active_tools"]
    assert list(errors(save(alice, agent_page, tool_choice="shop_order"))) == ["tool_choice"]
    response = alice.post(f"{LIST}{source(seeded_cast).id}/delete/", {"post": "yes"}, follow=True)
    assert "shop_orders is not a known tool" in response.content.decode()
    assert source(seeded_cast).name == "orders"


def test_deleting_a_source_takes_its_secret_and_its_uses_along(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **WITH_SECRET)
    give(alice, agent_page, source(seeded_cast))
    page = f"{LIST}{source(seeded_cast).id}/delete/"
    html = alice.get(page).content.decode()
    assert "Delete tool source “orders (" in html
    assert "<li>Removed from Chat agent (Google Gemini)</li>" in html
    assert 'type="submit">Delete</button>' in html
    assert alice.post(page, {"post": "yes"}).status_code == 302
    with tenant_tx(seeded_cast.acme.id):
        assert not ToolSource.objects.filter(name="orders").exists()
        assert not AgentTool.objects.filter(source__name="orders").exists()
        assert not Secret.objects.exists()
    assert "orders" not in names(seeded_cast)


def test_another_organizations_source_is_not_there(alice: Client, seeded_cast: Cast, signed_in: SignedIn, agent_page: str) -> None:
    save(signed_in(seeded_cast.charlie), ADD.replace("acme", "other"), **(ORDERS | {"name": "foreign"}))
    with tenant_tx(seeded_cast.other.id):
        sources = live_release(organization_id=seeded_cast.other.id).snapshot.tool_sources
    foreign = next(one for one in sources if one.name == "foreign")
    assert alice.get(f"{LIST}{foreign.id}/change/").status_code == 302
    assert "foreign" not in alice.get(LIST).content.decode()
    assert give(alice, agent_page, foreign).status_code == 200
    assert list(errors(save(alice, agent_page, active_tools="foreign"))) == ["active_tools"]
    assert signed_in(seeded_cast.charlie).get(LIST).status_code == 404
    assert signed_in(seeded_cast.bob).get(LIST).status_code == 404


def test_headers_and_query_are_rows(alice: Client, seeded_cast: Cast) -> None:
    rows: dict[str, FormValue] = {
        "query-name": ["tag", "q", ""],  # which the database would sort
        "query-value": ['["a", "{number}"]', "{number}", ""],
        "headers-name": ["X-Shop"],
        "headers-value": ["one"],
    }
    assert save(alice, ADD, **ORDERS, **rows).status_code == 302
    query = HttpSettings.model_validate(source(seeded_cast).settings).query
    assert list(query.items()) == [("tag", ["a", "{number}"]), ("q", "{number}")]
    assert form_values(alice.get(page_of(seeded_cast)))["query-name"] == ["tag", "q", "", ""]
    assert source(seeded_cast).settings["headers"] == {"X-Shop": "one"}
    page = page_of(seeded_cast)
    before = source(seeded_cast)
    assert save(alice, page).status_code == 302
    assert source(seeded_cast) == before, "a save without a change changes nothing"
    bad: dict[str, FormValue] = {"headers-name": ["", "A", "A"], "headers-value": ["lost?", "1", "2"]}
    response = save(alice, page, **bad)
    assert errors(response) == {"headers": ["“lost?” has no name."]}
    assert 'value="lost?"' in response.content.decode(), "nothing that was typed is lost"
    bad["headers-value"] = ["", "1", "2"]
    assert errors(save(alice, page, **bad)) == {"headers": ["A: each name may stand once."]}


def test_single_tools_of_a_source_are_ruled(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, f"{LIST}add/?kind=files", name="notes", description="Notes").status_code == 302
    page = page_of(seeded_cast, "notes")
    assert "Single tools" in alice.get(page).content.decode()
    assert "Single tools" not in alice.get(f"{LIST}add/?kind=http").content.decode()
    names = source_tools(alice, page)
    dangers: FormValue = ["dangerous" if name == "read_file" else "" for name in names]
    rules: dict[str, FormValue] = {"tool_rules-danger": dangers, "tool_rules-confirm": ["search_files"]}
    assert save(alice, page, **rules).status_code == 302
    tool_source = source(seeded_cast, "notes")
    assert {name: (rule.danger, rule.confirm) for name, rule in tool_source.tool_rules.items()} == {
        "read_file": ("dangerous", False),
        "search_files": ("", True),
    }
    traits = {name: with_source_options(tool_source, ToolTraits(danger=Danger.SAFE), name=name) for name in names}
    assert [name for name in names if traits[name].danger == Danger.DANGEROUS] == ["read_file"]
    assert [name for name in names if traits[name].confirm] == ["search_files"]
    save(alice, page)
    assert source(seeded_cast, "notes") == tool_source
    with tenant_tx(seeded_cast.acme.id):
        ToolSource.objects.filter(name="notes").update(tool_rules={})
        write_exactly(live_release(organization_id=seeded_cast.acme.id).snapshot, None)
        assert ToolSource.objects.get(name="notes").tool_rules["read_file"] == {"danger": "dangerous", "confirm": False}


def source_tools(client: Client, page: str) -> list[str]:
    """The tools that the page's rules list."""
    return re.findall(r'<th scope="row">(\w+)</th>', client.get(page).content.decode())
