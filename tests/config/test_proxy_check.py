"""What doctor learns of the proxy in front: only doctor is told, and each mistake has its advice."""

from __future__ import annotations

import httpx2
import pytest
from django.test import Client
from pytest_django import Settings

from config.doctor import proxy
from config.doctor.proxy import FORGED, proxy_findings, seen_findings
from config.pages.proxy_check import HEADER, check_token


def test_only_doctor_is_told_what_arrived(db: None) -> None:
    assert Client().get("/proxy-check").status_code == 404
    assert Client().get("/proxy-check", headers={HEADER: "guessed"}).status_code == 404
    response = Client(REMOTE_ADDR="192.0.2.1").get("/proxy-check", headers={HEADER: check_token(), "X-Forwarded-For": "198.51.100.9"})
    assert response.json() == {"client": "192.0.2.1", "forwarded_for": "198.51.100.9", "forwarded_proto": "", "is_secure": False}


@pytest.mark.parametrize(
    ("client", "forwarded_for", "is_secure", "level", "says"),
    [
        ("192.0.2.1", "192.0.2.1", True, "ok", "this machine is 192.0.2.1"),
        ("192.0.2.1", "192.0.2.1", False, "error", "X-Forwarded-Proto: https does not arrive"),
        (FORGED, FORGED, True, "error", "can choose the address"),
        ("10.0.0.5", "", True, "warning", "No X-Forwarded-For arrives"),
        ("10.0.0.5", "192.0.2.1", True, "warning", "Name 10.0.0.5 in FORWARDED_ALLOW_IPS"),
        ("192.0.2.1", f"{FORGED}, 192.0.2.1", True, "warning", "passes on the X-Forwarded-For that clients send"),
    ],
)
def test_each_mistake_of_a_proxy_is_named(client: str, forwarded_for: str, is_secure: bool, level: str, says: str) -> None:
    [finding] = seen_findings({"client": client, "forwarded_for": forwarded_for, "is_secure": is_secure})
    assert finding.level == level
    assert says in f"{finding.text} {finding.advice}"


def test_a_page_of_something_else_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUBLIC_URL = "https://chat.example.org"
    monkeypatch.setattr(proxy, "_ask", lambda: httpx2.Response(200, text="<html>It works!</html>"))
    [finding] = proxy_findings()
    assert (finding.level, finding.text.startswith("Something else answers")) == ("error", True)
