"""`DEBUG=1 python manage.py runserver`, the web server of development: daphne serves pages and sockets."""

from __future__ import annotations

from uuid import uuid4

import httpx2

from doubles.script import Text
from tests.support.system.product import Product
from tests.system.client import Member, shown_text
from tests.system.request_predicates import is_chat_about


def test_runserver_serves_pages_and_sockets(product: Product, member: Member) -> None:
    product.double.answer(Text("Slowly, to the sea."), when=is_chat_about("rivers"))
    url = product.start_development_web().url
    page = httpx2.get(f"{url}/login/", trust_env=False)
    assert (page.status_code, page.headers["server"]) == (200, "daphne")
    with member.at(url).socket() as socket:
        assert shown_text(socket.chunks(socket.send(str(uuid4()), "About rivers"))) == "Slowly, to the sea."
