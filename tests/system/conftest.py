from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.script import Answer, Text
from tests.support.product import Product, product
from tests.system.client import Member
from tests.system.request_predicates import is_title


@pytest.fixture(scope="package", name="product")
def running_product(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Product]:
    """One product for all tests; whoever ends a process starts it again."""
    with product(tmp_path_factory.mktemp("product") / "data") as running:
        running.double.respond(lambda request: Answer((Text("A title"),)) if is_title(request) else None)
        yield running


@pytest.fixture(autouse=True)
def restart_after_failure(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that failed while it had a process ended leaves it to no other."""
    yield
    if "product" in request.fixturenames:
        request.getfixturevalue("product").restart_stopped()


@pytest.fixture(scope="package")
def member(product: Product) -> Member:
    return Member(product.url)
