"""A placeholder stands for a registered secret that this tool may send to this address; any other is refused."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from admin_config.models import ToolSource
from admin_config.services.drafts.draft import draft_load, draft_problems
from security.models import RegisteredSecret
from security.secrets.registered_secrets import registered_secret_delete, registered_secret_save
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, FormValue, Page, errors, save
from tests.support.accounts.cast import Cast

ADD = f"{ACME}admin_config/toolsource/add/?kind=http"
ORIGIN = "https://shop.example:443"


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """An owner of an organization with secrets for tools named orders, at two addresses, and for another tool."""
    with tenant_tx(seeded_cast.acme.id):
        for name, tool, url in (
            ("shop", "orders", "https://shop.example"),
            ("elsewhere", "orders", "https://elsewhere.example"),
            ("weather", "weather", "https://shop.example"),
        ):
            registered_secret_save(registered=RegisteredSecret(name=name, tool=tool), value=f"value-of-{name}", url=url)
    with tenant_tx(seeded_cast.other.id):
        foreign = RegisteredSecret(name="theirs", tool="orders")
        registered_secret_save(registered=foreign, value="value-of-theirs", url="https://shop.example")
    return signed_in(seeded_cast.alice)


def add(client: Client, header: str, **changes: str) -> Page:
    fields = {"name": "orders", "description": "Looks up an order.", "url": "https://shop.example/orders", **changes}
    row: dict[str, FormValue] = {"headers-name": ["X-Key"], "headers-value": [header]}
    return save(client, ADD, **row, **fields)


@pytest.mark.parametrize("header", ["{{secret:shop}}", "Bearer {{secret:shop}}", "{{secret:my.own}}", "no placeholder", "{secret}"])
def test_a_placeholder_of_a_secret_of_this_tool_and_address_is_saved(alice: Client, header: str) -> None:
    assert add(alice, header).status_code == 302


@pytest.mark.parametrize("name", ["nope", "elsewhere", "weather", "theirs", "Shop", "my.", " shop"])
def test_any_other_is_refused_at_its_field_with_the_names_that_exist(alice: Client, seeded_cast: Cast, name: str) -> None:
    text = f"{{{{secret:{name}}}}}"
    assert errors(add(alice, text)) == {"headers": [f"{text}: orders may use no such secret at {ORIGIN}. There is: shop."]}
    with tenant_tx(seeded_cast.acme.id):
        assert not ToolSource.objects.filter(name="orders").exists()


def test_the_body_is_checked_too_and_a_tool_without_secrets_is_told_so(alice: Client) -> None:
    body = json.dumps({"key": ["{{secret:nope}}"]})
    field_errors = errors(add(alice, "x", name="bills", method="POST", body=body))
    assert list(field_errors) == ["body"]
    assert field_errors["body"][0].endswith("There is none. Register one under Secrets, with the name of this tool and this address.")


def test_a_secret_that_is_gone_is_noticed_when_publishing(alice: Client, seeded_cast: Cast) -> None:
    add(alice, "{{secret:shop}}")
    with tenant_tx(seeded_cast.acme.id):
        assert draft_problems(draft_load()) == []
        registered_secret_delete(registered=RegisteredSecret.objects.get(name="shop"))
        [problem] = draft_problems(draft_load())
        assert (problem.row_id, problem.field) == (ToolSource.objects.get(name="orders").id, "headers")
        assert problem.text.startswith("orders (HTTP endpoint), headers: {{secret:shop}}: orders may use no such secret")
        ToolSource.objects.filter(name="orders").update(is_enabled=False)
        assert draft_problems(draft_load()) == []
