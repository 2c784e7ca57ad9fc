"""Which tests share a worker, and which begin first.

The tests of a lane share a product and a browser, which start once and belong to one worker; lanes take longest, so they begin first.
All other tests are shared out by module: many and short, so that no worker is left alone with a long one at the end.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdist.scheduler.loadscope import LoadScopeScheduling

BROWSERS = ("browser 1", "browser 2")  # the browser tests take longest by far; the two take about the same time
# What members do. What admins do and what holds on every page is in the first browser, and so is a room that is not named here.
IN_SECOND_BROWSER = ("artifacts", "chat", "conversations", "embed", "settings", "sharing", "tools")
LANES = {
    **{f"tests/e2e/{room}/": BROWSERS[1] for room in IN_SECOND_BROWSER},
    "tests/e2e/": BROWSERS[0],
    **dict.fromkeys(
        (
            "tests/embedded/",
            "tests/system/test_crash_points.py",
            "tests/system/test_environment.py",
            "tests/system/test_migrate.py",
            "tests/system/test_redis_acl.py",
            "tests/system/test_start_refusals.py",
        ),
        "start",  # they start processes of their own, and need no running product
    ),
    "tests/system/": "product",
    "tests/rest/test_contract.py": "contract",
}
WAITING = 2  # so many more workers than cores: a browser, a process that starts and a server are waited for most of a lane's time


def lane_of(nodeid: str) -> str:
    """The test's lane; "" for one that has none."""
    return next((lane for beginning, lane in LANES.items() if nodeid.startswith(beginning)), "")


def place_in_order(nodeid: str) -> int:
    order = [*BROWSERS, *dict.fromkeys(LANES.values()), ""]
    return order.index(lane_of(nodeid))


class Lanes(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Shares out lanes, then modules."""

    def _split_scope(self, nodeid: str) -> str:
        return lane_of(nodeid) or nodeid.partition("::")[0]


def is_one_module(arguments: Iterable[str]) -> bool:
    """Whether a run is of one module or test: it is over before another process would have started."""
    modules = {argument.partition("::")[0] for argument in arguments}
    return len(modules) == 1 and all(name.endswith(".py") for name in modules)


def worker_count(cores: int) -> int:
    """Enough that the four long lanes begin at once."""
    return max(len(BROWSERS), cores) + WAITING
