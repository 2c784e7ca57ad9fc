"""HTTP tools made of an OpenAPI document: what is found is shown, ticked operations become sources, bad documents are refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from admin_config.models import ToolSource
from admin_config.services.selectors import live_release
from security.models import AuditEvent
from tenants.context import tenant_tx
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

PAGE = f"{ACME}admin_config/toolsource/openapi/"
SHOP: dict[str, Any] = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://{place}.shop.example/v2/", "variables": {"place": {"default": "api"}}}],
    "paths": {
        "/orders/{order-id}": {
            "parameters": [{"$ref": "#/components/parameters/OrderId"}],
            "get": {
                "operationId": "getOrder",
                "summary": "Looks up an order.",
                "parameters": [{"name": "expand", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}],
            },
            "delete": {"summary": "Cancels it.", "parameters": [{"name": "X-Why", "in": "header", "required": True}]},
        },
        "/orders": {
            "post": {
                "operationId": "createOrder",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                },
            },
            "patch": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "https://evil.example/o.json"}}}}},
        },
    },
    "components": {
        "parameters": {
            "OrderId": {"name": "order-id", "in": "path", "required": True, "schema": {"type": "string"}, "description": "Its number."}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["tea"],
                "properties": {
                    "tea": {"type": "string", "nullable": True, "example": "Sencha"},
                    "grams": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 1.7976931348623157e308},
                    "parent": {"$ref": "#/components/schemas/Order"},
                },
            }
        },
        "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
    },
}


def test_ticked_operations_become_tools_of_a_release(alice: Client, seeded_cast: Cast) -> None:
    document = yaml.safe_dump(SHOP, sort_keys=False)
    file = SimpleUploadedFile("shop.yaml", document.encode())
    preview = alice.post(PAGE, {"file": file}).content.decode()
    for text in ("get_order", "create_order", "order_id, expand", "https://evil.example/o.json", "It needs X-Why in a header", "Bearer"):
        assert text in preview
    form = {
        "document": document,
        "base_url": "",
        "import": "1",
        "operation": ["GET /orders/{order-id}", "POST /orders", "PATCH /orders"],
        "ask": ["POST /orders"],
        "secret_header": "Authorization",
        "secret_prefix": "Bearer",
        "new_secret": "key-NeverShownAgain-wxyz",
    }
    import_html = alice.post(PAGE, form, follow=True).content.decode()
    assert "2 tools imported." in import_html
    assert "key-NeverShownAgain" not in import_html
    with tenant_tx(seeded_cast.acme.id):
        sources = {one.name: one for one in live_release(organization_id=seeded_cast.acme.id).snapshot.tool_sources if one.kind == "http"}
        operations = {event.object_label: event.detail["operation"] for event in AuditEvent.objects.filter(action="tool_source.import")}
        assert operations == {"get_order": "GET /orders/{order-id}", "create_order": "POST /orders"}
    get, create = sources["get_order"], sources["create_order"]
    assert (get.settings["url"], get.settings["query"]) == ("https://api.shop.example/v2/orders/{order_id}", {"expand": "{expand}"})
    assert get.settings["input_schema"]["required"] == ["order_id"]
    assert get.settings["input_schema"]["properties"]["order_id"] == {"type": "string", "description": "Its number."}
    assert (get.confirm, create.confirm) == (False, True)
    assert create.secret_id is not None
    assert create.settings["body"] == {"tea": "{tea}", "grams": "{grams}", "parent": "{parent}"}
    schema = create.settings["input_schema"]
    assert (schema["properties"]["tea"], schema["properties"]["grams"]) == (
        {"type": ["string", "null"]},
        {"type": "integer", "exclusiveMinimum": 0},
    )
    assert schema["required"] == ["tea"]
    teas = json.dumps(
        {"openapi": "3.1.0", "servers": [{"url": "https://teas.example"}], "paths": {"/teas": {"get": {"operationId": "listTeas"}}}}
    )
    later = {
        "document": teas,
        "import": "1",
        "operation": ["GET /teas"],
        "secret_header": "X-Key",
        "secret_prefix": "Key",
        "new_secret": "",
    }
    assert "1 tool imported." in alice.post(PAGE, {"base_url": "", **later}, follow=True).content.decode()
    with tenant_tx(seeded_cast.acme.id):
        source = ToolSource.objects.get(name="list_teas")
        assert (source.settings["secret_header"], source.settings["secret_prefix"], source.secret_id) == ("X-Key", "Key", None)
    again = alice.post(PAGE, {"document": document}).content.decode()
    assert again.count("A tool with this name already exists.") == 2


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("", "Choose a file, or paste the document."),
        ('{"openapi": "3.1.0",', "Not valid JSON: line 1, column"),
        ("openapi: [3", "Not valid YAML: line 1."),
        ("a: &x 1\nb: *x", "YAML&#x27;s references"),
        pytest.param("[" * 500_000, "nested too deeply", id="deep YAML, which took minutes"),
        ('{"swagger": "2.0", "paths": {"/a": {}}}', "Swagger 2"),
        ('{"openapi": "4.0.0", "paths": {"/a": {}}}', "no OpenAPI 3 document"),
        ('{"openapi": "3.1.0", "paths": {}}', "no “paths”"),
        ('{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}', "in a circle"),
        ('{"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}', "names no server"),
        ('{"openapi": "3.1.0", "servers": [{"url": "http://plain.example"}], "paths": {"/a": {"get": {}}}}', "must start with https://"),
        ("x" * (1024 * 1024 + 1), "larger than 1 MB"),
    ],
)
def test_a_bad_document_is_refused_in_words(alice: Client, document: str, problem: str) -> None:
    assert problem in alice.post(PAGE, {"document": document}).content.decode()


def test_a_secret_goes_to_one_host_and_nothing_is_made_in_part(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    two = {
        "openapi": "3.1.0",
        "paths": {
            "/a": {"get": {"operationId": "a"}, "servers": [{"url": "https://one.example"}]},
            "/b": {"get": {"operationId": "b"}, "servers": [{"url": "https://two.example"}]},
        },
    }
    form = {
        "document": json.dumps(two),
        "import": "1",
        "operation": ["GET /a", "GET /b"],
        "secret_header": "X-Key",
        "new_secret": "key-0123456789",
    }
    html = alice.post(PAGE, form).content.decode()
    assert "at several hosts" in html
    assert html.count(" checked") == 2, "what was ticked stays"
    assert "Choose at least one operation." in alice.post(PAGE, {**form, "operation": []}).content.decode()
    for person in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(person).get(PAGE).status_code == 404
    with tenant_tx(seeded_cast.acme.id):
        assert not ToolSource.objects.filter(kind="http").exists()
