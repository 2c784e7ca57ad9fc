"""Origins whose pages may show something of ours in a frame, as people write them. They go into a policy's header, so nothing but an origin may pass."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from django.utils.translation import gettext

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|\[::1\]")
MAX_HOST_CHARS: Final = 253


def origins_read(text: str, *, at_most: int) -> list[str]:
    """Return the origins, one in each line, each once. Raises ValueError, whose message is for whoever wrote them."""
    origins = list(dict.fromkeys(_origin(line.strip()) for line in text.splitlines() if line.strip()))
    if len(origins) > at_most:
        raise ValueError(gettext("At most %(max_origins)s origins are possible.") % {"max_origins": at_most})
    return origins


def _origin(line: str) -> str:
    excerpt = line[:100]
    try:
        parts = urlsplit(line)
        port = parts.port
    except ValueError:
        raise ValueError(gettext("“%(shown)s” is not an origin, such as https://shop.example.") % {"shown": excerpt}) from None
    scheme, _, rest = line.partition("://")
    host = rest.rstrip("/").lower().removesuffix(f":{port}")
    if scheme.lower() not in {"http", "https"} or len(host) > MAX_HOST_CHARS or not _HOST.fullmatch(host):
        raise ValueError(
            gettext("“%(shown)s” is not an origin: write scheme and host alone, such as https://shop.example.") % {"shown": excerpt}
        )
    if scheme.lower() == "http" and host not in LOCAL_NAMES and not host.endswith(".localhost"):
        raise ValueError(
            gettext("“%(shown)s” does not begin with https://, which only this machine's own names may leave out.") % {"shown": excerpt}
        )
    is_default = port is None or (scheme.lower(), port) in {("http", 80), ("https", 443)}
    return f"{scheme.lower()}://{host}" + ("" if is_default else f":{port}")
