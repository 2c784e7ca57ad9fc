"""Host names that are never called, whatever they resolve to. They are refused before any look-up, which would tell somebody that we asked.

Sources: RFC 6761, RFC 6762 appendix G, RFC 7686, RFC 8375, ICANN's reservation of .internal (2024), and the clouds' documentation of their
metadata services.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from django.conf import settings

RESERVED_SUFFIXES = frozenset(
    {"internal", "local", "localhost", "localdomain", "corp", "home", "lan", "intranet", "private", "onion", "home.arpa", "svc", "alt"}
)
METADATA_NAMES = frozenset({"metadata.tencentyun.com", "metadata.packet.net", "metadata.platformequinix.com"})  # on public names


def is_internal_name(host: str) -> bool:
    """Return whether `host` names something inside a network: one label, a reserved suffix, or a cloud's metadata service."""
    labels = host.rstrip(".").split(".")
    suffixes = {".".join(labels[place:]) for place in range(1, len(labels))}
    return len(labels) == 1 or bool(suffixes & RESERVED_SUFFIXES) or ".".join(labels) in METADATA_NAMES


def is_own_name(host: str) -> bool:
    """Return whether `host` is where Parley itself is served: PUBLIC_URL, FILES_URL or an entry of OWN_ADDRESSES."""
    name = host.rstrip(".")
    return name in {urlsplit(url).hostname for url in (settings.PUBLIC_URL, settings.FILES_URL) if url} or name in settings.OWN_ADDRESSES


def is_own_address(address: str) -> bool:
    """Return whether the IP address is one of ours: PUBLIC_URL's or FILES_URL's own, or in a network of OWN_ADDRESSES."""
    ip = ip_address(address)
    ipv4 = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return is_own_name(address) or any(_contains(entry, ipv4 or ip) for entry in settings.OWN_ADDRESSES)


def _contains(entry: str, address: IPv4Address | IPv6Address) -> bool:
    try:
        return address in ip_network(entry)
    except ValueError:  # a host name
        return False
