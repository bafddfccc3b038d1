"""Addresses of schedulers: which are safe to talk to."""

from __future__ import annotations

import contextlib
import ipaddress
from urllib.parse import urlsplit

from radprog.instances.errors import OptionError

LOCAL_CLUSTER = "local"


def check_address(address: str, *, insecure: bool) -> None:
    """OptionError unless the address is ``local``, tls:// or on this machine; a scheduler runs what
    it is sent, and without TLS whoever reads the net can send it. ``insecure``: tcp:// anywhere."""
    parts = urlsplit(address)
    try:
        known = parts.scheme in ("tls", "tcp") and bool(parts.hostname) and parts.port is not None
    except ValueError:
        known = False
    if address == LOCAL_CLUSTER:
        return
    if not known:
        raise OptionError(f"scheduler '{address}': expected {LOCAL_CLUSTER} or tls://HOST:PORT")
    if parts.scheme == "tcp" and not insecure and not _loopback(str(parts.hostname)):
        raise OptionError(
            f"scheduler {address}: neither encrypted nor on this machine, and it runs whatever "
            "it is sent: expected tls://HOST:PORT, or --insecure said aloud"
        )


def _loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
