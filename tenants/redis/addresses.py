"""Addresses of Redis: one server, a primary that Sentinels name, or a cluster. docs/operations.md, "Your own Redis"."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

Mode = Literal["single", "sentinel", "cluster"]

SINGLE_HINT = "must read redis://host:port/0, rediss://... or unix:///path/to/socket"
SENTINEL_HINT = "must read redis+sentinel://user:password@host1:26379,host2:26379,host3:26379/name-of-the-primary?db=0"
CLUSTER_HINT = "must read redis+cluster://user:password@host1:6379,host2:6379,host3:6379"
SENTINEL_PORT, PORT = 26379, 6379
OF_SENTINELS = {"sentinel_username": "username", "sentinel_password": "password"}


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """What a URL says.

    `url`: as redis-py reads it, with user, password, database and options; its host counts for a single server only.
    """

    mode: Mode
    url: str = field(repr=False)
    nodes: tuple[tuple[str, int], ...] = ()  # Sentinels, or nodes of a cluster to begin with
    primary: str = ""  # the name that Sentinels have for it
    sentinel_login: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # username, password

    @property
    def is_tls(self) -> bool:
        return self.url.startswith("rediss:")

    @property
    def tls_options(self) -> dict[str, str]:
        """Return what the URL says of TLS, such as `ssl_ca_certs`; it holds for Sentinels and nodes, too."""
        return {name: value for name, value in parse_qsl(urlsplit(self.url).query) if name.startswith("ssl_")}


@lru_cache(maxsize=32)
def redis_address(text: str) -> RedisAddress:
    """Read a URL. Raises ValueError with the end of a sentence that begins with the variable's name."""
    url = urlsplit(text)
    scheme, _, mode = url.scheme.partition("+")
    if scheme in {"redis", "rediss"} and mode == "sentinel":
        return _sentinel_address(url, scheme)
    if scheme in {"redis", "rediss"} and mode == "cluster":
        return _cluster_address(url, scheme)
    if mode or scheme not in {"redis", "rediss", "unix"} or not (_has_one_host(url) or (scheme == "unix" and url.path)):
        raise ValueError(SINGLE_HINT)
    return RedisAddress("single", text)


def _has_one_host(url: SplitResult) -> bool:
    try:
        return bool(url.hostname) and "," not in url.netloc.rpartition("@")[2] and url.port is not False
    except ValueError:  # of the port
        return False


def _sentinel_address(url: SplitResult, scheme: str) -> RedisAddress:
    options = dict(parse_qsl(url.query))
    database = options.pop("db", "0")
    login = tuple((OF_SENTINELS[name], options.pop(name)) for name in OF_SENTINELS if name in options)
    primary = unquote(url.path.strip("/"))
    if not primary or "/" in primary or not database.isdecimal():
        raise ValueError(SENTINEL_HINT)
    nodes = _nodes(url, SENTINEL_PORT, SENTINEL_HINT)
    return RedisAddress("sentinel", _single_url(url, scheme, nodes[0], f"/{database}", options), nodes, primary, login)


def _cluster_address(url: SplitResult, scheme: str) -> RedisAddress:
    if url.path.strip("/"):
        raise ValueError(CLUSTER_HINT)
    nodes = _nodes(url, PORT, CLUSTER_HINT)
    return RedisAddress("cluster", _single_url(url, scheme, nodes[0], "", dict(parse_qsl(url.query))), nodes)


def _nodes(url: SplitResult, default_port: int, hint: str) -> tuple[tuple[str, int], ...]:
    try:
        parts = [urlsplit(f"//{part.strip()}") for part in url.netloc.rpartition("@")[2].split(",")]
        nodes = tuple((part.hostname or "", part.port or default_port) for part in parts)
    except ValueError as error:
        raise ValueError(hint) from error
    if not all(host for host, _ in nodes):
        raise ValueError(hint)
    return nodes


def _single_url(url: SplitResult, scheme: str, node: tuple[str, int], path: str, options: dict[str, str]) -> str:
    login, at, _ = url.netloc.rpartition("@")
    host = f"[{node[0]}]" if ":" in node[0] else node[0]
    return SplitResult(scheme, f"{login}{at}{host}:{node[1]}", path, urlencode(options), "").geturl()
