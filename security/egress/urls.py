"""Checks of URLs before a request. httpx2.URL is the only parser, because it also decides where the client connects."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

import httpx2
from django.conf import settings
from django.utils.translation import gettext

from security.egress.addresses import is_public
from security.egress.errors import EgressRefused, TargetRefused
from security.egress.names import is_internal_name, is_own_address, is_own_name

DEFAULT_PORTS = {"http": 80, "https": 443}
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"  # RFC 1035, and underscores as in private networks
HOST_NAME = re.compile(rf"(?=.{{1,253}}\.?$){_LABEL}(?:\.{_LABEL})*\.?")
AUTHORITY = re.compile(r"[^:/?#]*://([^/?#\\]*)")
IDEOGRAPHIC_STOPS = "\u3002\uff61"  # which IDNA reads as dots (RFC 3490)
NUMERIC_HOST = re.compile(r"(^|\.)(\d+|0x[0-9a-f]*)\.?$")


HostPolicy = Callable[[str, int], bool]  # whether a host and port may be called whatever their IP address is


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads."""

    scheme: str
    host: str  # lower-case ASCII; an IPv6 address without brackets
    port: int

    @property
    def origin(self) -> str:
        """`scheme://host:port`, always with the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def in_egress_allowlist(host: str, port: int) -> bool:
    """Return whether the operator allows `host:port` whatever its IP address is (EGRESS_ALLOW and the demo provider)."""
    return (host, port) in settings.EGRESS_ALLOW or (host, port) == _demo_provider()


def in_fetch_allowlist(host: str, port: int) -> bool:
    """Return whether pages whose URL a model chose may be loaded from `host:port` (FETCH_ALLOW and the demo provider).

    Separate from EGRESS_ALLOW, because what admins may enter is not open to models.
    """
    return (host, port) in settings.FETCH_ALLOW or (host, port) == _demo_provider()


def parse_target(url: str | httpx2.URL, allows: HostPolicy = in_egress_allowlist) -> Target:
    """Return the checked target of `url`.

    Raises EgressRefused for another scheme, a user name, an unusable host, or a port that is not allowed.
    """
    check_spelling(str(url))
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as exc:
        raise TargetRefused(gettext("This is not a valid address.")) from exc
    if parsed.scheme not in DEFAULT_PORTS:
        raise TargetRefused(gettext("The address must start with https://."))
    if parsed.userinfo:
        raise TargetRefused(gettext("The address must not contain a user name or password."))
    host = parsed.raw_host.decode("ascii").lower()
    target = Target(parsed.scheme, host, DEFAULT_PORTS[parsed.scheme] if parsed.port is None else parsed.port)
    _check_host(target, allows)
    if target.port not in DEFAULT_PORTS.values() and not allows(target.host, target.port):
        raise TargetRefused(gettext("Port %(port)s is not allowed: use 80 or 443, or ask the platform's operator.") % {"port": target.port})
    return target


def https_check(url: str) -> None:
    """Check an address that an admin entered. Raises ValueError, which says what is wrong.

    Plain http is allowed only to a server that the operator has listed.
    """
    try:
        target = parse_target(url)
    except EgressRefused as exc:
        raise ValueError(str(exc)) from exc
    if target.scheme != "https" and not in_egress_allowlist(target.host, target.port):
        raise ValueError(gettext("The address must start with https://."))


def check_spelling(url: str) -> None:
    """Raise TargetRefused for host and port in characters that only look like ASCII, such as full-width digits: parsers read them alike,
    people and lists do not.
    """
    authority = None if url.isascii() else AUTHORITY.match(url)
    if authority and any(map(_looks_like_ascii, authority[1])):
        raise TargetRefused(gettext("The address has characters that only look like letters, digits or dots. Type it anew."))


def _looks_like_ascii(each: str) -> bool:
    normal = unicodedata.normalize("NFKC", each)
    return not each.isascii() and (normal.isascii() or normal.isdecimal() or each in IDEOGRAPHIC_STOPS)


def check_url(url: str) -> None:
    """Raise EgressRefused when `url` can't be an endpoint's base URL. For forms; makes no DNS query."""
    parse_target(url)
    if httpx2.URL(url).query or httpx2.URL(url).fragment:
        raise EgressRefused(gettext("The address must not contain a query or a fragment."))


def origin_of(url: str) -> str:
    """Return `scheme://host:port` of `url`. Raises EgressRefused like `parse_target`."""
    return parse_target(url).origin


def _demo_provider() -> tuple[str, int] | None:
    url = httpx2.URL(settings.DEMO_PROVIDER_URL)
    return (url.host, url.port or DEFAULT_PORTS[url.scheme]) if url.host else None


def _check_host(target: Target, allows: HostPolicy) -> None:
    is_literal = ":" in target.host or bool(NUMERIC_HOST.search(target.host))
    if is_literal:
        _check_ip_literal(target, allows)
    elif not HOST_NAME.fullmatch(target.host):
        raise TargetRefused(gettext("The address has no usable host name."))
    if allows(target.host, target.port):
        return
    if is_own_name(target.host) or (is_literal and is_own_address(target.host)):
        raise TargetRefused(gettext("%(host)s is where Parley itself runs: it does not call its own address.") % {"host": target.host})
    if not is_literal and is_internal_name(target.host):
        raise TargetRefused(
            gettext("%(host)s is a name inside a network: ask the platform's operator to allow it.") % {"host": target.host}
        )


def _check_ip_literal(target: Target, allows: HostPolicy) -> None:
    """Check an IP address in place of a name. Shortened, octal and hexadecimal forms are always refused."""
    try:
        ip_address(target.host)
    except ValueError as exc:
        raise TargetRefused(gettext("The address has no usable host name.")) from exc
    if not allows(target.host, target.port) and not is_public(target.host):
        raise TargetRefused(gettext("%(host)s is not a public address: ask the platform's operator to allow it.") % {"host": target.host})
