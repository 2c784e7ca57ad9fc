"""Parley behind the proxies of the distribution, with the samples of deploy/: pages, streams, sockets, the client's address, long bodies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest

from doubles.script import Answer, Pacing, Text
from tests.deploy.hosts.proxies import caddy, make_certificate, nginx
from tests.deploy.visitor import Visitor
from tests.support.system.product import Product, product
from tests.system.client import DEMO_OWNER
from tests.system.test_doctor import doctor
from tools.embedded import ports

WORDS = " ".join(f"word{number}" for number in range(40))
PROXIES = {"nginx": nginx, "caddy": caddy}
PACE = Pacing(tokens_per_s=20)  # two seconds and more


@contextmanager
def behind(kind: str, folder: Path) -> Iterator[tuple[Product, Visitor, int]]:
    """The product behind the proxy, its visitor, and the proxy's port without TLS."""
    port, plain_port = ports.free_port(), ports.free_port()
    certificate, url = make_certificate(folder, "localhost"), f"https://localhost:{port}"
    with product(folder / "data", PUBLIC_URL=url, FILES_URL="", FORWARDED_ALLOW_IPS="127.0.0.1") as running:
        running.double.respond(lambda request: Answer((Text(WORDS),), PACE))
        upstream = running.stack.url.removeprefix("http://").rstrip("/")
        with PROXIES[kind](folder, port=port, plain_port=plain_port, upstream=upstream):
            yield running, Visitor(url, certificate, *DEMO_OWNER, "demo"), plain_port


def addresses(running: Product) -> set[str]:
    """Which addresses the audit log has of those who signed in."""
    with psycopg.connect(running.env["DATABASE_SYSTEM_URL"]) as connection:
        return {str(address) for (address,) in connection.execute("select address from security_auditevent where address <> ''")}


@pytest.mark.parametrize("kind", PROXIES)
def test_pages_streams_and_sockets_pass_and_a_forged_address_does_not(kind: str, django_db_setup: None, tmp_path: Path) -> None:
    with behind(kind, tmp_path) as (running, visitor, plain_port):
        page = visitor.page()
        assert page.status_code == 200
        assert page.headers["content-encoding"] == "gzip"  # Parley's own
        assert "max-age" in page.headers["strict-transport-security"]
        for answer in (visitor.ask_by_events("Say some words"), visitor.ask_by_socket("Say some words")):
            assert answer.text == WORDS
            assert answer.spread_s > 1, "the proxy kept the answer until it was whole"
        assert visitor.http.post("/login/", content=b"x" * 23_000_000).status_code == 413
        findings = doctor(0, **{**running.env, "SSL_CERT_FILE": str(tmp_path / "fullchain.pem")})
        assert findings["ok", "proxy"] == "It passes on scheme, host and address: this machine is 127.0.0.1. "
        assert addresses(running) == {"127.0.0.0/24"}  # as organizations keep them; not FORGED_ADDRESS
        if kind == "nginx":
            redirect = httpx2.get(f"http://localhost:{plain_port}/o/demo/", trust_env=False)
            assert redirect.status_code == 301
            assert redirect.headers["location"].startswith("https://")
