"""The `webhook` plugin: sends signed JSON messages about a run to another server, each once (SPEC 3.15).

The receiver checks the header `X-Parley-Signature: t=<unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 of
"<t>.<body>" with the shared secret.
"""

from __future__ import annotations

import hashlib
import hmac
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext, gettext_noop as _
from pydantic import Field, field_validator

from agents.plugins.lifecycle import LifecycleEventData, LifecyclePlugin, LifecycleSettings
from agents.plugins.plugin import PluginContext
from security.egress import FetchFailed, post
from security.egress.urls import https_check
from security.secrets.errors import SecretUnusable
from security.secrets.secret_text import SecretText
from tenants.json_encoding import json_bytes

TIMEOUT_S = 5.0


class WebhookSettings(LifecycleSettings):
    url: str = Field(max_length=500, title=_("Address"), description=_("Starts with https://. Changing the host removes the secret."))
    include_text: bool = Field(
        default=False,
        title=_("Include text"),
        description=_("Also sends what the user, the model and tools wrote. Off: ids, names and numbers only."),
    )

    @field_validator("url")
    @classmethod
    def _can_be_called(cls, url: str) -> str:
        https_check(url)
        return url


@dataclass(frozen=True, slots=True)
class WebhookPlugin(LifecyclePlugin[WebhookSettings]):
    """Sends a message for every chosen event.

    Raises (for the log) SecretUnusable without a secret, and EgressRefused or FetchFailed when the message did not
    arrive.
    """

    async def react(self, context: PluginContext, event_data: LifecycleEventData) -> None:
        if self.secret is None:
            raise SecretUnusable
        delivery = str(uuid.uuid4())
        body = json_bytes(self._message(context, event_data, delivery), default=str)
        headers = {
            "content-type": "application/json",
            "user-agent": "Parley-Webhook/1",
            "x-parley-event": event_data.event.value,
            "x-parley-delivery": delivery,
            "x-parley-signature": signature(body, self.secret, timestamp=int(time.time())),
        }
        status = await post(self.settings.url, content=body, headers=headers, timeout_s=TIMEOUT_S)
        if not 200 <= status < 300:
            raise FetchFailed(gettext("The receiver answered with status %(status)s.") % {"status": status})

    def _message(self, context: PluginContext, event_data: LifecycleEventData, delivery: str) -> dict[str, Any]:
        message = {
            "event": event_data.event.value,
            "delivery": delivery,
            "sent_at": datetime.now(UTC).isoformat(),
            "organization_id": context.run.organization_id,
            "conversation_id": context.run.conversation_id,
            "run_id": context.run.run_id,
            "membership_id": context.run.membership_id,
            "agent": context.run.agent_key,
            "step": context.step,
            **event_data.facts,
        }
        if not self.settings.include_text:
            return message
        return message | {"text": context.run.placeholders.mask_value(dict(event_data.text))}


def signature(body: bytes, secret: SecretText, *, timestamp: int) -> str:
    """Return the value of the signature header."""
    digest = hmac.new(secret.reveal().encode(), b"%d." % timestamp + body, hashlib.sha256)
    return f"t={timestamp},v1={digest.hexdigest()}"
