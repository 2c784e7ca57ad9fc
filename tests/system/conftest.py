from __future__ import annotations

from collections.abc import Iterator

import pytest

from doubles.script import Answer, Text
from tests.support.system.product import Product, product
from tests.system.client import Member
from tests.system.request_predicates import is_title


@pytest.fixture(scope="package", name="running_product")
def one_product(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Product]:
    """One product for all tests; whoever ends a process starts it again. Its database is a copy of the test database's template."""
    with product(tmp_path_factory.mktemp("product") / "data") as running:
        yield running


@pytest.fixture(scope="module", name="product")
def with_empty_double(running_product: Product) -> Product:
    """The product, whose model has said nothing yet."""
    running_product.double.reset()
    running_product.double.respond(lambda request: Answer((Text("A title"),)) if is_title(request) else None)
    return running_product


@pytest.fixture(autouse=True)
def restart_after_failure(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that failed while it had a process ended leaves it to no other."""
    yield
    if "product" in request.fixturenames:
        request.getfixturevalue("product").restart_stopped()


@pytest.fixture(scope="package")
def member(running_product: Product) -> Member:
    return Member(running_product.url)
