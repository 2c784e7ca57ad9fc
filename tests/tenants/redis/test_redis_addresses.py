"""Addresses of Redis: what a URL with several hosts means."""

from __future__ import annotations

import pytest

from config.settings.celery import broker_tls, sentinel_transport
from tenants.redis.addresses import RedisAddress, redis_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("redis://:pw@a:6379/2", RedisAddress("single", "redis://:pw@a:6379/2")),
        ("unix:///run/redis.sock", RedisAddress("single", "unix:///run/redis.sock")),
        (
            "rediss+sentinel://u:p%40w@a,b:5/main?db=3&sentinel_password=other&ssl_ca_certs=/ca.pem",
            RedisAddress(
                *("sentinel", "rediss://u:p%40w@a:26379/3?ssl_ca_certs=%2Fca.pem", (("a", 26379), ("b", 5)), "main"),
                sentinel_login=(("password", "other"),),
            ),
        ),
        (
            "redis+cluster://:pw@a,[::1]:7000",
            RedisAddress("cluster", "redis://:pw@a:6379", (("a", 6379), ("::1", 7000))),
        ),
    ],
)
def test_a_url_names_a_server_sentinels_or_a_cluster(text: str, address: RedisAddress) -> None:
    assert redis_address(text) == address
    assert "pw" not in repr(address)


def test_celery_gives_the_login_of_the_sentinels_to_the_sentinels_alone() -> None:
    url = "rediss+sentinel://u:pw@a,b:5/main?db=3&sentinel_password=other&ssl_ca_certs=/ca.pem"
    assert sentinel_transport(url)["sentinel_kwargs"]["password"] == "other"
    assert broker_tls(url) == {"ssl_ca_certs": "/ca.pem", "ssl_cert_reqs": "required"}


def test_celery_checks_the_certificate_of_its_redis() -> None:
    assert broker_tls("rediss://:pw@a:6379/2?socket_timeout=5") == {"ssl_cert_reqs": "required"}
    assert broker_tls("redis://:pw@a:6379/2") == {}
