"""Addresses of machines: which of them are this one, and which belong to a proxy that is trusted."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network


@lru_cache(maxsize=256)
def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there. Asked for every request, of a name or two."""
    if host.lower() == "localhost":
        return True
    address = parsed(host)
    return address is not None and address.is_loopback


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address, out of the coat of IPv6 in which a socket for both kinds shows one of IPv4."""
    try:
        address = ip_address(text.strip().removeprefix("[").removesuffix("]").partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def network(value: str) -> str:
    """A network's usual spelling; a single address is one of its own. Raises ValueError."""
    try:
        return str(ip_network(value.strip(), strict=False))
    except ValueError:
        raise ValueError(f"{value[:60]!r} is not an address or network such as 10.0.0.0/8") from None


def is_within(text: str, networks: tuple[str, ...]) -> bool:
    address = parsed(text)
    return address is not None and any(address in ip_network(one) for one in networks)
