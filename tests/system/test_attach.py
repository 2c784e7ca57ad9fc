"""Any process and any transport shows the same answer, whenever a viewer comes (ARCHITECTURE 3); more of it: `make attach-trials`."""

from __future__ import annotations

from tests.support.system.product import Product
from tests.system.attach_trials import members_at_two_servers, trials
from tests.system.client import Member


def test_a_viewer_that_attaches_at_random_sees_what_is_stored(product: Product, member: Member) -> None:
    for outcome in trials(5, seed=1, running=product, members=members_at_two_servers(product, member)):
        assert not outcome.problems, outcome.plan
        assert outcome.attached > 4
