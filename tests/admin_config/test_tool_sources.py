"""Sources of tools in the admin: the kind first, typed settings, a secret that never comes out, names that are nobody else's."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from admin_config.models import AgentConfig, AgentTool, ToolSource
from admin_config.release import ReleaseSnapshot, ToolSourceSnapshot
from admin_config.services.changes.diff import release_diff
from admin_config.services.discarding.loading import write_exactly
from admin_config.services.restoring import release_restore
from admin_config.services.selectors import live_release
from admin_config.validation.json_key_order import schema_of
from agents.engine.ports import Danger, ToolTraits
from agents.tools.base import with_source_options
from agents.tools.http.settings import HttpSettings
from security.models import AuditEvent, Secret
from security.secrets.services import secret_reveal
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, Page, Sent, errors, form_values, save, send
from tests.support.cast import Cast

LIST = f"{ACME}admin_config/toolsource/"
ADD = f"{LIST}add/?kind=http"
SECRET = "key-NeverShownAgain-wxyz"
ORDERS = {
    "name": "orders",
    "description": "Looks up an order.",
    "input_schema": json.dumps({"type": "object", "properties": {"number": {"type": "string"}}}),
    "url": "https://shop.example/orders/{number}",
}
WITH_SECRET = ORDERS | {"secret_header": "Authorization", "secret_prefix": "Bearer", "new_secret": SECRET}


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


@pytest.fixture
def agent_page(seeded_cast: Cast) -> str:
    with tenant_tx(seeded_cast.acme.id):
        return f"{ACME}admin_config/agentconfig/{AgentConfig.objects.get(key='chat_model_agent_google').id}/change/"


def live(seeded_cast: Cast) -> ReleaseSnapshot:
    with tenant_tx(seeded_cast.acme.id):
        return live_release(organization_id=seeded_cast.acme.id).snapshot


def source(seeded_cast: Cast, name: str = "orders") -> ToolSourceSnapshot:
    """Of the live release."""
    return next(one for one in live(seeded_cast).tool_sources if one.name == name)


def names(seeded_cast: Cast) -> set[str]:
    return {one.name for one in live(seeded_cast).tool_sources}


def page_of(seeded_cast: Cast, name: str = "orders") -> str:
    return f"{LIST}{source(seeded_cast, name).id}/change/"


def give(client: Client, page: str, *sources: ToolSourceSnapshot) -> Page:
    """As the page's script does it: one row more for each source."""
    shown = client.get(page)
    [prefix] = [inline.formset.prefix for inline in shown.context["inline_admin_formsets"] if inline.opts.verbose_name == "source of tools"]
    first = int(form_values(shown)[f"{prefix}-TOTAL_FORMS"])
    rows = {f"{prefix}-{first + row}-source": str(one.id) for row, one in enumerate(sources)}
    orders = {f"{prefix}-{first + row}-position": str(row + 1) for row in range(len(sources))}
    return send(client, page, shown, **rows, **orders, **{f"{prefix}-TOTAL_FORMS": str(first + len(sources))})


def test_the_kind_is_chosen_first_and_the_page_asks_for_its_settings(alice: Client, seeded_cast: Cast) -> None:
    assert "?kind=http" in alice.get(f"{LIST}add/").content.decode()
    assert "?kind=http" in alice.get(f"{LIST}add/?kind=nonsense").content.decode()
    assert save(alice, ADD, **ORDERS, method="GET", danger="moderate", confirm="on").status_code == 302
    made = source(seeded_cast)
    assert (made.kind, made.danger, made.confirm, made.secret_id) == ("http", "moderate", True, None)
    assert made.settings == {name: value for name, value in ORDERS.items() if name != "name"} | {
        "input_schema": json.loads(ORDERS["input_schema"])
    }
    assert "orders" in alice.get(LIST).content.decode()


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
    made = source(seeded_cast)
    assert made.secret_id is not None
    with tenant_tx(seeded_cast.acme.id):
        assert secret_reveal(secret_id=made.secret_id, url=ORDERS["url"]).reveal() == SECRET
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


@pytest.mark.parametrize(
    ("changes", "field"),
    [
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
    ],
)
def test_what_cannot_work_is_refused_at_its_field(alice: Client, seeded_cast: Cast, changes: dict[str, str], field: str | None) -> None:
    refused = save(alice, ADD, **(ORDERS | changes))
    assert refused.status_code == 200
    assert list(errors(refused)) == [field or "__all__"]
    assert names(seeded_cast).isdisjoint({"orders", changes.get("name")})


