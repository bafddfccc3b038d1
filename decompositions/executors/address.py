"""Addresses of schedulers: which are safe to talk to."""

from __future__ import annotations

from urllib.parse import urlsplit

from radprog.instances.errors import OptionError

LOCAL_CLUSTER = "local"


def check_address(address: str, *, insecure: bool) -> None:
    """OptionError unless the address is ``local`` or tls://; a scheduler runs what it is sent, and
    its answers are unpickled: without TLS anyone can be it, on this machine every user.
    ``insecure``: also tcp://."""
    parts = urlsplit(address)
    try:
        known = parts.scheme in ("tls", "tcp") and bool(parts.hostname) and parts.port is not None
    except ValueError:
        known = False
    if address == LOCAL_CLUSTER:
        return
    if not known:
        raise OptionError(f"scheduler '{address}': expected {LOCAL_CLUSTER} or tls://HOST:PORT")
    if parts.scheme == "tcp" and not insecure:
        raise OptionError(
            f"scheduler {address}: not encrypted, and whoever answers there is believed: expected "
            "tls://HOST:PORT, or --insecure said aloud"
        )
