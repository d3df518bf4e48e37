"""Public addresses: where a server goes when somebody else names the address.

    aiohttp.ClientSession(connector=public_connector(limit=0))

Whoever may name an address could name one that only this server can reach: its neighbours, its own ports, the
machine's credentials at 169.254.169.254. What counts is the address that is connected to, looked at when the
socket is made: a name that is looked up twice and answers differently, an odd spelling, an address within an
address, all end here. Follow no redirects with it (`allow_redirects=False`): each is a new address.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import aiohttp

_GLOBAL_UNICAST = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    ip_network(one)
    for one in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's machines ask this one about themselves
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # relays to the addresses within 2002::/16
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast and what is reserved
        "2001::/23",  # some of it is public and has no servers; Teredo is an address within an address
        "2001:db8::/32",
        "2002::/16",  # 6to4: an address within an address
        "3fff::/20",
    )
)
"""IANA's special-purpose addresses within what is otherwise public. Of these, `is_global` knows fewer the
older the Python is."""


class PrivateAddress(OSError):
    """The name leads to an address that is not public."""

    def __init__(self) -> None:
        # Without the address: whoever asks should not learn where an inner name leads.
        super().__init__("its address is not public")


def is_public(host: str) -> bool:
    """Whether an IP address, as a socket is given it, is one that anybody on the internet could reach."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        inner = _within(address)
        if inner is None and address not in _GLOBAL_UNICAST:
            return False
        address = inner or address
    return not any(address in network for network in _NOT_PUBLIC)


def _within(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that is really connected to."""
    if address in _NAT64:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped


def public_connector(**options: Any) -> aiohttp.TCPConnector:
    """aiohttp's connector with these options, save that it connects to public addresses only; to any other
    it raises ClientConnectorError, whose `os_error` is PrivateAddress. It must have a session of its own:
    a pool shared with others would hold connections that nobody looked at."""
    import aiohttp

    return aiohttp.TCPConnector(socket_factory=public_socket, **options)


def public_socket(
    info: tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]],
) -> socket.socket:
    family, kind, protocol, _, address = info
    if not is_public(address[0]):
        raise PrivateAddress
    return socket.socket(family, kind, protocol)
