"""REST view of the limits on a member's messages (docs/rest.md)."""

from __future__ import annotations

from limits.allowances import Holder, Window
from limits.counters import Sender, messages_used
from limits.selectors import allowances_load
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class MessageLimitLeft(ResponseSchema):
    """`left`: how many messages of the `count` within the window may still be sent; null while the counters can't be read."""

    holder: Holder
    window: Window
    count: int
    left: int | None


class MessageLimits(ResponseSchema):
    limits: list[MessageLimitLeft]


class MessageLimitsView(RestView):
    """Says what is left of each limit that applies to the caller's messages."""

    @operation("getMessageLimits", "How many messages you may still send", tag="usage", answer=MessageLimits)
    def get(self, request: ActorRequest) -> MessageLimits:
        actor, token_id = request.actor, request.token.token_id if request.token else None
        with tenant_tx(actor.organization_id):
            limits = allowances_load(actor, with_token=token_id is not None)
        used = messages_used(Sender(actor.organization_id, actor.membership_id, token_id), limits)
        shown = [
            MessageLimitLeft(
                holder=limit.holder,
                window=limit.window,
                count=limit.count,
                left=None if used is None else max(0, limit.count - used[place]),
            )
            for place, limit in enumerate(limits)
        ]
        return MessageLimits(limits=shown)
