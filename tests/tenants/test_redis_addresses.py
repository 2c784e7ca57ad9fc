"""Addresses of Redis: what a URL with several hosts means."""

from __future__ import annotations

import pytest

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
