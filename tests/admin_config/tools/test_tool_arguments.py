"""The arguments of an HTTP tool, edited in rows or as a JSON schema."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from admin_config.models import ToolSource
from admin_config.validation.json_key_order import schema_of
from agents.tools.http.settings import HttpSettings
from tenants.context import tenant_tx
from tests.admin_config.pages import errors, form_values, save, send_each
from tests.admin_config.tools.tool_sources import ADD, ORDERS, live, page_of, source
from tests.support.accounts.cast import Cast

# What is typed, and the problem beside it.
WRONG: list[tuple[dict[str, str | list[str]], str]] = [
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
]


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
        new_schema = {"type": "object", "properties": {"order": number, "box": box}, "required": ["order"], "additionalProperties": False}
        assert save(alice, page_of(seeded_cast), url="https://shop.example/{order}", **names).status_code == 302
        assert self.settings(seeded_cast) == new_schema

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
        values = form_values(alice.get(page))
        types = [
            "integer" if name == "number" else kind
            for name, kind in zip(values["input_schema-name"], values["input_schema-type"], strict=True)
        ]
        assert save(alice, page, **self.row(type=types)).status_code == 302
        new_schema: dict[str, Any] = self.settings(seeded_cast)
        assert new_schema["properties"] == {"number": {"type": "integer"}, **others}
        assert sorted(new_schema["required"]) == sorted(required)

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
        new_schema = {"type": "object", "properties": {name: {"type": "string"} for name in ("warehouse", "day", "number")}}
        assert save(alice, page, input_schema=json.dumps(new_schema)).status_code == 302
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

    def test_wrong_rows_are_refused_and_kept(self, alice: Client, seeded_cast: Cast) -> None:
        save(alice, ADD, **ORDERS)
        for (parts, text), response in zip(
            WRONG, send_each(alice, page_of(seeded_cast), map(self.entered, (parts for parts, _ in WRONG))), strict=True
        ):
            [[name, [problem]]] = errors(response).items()
            assert name == "input_schema"
            assert text in problem
            assert all(f'value="{value}"' in response.content.decode() for value in parts.get("name", []) if value)

    def entered(self, parts: dict[str, str | list[str]]) -> dict[str, str | list[str]]:
        """What is typed: one more row, a whole schema, or both."""
        blank = {
            "former": ["number", ""],
            "type": ["string", "string"],
            "required": ["no", "yes"],
            "description": ["", ""],
            "choices": ["", ""],
        }
        whole = {"input_schema": parts["json"]} if "json" in parts else {}
        return {**(self.row(**(blank | parts)) if "name" in parts else {}), **whole}
