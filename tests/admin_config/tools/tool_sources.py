"""An HTTP tool's form, and tool sources as the live release has them."""

from __future__ import annotations

import json

from admin_config.release import ReleaseSnapshot, ToolSourceSnapshot
from admin_config.services.selectors import live_release
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME
from tests.support.accounts.cast import Cast

LIST = f"{ACME}admin_config/toolsource/"
ADD = f"{LIST}add/?kind=http"
ORDERS = {
    "name": "orders",
    "description": "Looks up an order.",
    "input_schema": json.dumps({"type": "object", "properties": {"number": {"type": "string"}}}),
    "url": "https://shop.example/orders/{number}",
}


def live(seeded_cast: Cast) -> ReleaseSnapshot:
    with tenant_tx(seeded_cast.acme.id):
        return live_release(organization_id=seeded_cast.acme.id).snapshot


def source(seeded_cast: Cast, name: str = "orders") -> ToolSourceSnapshot:
    """Of the live release."""
    return next(one for one in live(seeded_cast).tool_sources if one.name == name)


def names(seeded_cast: Cast) -> set[str]:
    return {one.name for one in live(seeded_cast).tool_sources}


def page_of(seeded_cast: Cast, name: str = "orders") -> str:
    return f"{LIST}{source(seeded_cast, name).id}/change/"
