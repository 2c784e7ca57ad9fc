"""The headers of each class of page, as a browser gets them from the whole application."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization
from tests.support.files.documents import PNG

NO_SNIFF, SAME_ORIGIN = "nosniff", "same-origin"
EVERYWHERE = {"X-Content-Type-Options": NO_SNIFF, "Referrer-Policy": SAME_ORIGIN, "Cross-Origin-Opener-Policy": SAME_ORIGIN}
PRIVATE = {"Cache-Control": "private, no-store"}
NEVER_CACHED = "max-age=0, no-cache, no-store, must-revalidate, private"  # Django's own
PAGE = r"default-src 'none'; script-src 'self' 'nonce-[\w-]{22}'; .*frame-ancestors 'none'; require-trusted-types-for 'script'; .*"
ADMIN = r"default-src 'none'; script-src 'self' 'nonce-[\w-]{22}'; .*form-action 'self'; base-uri 'none'; .*frame-ancestors 'none'"
NOTHING = r"default-src 'none'; frame-ancestors 'none'"
FRAME = r"(?=.*default-src 'none')(?=.*sandbox allow-scripts)(?!.*allow-same-origin)(?!.*https?://(?!testserver/static/)).*"

# path, whether signed in, status, policy (None: there is none), other headers
CLASSES: dict[str, tuple[str, bool, int, str | None, dict[str, str]]] = {
    "chat": ("/o/acme/", True, 200, PAGE, {**PRIVATE, "X-Frame-Options": "DENY"}),
    "admin": ("/o/acme/admin/", True, 200, ADMIN, {"Cache-Control": NEVER_CACHED, "X-Frame-Options": "DENY"}),
    "API": ("/o/acme/api/conversations/", True, 200, NOTHING, {**PRIVATE, "X-Frame-Options": "DENY"}),
    "API refusal": ("/o/acme/api/conversations/", False, 401, NOTHING, {"X-Frame-Options": "DENY"}),
    "API documentation": ("/api/docs/", False, 200, ADMIN, {"X-Frame-Options": "DENY"}),
    "sandbox": ("/sandbox/python/", False, 200, FRAME, {}),
    "sandbox of diagrams": ("/sandbox/mermaid/", False, 200, FRAME, {}),
    "not found": ("/no/such/page/", False, 404, PAGE, {"X-Frame-Options": "DENY"}),
    "foreign organization": ("/o/other/", True, 404, PAGE, {**PRIVATE, "X-Frame-Options": "DENY"}),
    "sign-in": ("/login/", False, 200, PAGE, {"X-Frame-Options": "DENY"}),
    "static": ("/static/css/pages.css", False, 200, None, {}),
    "health": ("/livez", False, 200, NOTHING, {"X-Frame-Options": "DENY"}),
    "security.txt": ("/.well-known/security.txt", False, 200, NOTHING, {"X-Frame-Options": "DENY"}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", CLASSES)
def test_each_class_of_page_has_its_headers(cast: Cast, settings: Settings, kind: str) -> None:
    settings.SECURITY_CONTACT = "mailto:security@chat.example"
    path, is_signed_in, status, policy, headers = CLASSES[kind]
    if kind == "admin":
        with tenant_tx(cast.acme.pk):
            seed_organization(cast.acme)
    client = Client(headers={"Accept": "application/json" if kind.startswith("API ref") else "text/html"})
    if is_signed_in:
        client.force_login(cast.alice)
    response: Any = client.get(path)
    assert response.status_code == status
    response_headers = {name: response.headers.get(name) for name in (EVERYWHERE | headers)}
    assert response_headers == EVERYWHERE | headers
    assert "camera=()" in response.headers["Permissions-Policy"]
    assert f"microphone={'(self)' if kind == 'chat' else '()'}," in response.headers["Permissions-Policy"]
    csp = response.headers.get("Content-Security-Policy")
    assert csp == policy if policy is None else re.fullmatch(policy, csp), csp
    assert "unsafe-eval" not in (csp or "") or kind == "sandbox"
    assert not {"Server", "X-Powered-By", "Access-Control-Allow-Origin"} & set(response.headers) or kind == "static"


@pytest.mark.django_db
def test_a_file_is_an_attachment_that_can_do_nothing(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.alice)
    file = client.post("/o/acme/api/files/", {"file": SimpleUploadedFile("a.png", PNG)}).json()
    response: Any = client.get(file["url"])
    assert response.status_code == 200
    assert {name: response.headers[name] for name in EVERYWHERE} == EVERYWHERE
    assert "sandbox" in response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.django_db
def test_over_https_browsers_stay_there(cast: Cast, settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_SSL_REDIRECT = 365 * 24 * 3600, True
    assert Client().get("/login/").headers["Location"].startswith("https://")
    assert "max-age=31536000" in Client().get("/login/", secure=True).headers["Strict-Transport-Security"]


def test_security_txt_says_whom_to_tell(client: Client, settings: Settings) -> None:
    settings.SECURITY_CONTACT = ""
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.SECURITY_CONTACT, settings.SECURITY_POLICY_URL = "mailto:security@chat.example", "https://chat.example/policy"
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert (fields["Contact"], fields["Policy"]) == ("mailto:security@chat.example", "https://chat.example/policy")
    assert fields["Canonical"] == f"{settings.PUBLIC_URL}/.well-known/security.txt"
    assert timedelta(days=90) < datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC) < timedelta(days=365)
