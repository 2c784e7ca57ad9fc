"""The board of operations renews itself while somebody sees it, and stops when it is told to or its tab is hidden."""

from __future__ import annotations

from playwright.sync_api import Request, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit

BOARD = "/o/acme/admin/chat/run/operations/"


def test_the_board_renews_itself_unless_it_is_stopped_or_hidden(visit: Visit) -> None:
    admin = visit("alice", fresh="a clock of its own").page
    admin.clock.install()
    admin.goto(BOARD)
    requests: list[Request] = []
    admin.on("request", lambda request: requests.append(request) if "part=1" in request.url else None)
    stop, go_on = (admin.get_by_role("button", name=name) for name in ("Stop updating", "Update by itself"))
    stop.focus()
    with admin.expect_response("**/*part=1"):
        admin.clock.fast_forward(16_000)
    expect(stop).to_be_focused()
    assert violations(admin) == []

    stop.click()
    expect(go_on).to_be_focused()
    admin.clock.fast_forward(60_000)
    admin.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    go_on.click()
    admin.clock.fast_forward(60_000)
    assert len(requests) == 1, "neither while it is stopped nor in a hidden tab"
    admin.evaluate("delete document.hidden")
    with admin.expect_response("**/*part=1"):
        admin.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        admin.clock.fast_forward(1_000)
