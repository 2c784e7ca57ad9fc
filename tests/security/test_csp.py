from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory
from pytest_django import Settings

from security.csp import POLICY_HEADER, ContentSecurityPolicyMiddleware
from tests.support.accounts.cast import Cast

Answer = Callable[[HttpRequest], HttpResponse]


def respond(path: str, answer: Answer = lambda request: HttpResponse("<p>")) -> HttpResponse:
    response = ContentSecurityPolicyMiddleware(answer)(RequestFactory().get(path))
    assert isinstance(response, HttpResponse)
    return response


def directives(response: HttpResponseBase) -> dict[str, set[str]]:
    parts = [part.split() for part in response[POLICY_HEADER].split(";")]
    assert len({part[0] for part in parts}) == len(parts)
    return {name: set(sources) for name, *sources in parts}


@pytest.mark.parametrize("path", ["/o/acme/", "/o/acme/c/1/", "/login/", "/o/acme/administration/", "/o/acme/c/admin/", "/operators/"])
def test_pages_run_only_our_own_scripts_and_trusted_types(path: str) -> None:
    policy = directives(respond(path))
    nonce = next(source for source in policy["script-src"] if source.startswith("'nonce-"))
    assert policy == {
        "default-src": {"'none'"},
        "script-src": {"'self'", nonce},
        "style-src": {"'self'", nonce},
        "img-src": {"'self'", "data:", "blob:"},
        "font-src": {"'self'"},
        "connect-src": {"'self'"},
        "frame-src": {"'self'"},
        "worker-src": {"'self'"},
        "media-src": {"'self'", "blob:"},
        "form-action": {"'self'"},
        "base-uri": {"'none'"},
        "object-src": {"'none'"},
        "frame-ancestors": {"'none'"},
        "require-trusted-types-for": {"'script'"},
        "trusted-types": {"app"},
    }


@pytest.mark.parametrize("path", ["/o/acme/admin/", "/o/acme/admin/admin_config/agentconfig/", "/operator/", "/operator/login/"])
def test_the_admin_differs_in_trusted_types_only(path: str) -> None:
    page, admin = directives(respond("/o/acme/")), directives(respond(path))
    assert page.keys() - admin.keys() == {"require-trusted-types-for", "trusted-types"}
    for policy in (page, admin):
        assert policy.pop("script-src") == policy.pop("style-src")  # the nonce of the response
    assert admin.items() <= page.items()


def test_each_response_has_its_own_nonce_and_the_view_knows_it() -> None:
    def page(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.csp_nonce)  # type: ignore[attr-defined]

    first, second = respond("/", page), respond("/", page)
    for response in (first, second):
        assert f"'nonce-{response.content.decode()}'" in directives(response)["script-src"]
    assert first.content != second.content
    assert re.fullmatch(rb"[\w-]{22}", first.content)


@pytest.mark.parametrize(
    "answer",
    [JsonResponse({}), HttpResponse("<svg>", content_type="image/svg+xml"), HttpResponse("x", content_type="text/plain")],
)
def test_what_is_no_page_loads_nothing(answer: HttpResponse) -> None:
    assert respond("/o/acme/api/", lambda request: answer)[POLICY_HEADER] == "default-src 'none'; frame-ancestors 'none'"


def test_a_frame_keeps_its_own_policy_and_files_of_workers_have_none() -> None:
    response = respond("/sandbox/", lambda request: HttpResponse("<p>", headers={POLICY_HEADER: "sandbox allow-scripts"}))
    assert response[POLICY_HEADER] == "sandbox allow-scripts"
    assert "X-Frame-Options" not in response
    assert POLICY_HEADER not in respond("/static/worker.js", lambda request: HttpResponse("", content_type="text/javascript"))


def test_an_error_page_among_the_files_has_the_policy_of_a_page(client: Client, db: None) -> None:
    missing = client.get("/static/css/missing.css")
    assert missing.status_code == 404
    assert directives(missing).keys() == directives(respond("/")).keys()
    assert missing["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(("path", "content_type"), [("/livez", "application/json"), ("/no/such/page/", "text/html")])
def test_what_a_signed_in_person_reads_is_kept_nowhere(path: str, content_type: str, client: Client, cast: Cast) -> None:
    assert "Cache-Control" not in client.get(path)
    client.force_login(cast.bob)
    response = client.get(path)
    assert response["Content-Type"].startswith(content_type)
    assert response["Cache-Control"] == "private, no-store"
    assert "no-store" not in client.get("/static/css/pages.css")["Cache-Control"]


def test_a_response_may_set_its_own_caching(settings: Settings) -> None:
    def stream(request: HttpRequest) -> HttpResponse:
        return HttpResponse("data: x", headers={"Cache-Control": "no-cache"})

    request = RequestFactory(headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}=x"}).get("/")
    assert ContentSecurityPolicyMiddleware(stream)(request)["Cache-Control"] == "no-cache"  # type: ignore[index]


def test_every_response_has_the_other_headers() -> None:
    for response in (respond("/"), respond("/static/app.js"), respond("/o/acme/admin/"), respond("/", lambda request: JsonResponse({}))):
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Referrer-Policy"] == "same-origin"
        assert response["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in response["Permissions-Policy"]
    assert respond("/")["X-Frame-Options"] == "DENY"


def test_the_policy_is_set_on_async_requests() -> None:
    async def page(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.csp_nonce)  # type: ignore[attr-defined]

    middleware = ContentSecurityPolicyMiddleware(page)
    assert iscoroutinefunction(middleware)

    async def respond_async() -> HttpResponse:
        pending = middleware(RequestFactory().get("/"))
        assert not isinstance(pending, HttpResponseBase)
        response = await pending
        assert isinstance(response, HttpResponse)
        return response

    response = asyncio.run(respond_async())
    assert f"'nonce-{response.content.decode()}'" in response[POLICY_HEADER]
