from __future__ import annotations

import pytest
from pytest_django import Settings

from security.egress import EgressRefused, check_url, origin_of


@pytest.fixture(autouse=True)
def operator(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset({("models.internal", 8443), ("10.1.2.3", 80), ("::1", 9000)})
    settings.DEMO_PROVIDER_URL = "http://127.0.0.1:8099"
    settings.PUBLIC_URL, settings.FILES_URL = "https://chat.example", "https://files.example:8443"
    settings.OWN_ADDRESSES = frozenset({"203.0.114.0/28", "2606:4700::99", "proxy.example"})


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com:443"),
        ("https://API.Example/v1/", "https://api.example:443"),
        ("http://api.example:80/", "http://api.example:80"),
        ("http://api.example:443/", "http://api.example:443"),
        ("https://bücher.example", "https://xn--bcher-kva.example:443"),
        ("https://models.internal:8443/v1", "https://models.internal:8443"),
        ("http://10.1.2.3", "http://10.1.2.3:80"),
        ("http://[::1]:9000/", "http://[::1]:9000"),
        ("http://127.0.0.1:8099", "http://127.0.0.1:8099"),
        ("https://8.8.8.8/", "https://8.8.8.8:443"),
        ("https://internal.example/", "https://internal.example:443"),
        (f"https://{'a' * 63}.example/", f"https://{'a' * 63}.example:443"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]:443"),
    ],
)
def test_an_allowed_address_has_one_origin(url: str, origin: str) -> None:
    check_url(url)
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example",
        "//api.example",
        "ftp://api.example",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http:///path",
        "http:api.example",
        " https://api.example",
        "https://user@api.example",
        "https://user:password@api.example",
        "https://api.example\\@other.example/",
        "https://api.example:8443",
        "https://models.internal:8444",
        "https://other.internal:8443",
        "https://api.example:0",
        "https://api.example:99999",
        "https://api.exa mple",
        "https://api.exa\tmple",
        "https://api.ex%61mple",
        "https://api.example|x",
        "https://-api.example",
        "https://.",
        "https://\N{FULLWIDTH DIGIT ONE}27.0.0.1",
        "http://127.0.0.1",
        "http://127.0.0.1:8098",
        "http://127.0.0.1.",
        "http://127.1",
        "http://2130706433",
        "http://017700000001",
        "http://0x7f000001",
        "http://0x7f.0.0.1",
        "http://0177.0.0.1",
        "http://169.254.169.254/latest/meta-data",
        "http://10.1.2.4",
        "http://[::1]",
        "http://[::]",
        "http://[::ffff:127.0.0.1]",
        "http://[64:ff9b::7f00:1]",
        "http://[2002:7f00:1::1]",
        "http://[fe80::1%25eth0]",
        "http://[fd00::1]",
        "http://[::1",
        "https://chat.example",
        "https://CHAT.example./",
        "http://files.example",
        "https://203.0.114.9",
        "https://[2606:4700::99]",
        "https://[::ffff:203.0.114.9]",
        "https://proxy.example",
        "https://metadata.google.internal/computeMetadata/v1/",
        "https://metadata.tencentyun.com",
        "https://intranet",
        "https://localhost",
        "https://printer.local.",
        "https://wiki.corp",
        "https://nas.home.arpa",
        "https://router.lan",
        "https://expyuzz4wqqyqhjn.onion",
        "https://api.default.svc",
        "https://api.svc.cluster.local",
        "https://api.example:\N{FULLWIDTH DIGIT FOUR}43",
        "https://api.example:\N{ARABIC-INDIC DIGIT FOUR}43",
        "https://8.8.8.\N{FULLWIDTH DIGIT EIGHT}",
        "https://8\N{IDEOGRAPHIC FULL STOP}8\N{IDEOGRAPHIC FULL STOP}8\N{IDEOGRAPHIC FULL STOP}8",
        "https://api\N{FULLWIDTH FULL STOP}example",
        "https://\N{FULLWIDTH LATIN SMALL LETTER A}pi.example",
        "https://api..example",
        f"https://{'a' * 64}.example",
        f"https://{'a.' * 127}example",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(EgressRefused):
        check_url(url)


@pytest.mark.parametrize("url", ["https://api.example/?key=1", "https://api.example/#part"])
def test_a_base_address_has_no_query_and_no_fragment(url: str) -> None:
    assert origin_of(url) == "https://api.example:443"
    with pytest.raises(EgressRefused):
        check_url(url)


def test_what_the_operator_allows_may_be_an_own_or_internal_name(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset({("ollama", 11434), ("chat.example", 443)})
    assert origin_of("http://ollama:11434/v1") == "http://ollama:11434"
    assert origin_of("https://chat.example") == "https://chat.example:443"
    with pytest.raises(EgressRefused):
        check_url("http://ollama")


def test_a_refusal_does_not_repeat_the_address(settings: Settings) -> None:
    with pytest.raises(EgressRefused) as refusal:
        check_url("https://user:hunter2@api.example/private?token=abc")
    assert "hunter2" not in str(refusal.value)
    assert "abc" not in str(refusal.value)
