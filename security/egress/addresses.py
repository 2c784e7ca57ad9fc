"""Which IP addresses belong to the public internet.

We keep our own table because `is_private` and `is_global` change between Python versions. Sources: IANA special-purpose address registries
for IPv4 and IPv6 (RFC 6890 and updates), RFC 6052 (NAT64).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

REFUSED_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; some clouds serve metadata here
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's host agent (Azure) on a public address
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
GLOBAL_IPV6 = IPv6Network("2000::/3")
REFUSED_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
IPV4_MAPPED = IPv6Network("::ffff:0:0/96")
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")
TEREDO = IPv6Network("2001::/32")


def is_public(address: str) -> bool:
    """Return whether `address`, as a resolver returns it, is on the public internet.

    IPv6 forms that embed an IPv4 address are judged by that address. Raises ValueError for text that is not an address.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return _is_public_ipv4(ip)
    return _is_public_ipv6(ip)


def _is_public_ipv4(address: IPv4Address) -> bool:
    return not any(address in network for network in REFUSED_IPV4)


def _is_public_ipv6(address: IPv6Address) -> bool:
    if address.scope_id is not None:
        return False
    ipv4_addresses = embedded_ipv4(address)
    if ipv4_addresses:
        return all(_is_public_ipv4(inner) for inner in ipv4_addresses)
    return address in GLOBAL_IPV6 and not any(address in network for network in REFUSED_IPV6)


def embedded_ipv4(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses inside a mapped, NAT64, 6to4 or Teredo address (server and client). Empty for other addresses."""
    bits = int(address)
    if address in IPV4_MAPPED or address in NAT64:
        return (IPv4Address(bits & 0xFFFFFFFF),)
    if address in SIX_TO_FOUR:
        return (IPv4Address(bits >> 80 & 0xFFFFFFFF),)
    if address in TEREDO:
        return (IPv4Address(bits >> 64 & 0xFFFFFFFF), IPv4Address(~bits & 0xFFFFFFFF))
    return ()