class TestArguments:
    def settings(self, cast: Cast) -> dict[str, object]:
        with tenant_tx(cast.acme.id):
            return schema_of(ToolSource.objects.get(name="orders").settings.get("input_schema", {}))

    def row(self, **parts: str | list[str]) -> dict[str, str | list[str]]:
        return {f"input_schema-{part}": value for part, value in parts.items()}

    def test_rows_become_a_schema(self, alice: Client, seeded_cast: Cast) -> None:
        rows = self.row(
            former=["", "", ""],
            name=["number", "reason", "pallets"],
            type=["integer", "choice", "strings"],
            required=["yes", "yes", "no"],
            description=["Five digits", "", ""],
            choices=["", "lost, late", ""],
        )
        assert save(alice, ADD, **(ORDERS | {"input_schema": ""} | rows)).status_code == 302
        assert self.settings(seeded_cast) == {
            "type": "object",
            "properties": {
                "number": {"type": "integer", "description": "Five digits"},
                "reason": {"type": "string", "enum": ["lost", "late"]},
                "pallets": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["number", "reason"],
        }

    def test_what_rows_cannot_say_stays(self, alice: Client, seeded_cast: Cast) -> None:
        box = {"type": "object", "properties": {"width": {"type": "number"}}}
        number = {"type": "string", "pattern": "^[0-9]{5}$", "description": "The\nnumber."}
        schema = {"type": "object", "properties": {"number": number, "box": box}, "additionalProperties": False}
        assert save(alice, ADD, **(ORDERS | {"input_schema": json.dumps(schema)})).status_code == 302
        assert save(alice, page_of(seeded_cast), description="Looks.").status_code == 302
        assert self.settings(seeded_cast) == schema
        names = self.row(name=["order", "box"], required=["yes", "no"])
        renamed = {"type": "object", "properties": {"order": number, "box": box}, "required": ["order"], "additionalProperties": False}
        assert save(alice, page_of(seeded_cast), url="https://shop.example/{order}", **names).status_code == 302
        assert self.settings(seeded_cast) == renamed

    def test_a_changed_row_changes_no_other(self, alice: Client, seeded_cast: Cast) -> None:
        others = {
            "anything": True,
            "": {"type": "string"},
            " spaced ": {"type": "string", "maxLength": 5},
            "blank": {"type": "string", "description": ""},
            "empty": {"type": "string", "enum": ["", "a "]},
            "comma": {"type": "string", "enum": ["a, b"]},
            "lines\nbroken": {"type": ["string", "null"], "pattern": "^\\u0000<\"'&>$"},
            '</textarea><script>"': {"enum": ["x"]},
        }
        required = ["", " spaced ", "number", "of no property"]
        schema = {"type": "object", "properties": {"number": {"type": "string"}, **others}, "required": required}
        assert save(alice, ADD, **(ORDERS | {"input_schema": json.dumps(schema)})).status_code == 302
        page = page_of(seeded_cast)
        assert save(alice, page, description="Looks.").status_code == 302
        assert self.settings(seeded_cast) == schema
        sent = form_values(alice.get(page))
        types = [
            "integer" if name == "number" else kind for name, kind in zip(sent["input_schema-name"], sent["input_schema-type"], strict=True)
        ]
        assert save(alice, page, **self.row(type=types)).status_code == 302
        changed: dict[str, Any] = self.settings(seeded_cast)
        assert changed["properties"] == {"number": {"type": "integer"}, **others}
        assert sorted(changed["required"]) == sorted(required)

    def test_the_order_of_rows_stays_also_for_the_model(self, alice: Client, seeded_cast: Cast) -> None:
        names = ["warehouse", "number", "day"]  # the database sorts keys by their length
        blank = {"type": ["string"] * 3, "required": ["no"] * 3, "description": [""] * 3, "choices": [""] * 3}
        assert save(alice, ADD, **(ORDERS | {"input_schema": ""} | self.row(former=[""] * 3, name=names, **blank))).status_code == 302
        page = page_of(seeded_cast)
        assert form_values(alice.get(page))["input_schema-name"] == names
        assert "propertyOrdering" not in alice.get(page).content.decode()
        settings = HttpSettings.model_validate(source(seeded_cast).settings)
        assert list(settings.arguments_schema["properties"]) == names
        assert "propertyOrdering" not in settings.arguments_schema
        before = live(seeded_cast).content_hash()
        assert save(alice, page).status_code == 302
        assert live(seeded_cast).content_hash() == before, "a save without a change changes nothing"
        turned = {"type": "object", "properties": {name: {"type": "string"} for name in ("warehouse", "day", "number")}}
        assert save(alice, page, input_schema=json.dumps(turned)).status_code == 302
        assert form_values(alice.get(page))["input_schema-name"] == ["warehouse", "day", "number"]
        assert live(seeded_cast).content_hash() != before, "another order is a change that is published"

    def test_a_long_schema_is_edited_as_text(self, alice: Client, seeded_cast: Cast) -> None:
        properties = {f"a{number}": {"type": "string"} for number in range(200)} | {"number": {"type": "string"}}
        schema = {"type": "object", "properties": properties}
        assert save(alice, ADD, **(ORDERS | {"input_schema": json.dumps(schema)})).status_code == 302
        page = page_of(seeded_cast)
        assert len([name for name in form_values(alice.get(page))["input_schema-name"] if name]) == 0
        assert save(alice, page, description="Looks.").status_code == 302
        assert self.settings(seeded_cast) == schema
        assert "At most 60 rows." in str(errors(save(alice, page, **self.row(name="one"))))

    @pytest.mark.parametrize(
        ("parts", "text"),
        [
            ({"name": ["number", "x\0"]}, "Null characters"),
            ({"json": '{"type": "object", "title": "\\u0000"}'}, "Null characters"),
            ({"json": '{"type": "object", "title": "\\ud800"}'}, "This is no JSON"),
            ({"json": '{"type": "object", "minimum": NaN}'}, "This is no JSON"),
            ({"json": "[" * 100_000}, "This is no JSON"),
            ({"name": ["", "x"], "description": ["A number.", ""]}, "has no name"),
            ({"name": ["number", "number"]}, "number: each name may stand once."),
            ({"name": ["number", "x"], "type": ["string", "choice"]}, "is one of which?"),
            ({"name": ["number", "x"], "json": '{"type": "object"}'}, "not both at once"),
            ({"json": "{"}, "This is no JSON"),
        ],
    )
    def test_wrong_rows_are_refused_and_kept(self, alice: Client, seeded_cast: Cast, parts: dict[str, str | list[str]], text: str) -> None:
        save(alice, ADD, **ORDERS)
        blank = {
            "former": ["number", ""],
            "type": ["string", "string"],
            "required": ["no", "yes"],
            "description": ["", ""],
            "choices": ["", ""],
        }
        whole = {"input_schema": parts["json"]} if "json" in parts else {}
        rows = self.row(**(blank | parts)) if "name" in parts else {}
        refused = save(alice, page_of(seeded_cast), **{**rows, **whole})
        [[name, [problem]]] = errors(refused).items()
        assert name == "input_schema"
        assert text in problem
        assert all(f'value="{value}"' in refused.content.decode() for value in parts.get("name", []) if value)


class TestBody:
    def body(self, cast: Cast) -> Any:
        return HttpSettings.model_validate(source(cast).settings).body

    def rows(self, *rows: tuple[str, str, str, str]) -> dict[str, Sent]:
        return {f"body-{part}": [row[place] for row in rows] for place, part in enumerate(("former", "name", "value", "kind"))}

    def test_rows_become_json_with_types_in_their_order(self, alice: Client, seeded_cast: Cast) -> None:
        rows = self.rows(
            ("", "order_number", "number", "argument"),
            ("", "reason", "Late: {number}", "text"),
            ("", " digits ", "12", "text"),
            ("", "parts", "-1.5", "number"),
            ("", "dry_run", "", "no"),
            ("", "tell", "", "yes"),
            ("", "tags", '["a", {"b": null}]', "json"),
            ("", "", "", "text"),
        )
        assert save(alice, ADD, **ORDERS, method="POST", **rows).status_code == 302
        body = {
            "order_number": "{number}",
            "reason": "Late: {number}",
            "digits": "12",
            "parts": -1.5,
            "dry_run": False,
            "tell": True,
            "tags": ["a", {"b": None}],
        }
        assert list(self.body(seeded_cast).items()) == list(body.items())
        before, page = source(seeded_cast), page_of(seeded_cast)
        shown = form_values(alice.get(page))
        assert json.loads(shown["body"]) == body
        assert shown["body-name"] == list(body)
        assert shown["body-kind"] == ["argument", "text", "text", "number", "no", "yes", "json"]
        assert save(alice, page).status_code == 302
        assert source(seeded_cast) == before, "a save without a change changes nothing"

    def test_json_becomes_rows_and_a_changed_row_changes_no_other(self, alice: Client, seeded_cast: Cast) -> None:
        body = {
            "note": 'two\nlines  and "quotes" ',
            " odd  name ": 1.0,
            "": [1],
            "deep": {"a": {"b": "{number}"}},
            "none": None,
            "n": 2**64 - 1,
        }
        assert save(alice, ADD, **ORDERS, method="POST", body=json.dumps(body)).status_code == 302
        assert self.body(seeded_cast) == body
        page = page_of(seeded_cast)
        names, kinds = (form_values(alice.get(page))[f"body-{part}"] for part in ("name", "kind"))
        values = form_values(alice.get(page))["body-value"]
        values[names.index("none")], kinds[names.index("none")] = "{number}", "argument"
        changed: dict[str, Sent] = {"body-value": values, "body-kind": kinds}
        assert save(alice, page, **changed).status_code == 302
        assert self.body(seeded_cast) == {**body, "none": "{number}"}
        names[names.index("deep")] = "deeper"
        assert save(alice, page, **{"body-name": names}).status_code == 302
        assert self.body(seeded_cast)["deeper"] == body["deep"]
        gone: dict[str, Sent] = {"body-name": "", "body-former": "", "body-value": "", "body-kind": "text", "body": ""}
        assert save(alice, page, **{**gone, "body-shown": ""}).status_code == 302
        assert self.body(seeded_cast) == {}

    @pytest.mark.parametrize(
        ("row", "text"),
        [
            (("", "a", "two words", "argument"), "is which argument?"),
            (("", "a", "{nonsense}", "argument"), "{nonsense}: the arguments"),
            (("", "a", "true", "number"), "is no number"),
            (("", "a", "", "number"), "is no number"),
            (("", "a", "NaN", "number"), "is no number"),
            (("", "a", "1e999", "number"), "This is no JSON"),
            (("", "a", "1" + 30 * "0", "number"), "has too many digits"),
            (("", "a", "1e20", "number"), "has too many digits"),  # as the database returns it
            (("", "a", "{", "json"), "This is no JSON"),
            (("", "", "lost?", "text"), "“lost?” has no name."),
            (("", "  ", "lost?", "text"), "“lost?” has no name."),
        ],
    )
    def test_wrong_rows_are_refused_and_kept(self, alice: Client, seeded_cast: Cast, row: tuple[str, str, str, str], text: str) -> None:
        refused = save(alice, ADD, **ORDERS, method="POST", **self.rows(row))
        assert text in str(errors(refused)["body"])
        assert not row[2] or f'value="{row[2]}"' in refused.content.decode(), "nothing that was typed is lost"

    def test_rows_and_json_are_not_changed_at_once(self, alice: Client) -> None:
        refused = save(alice, ADD, **ORDERS, method="POST", body='{"b": 1}', **self.rows(("", "a", "1", "number")))
        assert "not both at once" in str(errors(refused)["body"])
        assert "The body must be a JSON object" in str(errors(save(alice, ADD, **ORDERS, method="POST", body="[1]"))["body"])
        twice = save(alice, ADD, **ORDERS, method="POST", body='{"a": {"b": 1, "b": 2}}')
        assert "b: each name may stand once." in str(errors(twice)["body"])

    def test_a_release_shows_the_order_of_fields_and_a_text_that_becomes_a_number(self, alice: Client, seeded_cast: Cast) -> None:
        save(alice, ADD, **ORDERS, method="POST", **self.rows(("", "amount", "12", "text"), ("", "q", "{number}", "argument")))
        before = live(seeded_cast)
        save(alice, page_of(seeded_cast), **{"body-kind": ["number", "argument"]})
        [changed] = release_diff(before, live(seeded_cast))
        assert changed.where == ("tool sources", "orders", "settings", "body")
        shown = [(line.kind, line.text) for line in changed.lines]
        assert shown == [
            ("same", "{"),
            ("removed", '  "amount": "12",'),
            ("added", '  "amount": 12,'),
            ("same", '  "q": "{number}"'),
            ("same", "}"),
        ]


def test_names_that_clash_are_told_where_the_agent_gets_both(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **ORDERS)
    save(alice, ADD, **(ORDERS | {"name": "shop_orders"}))
    save(alice, ADD, **(ORDERS | {"name": "other", "prefix": "shop"}))
    assert give(alice, agent_page, source(seeded_cast), source(seeded_cast, "shop_orders"), source(seeded_cast, "other")).status_code == 302
    refused = save(alice, page_of(seeded_cast), prefix="shop")
    assert "both give a tool named shop_orders" in " ".join(errors(refused)["__all__"])


def test_lists_of_tools_take_the_names_that_sources_give_and_refuse_typos(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **ORDERS, prefix="shop")
    assert save(alice, agent_page, active_tools="shop_orders\nmessage", tool_choice="shop_orders").status_code == 302
    assert list(errors(save(alice, agent_page, active_tools="orders"))) == ["active_tools"]
    assert list(errors(save(alice, agent_page, tool_choice="shop_order"))) == ["tool_choice"]
    kept = alice.post(f"{LIST}{source(seeded_cast).id}/delete/", {"post": "yes"}, follow=True)
    assert "shop_orders is not a known tool" in kept.content.decode()
    assert source(seeded_cast).name == "orders"


def test_deleting_a_source_takes_its_secret_and_its_uses_along(alice: Client, seeded_cast: Cast, agent_page: str) -> None:
    save(alice, ADD, **WITH_SECRET)
    give(alice, agent_page, source(seeded_cast))
    assert alice.post(f"{LIST}{source(seeded_cast).id}/delete/", {"post": "yes"}).status_code == 302
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
    rows: dict[str, Sent] = {
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
    bad: dict[str, Sent] = {"headers-name": ["", "A", "A"], "headers-value": ["lost?", "1", "2"]}
    refused = save(alice, page, **bad)
    assert errors(refused) == {"headers": ["“lost?” has no name."]}
    assert 'value="lost?"' in refused.content.decode(), "nothing that was typed is lost"
    bad["headers-value"] = ["", "1", "2"]
    assert errors(save(alice, page, **bad)) == {"headers": ["A: each name may stand once."]}


def test_single_tools_of_a_source_are_ruled(alice: Client, seeded_cast: Cast) -> None:
    assert save(alice, f"{LIST}add/?kind=files", name="notes", description="Notes").status_code == 302
    page = page_of(seeded_cast, "notes")
    assert "Single tools" in alice.get(page).content.decode()
    assert "Single tools" not in alice.get(f"{LIST}add/?kind=http").content.decode()
    names = source_tools(alice, page)
    dangers: Sent = ["dangerous" if name == "read_file" else "" for name in names]
    ruled: dict[str, Sent] = {"tool_rules-danger": dangers, "tool_rules-confirm": ["search_files"]}
    assert save(alice, page, **ruled).status_code == 302
    made = source(seeded_cast, "notes")
    assert {name: (rule.danger, rule.confirm) for name, rule in made.tool_rules.items()} == {
        "read_file": ("dangerous", False),
        "search_files": ("", True),
    }
    traits = {name: with_source_options(made, ToolTraits(danger=Danger.SAFE), name=name) for name in names}
    assert [name for name in names if traits[name].danger == Danger.DANGEROUS] == ["read_file"]
    assert [name for name in names if traits[name].confirm] == ["search_files"]
    save(alice, page)
    assert source(seeded_cast, "notes") == made
    with tenant_tx(seeded_cast.acme.id):
        ToolSource.objects.filter(name="notes").update(tool_rules={})
        write_exactly(live_release(organization_id=seeded_cast.acme.id).snapshot, None)
        assert ToolSource.objects.get(name="notes").tool_rules["read_file"] == {"danger": "dangerous", "confirm": False}


def source_tools(client: Client, page: str) -> list[str]:
    """The tools that the page's rules list."""
    return re.findall(r'<th scope="row">(\w+)</th>', client.get(page).content.decode())
