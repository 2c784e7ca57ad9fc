"""Any process and any transport shows the same answer, whenever a viewer comes (ARCHITECTURE 3); more of it: `make attach-trials`."""

from __future__ import annotations

from tests.support.product import Product
from tests.system.attach_trials import doors_of, trials
from tests.system.client import Member


def test_whoever_comes_and_goes_sees_what_is_stored(product: Product, member: Member) -> None:
    for outcome in trials(5, seed=1, running=product, doors=doors_of(product, member)):
        assert not outcome.problems, outcome.plan
        assert outcome.attached > 4
