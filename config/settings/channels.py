"""Channels settings. The channel layer carries only small control messages; streams go through the event log (ARCHITECTURE 4)."""

from __future__ import annotations

from config.settings.environment import ENV

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "tenants.redis.channel_layer.BoundedChannelLayer",
        "CONFIG": {"hosts": [ENV.redis_url], "prefix": f"{ENV.redis_prefix}:asgi", "expiry": 30, "capacity": 200},
    }
}
