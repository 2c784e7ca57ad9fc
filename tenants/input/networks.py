"""Networks as CIDR texts, from which an API token may be used."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

MAX_NETWORKS = 20


def networks_read(texts: Iterable[str]) -> list[str]:
    """Return the networks in their canonical form. Raises ValueError with a sentence for the user."""
    networks: list[str] = []
    for text in texts:
        try:
            network = str(ipaddress.ip_network(text.strip(), strict=False))
        except ValueError:
            raise ValueError(f"{text.strip()[:60]} is not a network such as 203.0.113.0/24 or 2001:db8::/32.") from None
        if network not in networks:
            networks.append(network)
    if len(networks) > MAX_NETWORKS:
        raise ValueError(f"At most {MAX_NETWORKS} networks.")
    return networks


def network_allows(networks: Sequence[str], address: str) -> bool:
    """Return whether an address is in one of these networks. No networks allow all; an address that can't be read is in none."""
    if not networks:
        return True
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(client, ipaddress.IPv6Address) and client.ipv4_mapped is not None:
        client = client.ipv4_mapped
    return any(client in ipaddress.ip_network(network) for network in networks)
