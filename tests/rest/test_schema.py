"""The schema and its page, and what is answered where there is no call."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unlimited")]


def test_the_schema_at_the_root_is_public_and_holds_what_a_token_may_call(cast: Cast) -> None:
    root = Client().get("/api/schema/").json()
    member = signed_in(cast.bob).get("/o/acme/api/schema/").json()
    assert root["openapi"].startswith("3.1")
    assert (root["servers"], member["servers"]) == ([{"url": "/"}], [{"url": "/o/acme"}])
    assert "/api/chat" in root["paths"]
    assert "/api/keys/" not in root["paths"]
    assert {*member["paths"]} - {*root["paths"]} >= {"/api/keys/", "/api/secrets/", "/api/tokens/"}
    assert [*root["components"]["securitySchemes"]] == ["token"]


def test_every_call_has_a_name_of_its_own_and_documents_its_errors(cast: Cast) -> None:
    paths = signed_in(cast.bob).get("/o/acme/api/schema/").json()["paths"]
    calls = [call for methods in paths.values() for call in methods.values()]
    names = [call["operationId"] for call in calls]
    assert len(names) == len(set(names))
    assert all({"401", "403", "404", "429"} <= {*call["responses"]} for call in calls)
    assert all(call["summary"] for call in calls)


def test_the_page_loads_nothing_from_elsewhere(cast: Cast) -> None:
    answer = signed_in(cast.bob).get("/o/acme/api/docs/")
    policy = answer.headers["Content-Security-Policy"]
    assert answer.status_code == 200
    assert "script-src 'self' 'nonce-" in policy
    assert "//" not in policy
    assert "http" not in answer.content.decode().replace("http-equiv", "")
    assert Client().get("/api/docs/").status_code == 200
    assert Client().get("/o/acme/api/docs/", headers={"Accept": "text/html"}).status_code == 302


@pytest.mark.parametrize(
    "path", ["/api/nothing/", "/o/acme/api/nothing/", "/o/acme/api/conversations/a%00b/", "/o/acme/api/conversations/ä/"]
)
def test_programs_get_json_where_there_is_nothing(cast: Cast, path: str) -> None:
    answer = signed_in(cast.bob).get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_what_is_too_large_or_no_json_is_refused_in_our_shape(cast: Cast) -> None:
    bob = signed_in(cast.bob)
    large = bob.post("/o/acme/api/conversations/", '{"title": "%s"}' % ("x" * 3_300_000), content_type="application/json")
    form = bob.post("/o/acme/api/conversations/", {"title": "Tea"})
    assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
    assert (form.status_code, form.json()["error"]["code"]) == (415, "unsupported_media")
