"""The body that an HTTP tool sends, edited in rows or as JSON."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from admin_config.services.changes.diff import release_diff
from agents.tools.http.settings import HttpSettings
from tests.admin_config.pages import FormValue, errors, form_values, save, send_each
from tests.admin_config.tools.tool_sources import ADD, ORDERS, live, page_of, source
from tests.support.accounts.cast import Cast

WRONG_ROWS = [
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
]


class TestBody:
    def body(self, cast: Cast) -> Any:
        return HttpSettings.model_validate(source(cast).settings).body

    def rows(self, *rows: tuple[str, str, str, str]) -> dict[str, FormValue]:
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
        values = form_values(alice.get(page))
        assert json.loads(values["body"]) == body
        assert values["body-name"] == list(body)
        assert values["body-kind"] == ["argument", "text", "text", "number", "no", "yes", "json"]
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
        changes: dict[str, FormValue] = {"body-value": values, "body-kind": kinds}
        assert save(alice, page, **changes).status_code == 302
        assert self.body(seeded_cast) == {**body, "none": "{number}"}
        names[names.index("deep")] = "deeper"
        assert save(alice, page, **{"body-name": names}).status_code == 302
        assert self.body(seeded_cast)["deeper"] == body["deep"]
        empty_row: dict[str, FormValue] = {"body-name": "", "body-former": "", "body-value": "", "body-kind": "text", "body": ""}
        assert save(alice, page, **{**empty_row, "body-shown": ""}).status_code == 302
        assert self.body(seeded_cast) == {}

    def test_wrong_rows_are_refused_and_kept(self, alice: Client, seeded_cast: Cast) -> None:
        tries = ({**ORDERS, "method": "POST", **self.rows(row)} for row, _ in WRONG_ROWS)
        for (row, text), response in zip(WRONG_ROWS, send_each(alice, ADD, tries), strict=True):
            assert text in str(errors(response)["body"]), row
            assert not row[2] or f'value="{row[2]}"' in response.content.decode(), "nothing that was typed is lost"

    def test_rows_and_json_are_not_changed_at_once(self, alice: Client) -> None:
        response = save(alice, ADD, **ORDERS, method="POST", body='{"b": 1}', **self.rows(("", "a", "1", "number")))
        assert "not both at once" in str(errors(response)["body"])
        assert "The body must be a JSON object" in str(errors(save(alice, ADD, **ORDERS, method="POST", body="[1]"))["body"])
        twice = save(alice, ADD, **ORDERS, method="POST", body='{"a": {"b": 1, "b": 2}}')
        assert "b: each name may stand once." in str(errors(twice)["body"])

    def test_a_release_shows_the_order_of_fields_and_a_text_that_becomes_a_number(self, alice: Client, seeded_cast: Cast) -> None:
        save(alice, ADD, **ORDERS, method="POST", **self.rows(("", "amount", "12", "text"), ("", "q", "{number}", "argument")))
        before = live(seeded_cast)
        save(alice, page_of(seeded_cast), **{"body-kind": ["number", "argument"]})
        [change] = release_diff(before, live(seeded_cast))
        assert change.where == ("tool sources", "orders", "settings", "body")
        diff_lines = [(line.kind, line.text) for line in change.lines]
        assert diff_lines == [
            ("same", "{"),
            ("removed", '  "amount": "12",'),
            ("added", '  "amount": 12,'),
            ("same", '  "q": "{number}"'),
            ("same", "}"),
        ]
