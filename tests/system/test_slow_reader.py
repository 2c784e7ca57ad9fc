"""A viewer that does not read costs the web process next to nothing, and gets everything when it reads on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import httpx2
import psutil
from websockets.sync.client import connect

from config.processes import WEB_OPTIONS
from doubles.script import Text
from tests.support.system.product import Product, wait_for
from tests.support.system.product_servers import WAIT_S
from tests.system.client import Member, shown_text
from tests.system.flood_app import CHUNK, CHUNKS
from tests.system.request_predicates import is_chat_about
from tools.embedded import ports
from tools.embedded.programs import listening

FLOOD = len(CHUNK) * CHUNKS
KERNEL = 16_000_000  # what the buffers of two sockets on one machine may hold between them
ANSWER = "".join(f"{number:07} " for number in range(3_500))
REPLAYS = 600  # 17 MB
GROWTH_MB = 9


@contextmanager
def flooding() -> Iterator[str]:
    """The flooding application under the web server; gives its host and port."""
    port = ports.free_port()
    command = ["-m", "uvicorn", "tests.system.flood_app:application", "--port", str(port), *WEB_OPTIONS]
    process = subprocess.Popen([sys.executable, *command], env=dict(os.environ))
    try:
        wait_for(lambda: listening(("127.0.0.1", port)), "the server listens")
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def taken_of(address: str) -> int:
    """How much of the flood the server took, once it takes no more. Fails when that does not come."""

    def byte_count() -> int:
        return int(httpx2.get(f"http://{address}/taken", trust_env=False).text)

    deadline = time.monotonic() + WAIT_S
    last, now = -1, byte_count()
    while now != last or not now:
        assert time.monotonic() < deadline, f"{now} bytes were taken, and no end"
        time.sleep(0.3)
        last, now = now, byte_count()
    return now


def test_a_stream_that_is_not_read_waits() -> None:
    with flooding() as address, httpx2.stream("GET", f"http://{address}/", trust_env=False) as response:
        assert 0 < taken_of(address) < KERNEL
        assert sum(len(piece) for piece in response.iter_bytes()) == FLOOD + len(str(FLOOD))


def test_a_socket_that_is_not_read_waits() -> None:
    with flooding() as address, connect(f"ws://{address}/", max_queue=1, proxy=None) as socket:
        assert 0 < taken_of(address) < KERNEL
        assert sum(map(len, socket)) == FLOOD


def test_a_chat_socket_that_is_not_read_does_not_fill_the_process(product: Product, member: Member) -> None:
    product.double.answer(Text(ANSWER, pieces=[ANSWER]), when=is_chat_about("rivers"))
    chat_id = str(uuid4())
    with member.socket() as socket:
        assert shown_text(socket.chunks(socket.send(chat_id, "About rivers"))) == ANSWER
    before = memory_mb(product)
    with member.socket(max_queue=1) as socket:
        requests = []
        for _ in range(REPLAYS):
            requests.append(socket.resume(chat_id))
            time.sleep(0.004)  # long enough to be answered, if anybody read
        assert memory_mb(product) - before < GROWTH_MB
        assert shown_text(socket.chunks(requests[0])) == ANSWER


def memory_mb(product: Product) -> float:
    assert product.web.process is not None
    return float(psutil.Process(product.web.process.pid).memory_info().rss) / 1e6
