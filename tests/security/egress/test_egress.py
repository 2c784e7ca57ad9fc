"""Connections of the shared client: which addresses they reach, and what they carry."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import tracemalloc
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from security.egress import EgressRefused, aclose_clients, checked_client
from security.egress.client import MAX_RESPONSE_BYTES, TIMEOUT, new_client
from security.egress.network import CheckedBackend, system_resolver
from security.egress.responses import BLOCK_BYTES, GZIP_WBITS, GzipReader
from tests.security.egress.fake_internet import PUBLIC_ADDRESS, FakeNetwork, answer, fake_internet


@pytest.fixture(autouse=True)
def no_exceptions(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset()
    settings.DEMO_PROVIDER_URL = ""


async def test_the_client_connects_to_the_address_it_checked() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(b"hello")
        assert (await world.client.get("http://page.example/")).text == "hello"
        assert world.wire.connections == [PUBLIC_ADDRESS]
        assert "host: page.example" in world.requests[0].lower()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1%eth0"]
)
async def test_a_name_that_leads_inside_is_refused(address: str) -> None:
    async with fake_internet({"page.example": [[address]]}) as world:
        with pytest.raises(EgressRefused):
            await world.client.get("http://page.example/")
        assert world.wire.connections == []


async def test_one_inside_address_among_public_ones_is_enough_to_refuse() -> None:
    async with fake_internet({"page.example": [[PUBLIC_ADDRESS, "10.0.0.1"]]}) as world:
        with pytest.raises(EgressRefused):
            await world.client.get("http://page.example/")
        assert world.wire.connections == []


async def test_a_name_that_changes_after_the_check_gains_nothing() -> None:
    async with fake_internet({"page.example": [[PUBLIC_ADDRESS], ["127.0.0.1"]]}) as world:
        world.pages["/"] = answer(b"hello", connection="close")
        await world.client.get("http://page.example/")
        assert (world.names.lookups, world.wire.connections) == (["page.example"], [PUBLIC_ADDRESS])
        with pytest.raises(EgressRefused):
            await world.client.get("http://page.example/")
        assert world.wire.connections == [PUBLIC_ADDRESS]


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "017700000001", "127.0.0.1", "[::ffff:127.0.0.1]", "localhost"])
async def test_spellings_of_this_machine_are_refused(host: str) -> None:
    wire = FakeNetwork(0)
    async with new_client(CheckedBackend(resolve=system_resolver, network=wire), ssl_context=ssl.create_default_context()) as client:
        with pytest.raises(EgressRefused):
            await client.get(f"http://{host}/")
    assert wire.connections == []


@pytest.mark.parametrize("name", ["127.1", "2130706433", "0x7f000001", "017700000001"])
async def test_the_resolver_may_read_odd_spellings_and_the_address_still_counts(name: str) -> None:
    backend = CheckedBackend(resolve=system_resolver, network=FakeNetwork(0))
    with pytest.raises(EgressRefused):
        await backend.connect_tcp(name, 80)


@pytest.mark.parametrize(
    "url", ["http://page.example:8080/", "http://me:key@page.example/", "ftp://page.example/"], ids=["port", "user", "scheme"]
)
async def test_the_client_refuses_what_a_form_refuses(url: str) -> None:
    async with fake_internet() as world:
        with pytest.raises((EgressRefused, httpx2.UnsupportedProtocol)):
            await world.client.get(url)
        assert world.names.lookups == []


async def test_the_operator_can_allow_an_inside_address(settings: Settings) -> None:
    settings.EGRESS_ALLOW = frozenset({("models.internal", 8443)})
    async with fake_internet({"models.internal": [["10.0.0.7"]]}) as world:
        world.pages["/"] = answer(b"model")
        assert (await world.client.get("http://models.internal:8443/")).text == "model"
        with pytest.raises(EgressRefused):
            await world.client.get("http://models.internal/")


async def test_the_demo_provider_is_reachable(settings: Settings) -> None:
    settings.DEMO_PROVIDER_URL = "http://127.0.0.1:8099"
    async with fake_internet({"127.0.0.1": [["127.0.0.1"]]}) as world:
        world.pages["/"] = answer(b"demo")
        assert (await world.client.get("http://127.0.0.1:8099/")).text == "demo"
        with pytest.raises(EgressRefused):
            await world.client.get("http://127.0.0.1:8098/")


async def test_the_next_address_is_tried_when_one_is_dead() -> None:
    async with fake_internet({"page.example": [["2606:4700::1", PUBLIC_ADDRESS]]}, dead=["2606:4700::1"]) as world:
        world.pages["/"] = answer(b"hello")
        await world.client.get("http://page.example/")
        assert world.wire.connections == ["2606:4700::1", PUBLIC_ADDRESS]


async def test_an_unknown_name_and_a_dead_server_are_network_errors() -> None:
    async with fake_internet(dead=[PUBLIC_ADDRESS]) as world:
        with pytest.raises(httpx2.ConnectError):
            await world.client.get("http://missing.example/")
        with pytest.raises(httpx2.ConnectError):
            await world.client.get("http://page.example/")


async def test_the_time_limit_covers_resolving() -> None:
    async def never(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with new_client(CheckedBackend(resolve=never), ssl_context=ssl.create_default_context()) as client:
        with pytest.raises(httpx2.ConnectTimeout):
            await client.get("http://page.example/", timeout=0.01)


async def test_a_caller_without_time_limits_gets_ours() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(b"hello")
        response = await world.client.get("http://page.example/", timeout=None)
        own = await world.client.get("http://page.example/", timeout=httpx2.Timeout(3.0, read=300.0))
    assert response.request.extensions["timeout"] == TIMEOUT.as_dict()
    assert own.request.extensions["timeout"] == {"connect": 3.0, "read": 300.0, "write": 3.0, "pool": 3.0}


async def test_environment_proxies_and_cookies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    async with fake_internet() as world:
        world.pages["/"] = answer(b"hello", set_cookie="session=1; Path=/")
        await world.client.get("http://page.example/")
        await world.client.get("http://page.example/")
        assert "cookie" not in world.requests[1].lower()


async def test_redirects_are_not_followed() -> None:
    async with fake_internet() as world:
        world.pages["/"] = answer(status="302 Found", location="http://127.0.0.1/")
        assert (await world.client.get("http://page.example/")).status_code == 302


async def test_packed_answers_are_unpacked_and_damaged_ones_fail() -> None:
    gzip_body = gzip.compress(b"hello" * 50_000)
    async with fake_internet() as world:
        world.pages["/"] = answer(gzip_body, content_encoding="gzip")
        world.pages["/cut"] = answer(gzip_body[:-9], content_encoding="gzip")
        world.pages["/bad"] = answer(b"no gzip at all", content_encoding="gzip")
        world.pages["/empty"] = answer(b"", content_encoding="gzip")
        world.pages["/none"] = b"HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n"
        world.pages["/br"] = answer(b"", content_encoding="br")
        world.pages["/twice"] = answer(gzip.compress(gzip_body), content_encoding="gzip, gzip")
        assert (await world.client.get("http://page.example/")).content == b"hello" * 50_000
        for path in ("/empty", "/none"):
            assert (await world.client.get(f"http://page.example{path}")).content == b""
        assert (await world.client.head("http://page.example/empty")).content == b""
        for path in ("/cut", "/bad"):
            with pytest.raises(httpx2.DecodingError):
                await world.client.get(f"http://page.example{path}")
        for path in ("/br", "/twice"):
            with pytest.raises(EgressRefused):
                await world.client.get(f"http://page.example{path}")


async def test_no_answer_is_endless_and_none_comes_in_one_block() -> None:
    bomb = gzip.compress(bytes(MAX_RESPONSE_BYTES + 1))
    sizes: list[int] = []

    async def read(response: httpx2.Response) -> None:
        async for block in response.aiter_bytes():
            sizes.append(len(block))  # noqa: PERF401 - a comprehension would be lost with the error

    async with fake_internet() as world:
        world.pages["/"] = answer(bomb, content_encoding="gzip")
        async with world.client.stream("GET", "http://page.example/") as response:
            with pytest.raises(EgressRefused):
                await read(response)
    assert max(sizes) <= BLOCK_BYTES
    assert sum(sizes) <= MAX_RESPONSE_BYTES


class ByteBlocks:
    """A body of these blocks."""

    def __init__(self, *blocks: bytes) -> None:
        self._blocks = iter(blocks)

    async def read(self) -> bytes:
        return next(self._blocks, b"")


async def test_what_follows_a_packed_answer_is_dropped_and_counts() -> None:
    gzip_body, more = gzip.compress(b"hello"), bytes(BLOCK_BYTES)

    reader = GzipReader(ByteBlocks(gzip_body + more, *[more] * 200), limit_bytes=len(gzip_body) + 201 * len(more))
    tracemalloc.start()
    try:
        assert [await reader.read(), await reader.read()] == [b"hello", b""]
        assert tracemalloc.get_traced_memory()[1] < 20 * BLOCK_BYTES
    finally:
        tracemalloc.stop()
    endless = GzipReader(ByteBlocks(gzip_body, *[more] * 200), limit_bytes=100 * BLOCK_BYTES)
    assert await endless.read() == b"hello"
    with pytest.raises(EgressRefused):
        await endless.read()


async def test_a_packed_answer_that_never_has_content_ends_too() -> None:
    packer = zlib.compressobj(wbits=GZIP_WBITS)
    header, nothing = packer.compress(b"") + packer.flush(zlib.Z_SYNC_FLUSH), b"\0\0\0\xff\xff" * 1000
    with pytest.raises(EgressRefused):
        await GzipReader(ByteBlocks(header, *[nothing] * 300), limit_bytes=1_000_000).read()


async def test_tls_names_and_verifies_the_host(tmp_path: Path) -> None:
    server_tls, client_tls = certificates(tmp_path, "page.example")
    async with fake_internet(server_tls=server_tls, client_tls=client_tls) as world:
        world.pages["/"] = answer(b"sealed")
        assert (await world.client.get("https://page.example/")).text == "sealed"
        assert world.wire.connections == [PUBLIC_ADDRESS]
        with pytest.raises(httpx2.ConnectError, match=r"(?i)hostname"):
            await world.client.get("https://other.example/")


def test_there_is_one_client_for_each_loop() -> None:
    async def twice() -> tuple[httpx2.AsyncClient, httpx2.AsyncClient]:
        return checked_client(), checked_client()

    async def then_closed() -> httpx2.AsyncClient:
        client = checked_client()
        await aclose_clients()
        assert checked_client() is not client
        await aclose_clients()
        return client

    first, same = asyncio.run(twice())
    second, _ = asyncio.run(twice())
    assert first is same
    assert second is not first
    assert asyncio.run(then_closed()).is_closed


def certificates(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS settings of a server that calls itself `host`, and of a client that trusts its certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject_name=name, issuer_name=name, public_key=key.public_key(), serial_number=1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "server.pem").write_bytes(private + pem)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem")
    return server, ssl.create_default_context(cadata=pem.decode())
