"""The image: what is in it, and that its web process serves with a root that can't be written."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from doubles.script import Answer, Text
from tests.deploy.installation import image
from tests.deploy.probing import is_up
from tests.deploy.stores.pooler import Pooler
from tests.support.system.product import product, wait_for
from tests.system.client import Member, shown_text
from tools.embedded import ports, valkey
from tools.embedded.programs import listening

MAX_BYTES = 450_000_000
BACKUP_KEY = base64.b64encode(bytes(32)).decode()
ABSENT = ("usr/bin/gcc", "usr/bin/make", "venv/bin/pip", "venv/bin/npm", "app/frontend", "app/tests", "app/.git", "app/.env")
SHARED_VARIABLES = ("DATABASE_URL", "DATABASE_AUTH_URL", "DATABASE_OWNER_URL", "DATABASE_SYSTEM_URL", "REDIS_URL", "REDIS_PREFIX")
OWN_VARIABLES = ("SECRET_KEY", "CREDENTIAL_KEYS", "PUBLIC_URL", "DEMO_PROVIDER_URL", "EGRESS_ALLOW", "DRAIN_S", "DB_PREPARE")


# The whole image has /data alone to write to, and the key is in its environment.
BACK_UP = """
python -m config migrate --no-input
python -m config backup /data/backup
python -m config backup --verify /data/backup
"$(python -c 'from config.backup.programs import program_find; print(program_find("pg_dump", 18)[0])')" \
    'host=127.0.0.1 port=1 sslmode=require' 2>&1 || true
"""
# The image's /data is new each time, which its processes refuse while the product beside has its files elsewhere.
ADOPT_FILES = ["sh", "-ec", 'python -m config files_adopt; exec "$@"', "sh"]


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    return image.build()


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A Valkey with a port: the test session's has a socket that the image's user can't reach."""
    port = ports.free_port()
    command = [valkey.binary(), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_for(lambda: listening(("127.0.0.1", port)), "Valkey was listening")
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait(30)


def own_environment(built: dict[str, Any]) -> dict[str, str]:
    return dict(each.split("=", 1) for each in built["config"]["Env"])


def size_of(root: Path) -> int:
    """The bytes of its files, as registries count them before they compress."""
    return sum(path.lstat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink())


def test_it_is_small_has_no_tools_and_is_no_roots(built: dict[str, Any]) -> None:
    assert built["config"]["User"] == "10001:10001"
    assert built["config"]["Healthcheck"]
    with image.mounted() as root:
        assert size_of(root) < MAX_BYTES
        assert [name for name in ABSENT if (root / name).exists()] == []
        bill = json.loads((root / "app" / "bill.json").read_text())
        assert len(bill["components"]) > 100
        assert (root / "app" / "tools" / "embedded" / "roles.sql").exists()
        assert (root / "app" / "static_build" / "dist" / ".vite" / "manifest.json").exists()


def test_its_other_commands_run(built: dict[str, Any], by_tcp: Pooler, redis_url: str, tmp_path: Path) -> None:
    """migrate, a backup with what the image has of PostgreSQL, then worker and beat, which answer the probes of compose.yaml."""
    with product(tmp_path / "data", through=by_tcp.urls, REDIS_URL=redis_url) as beside, image.mounted() as root:
        env = {
            **own_environment(built),
            **{name: beside.env[name] for name in (*SHARED_VARIABLES, *OWN_VARIABLES)},
            "BACKUP_KEY": BACKUP_KEY,
        }
        output = image.output_of(root, BACK_UP, env)
        assert "No migrations to apply" in output
        assert "is whole" in output
        assert "Connection refused" in output  # and not: "SSL support is not compiled in"
        for part in ("worker", "beat"):
            check_probes(root, part, env, tmp_path / f"{part}.log")


def check_probes(root: Path, part: str, env: dict[str, str], log: Path) -> None:
    """Start the process, ask as compose.yaml and Kubernetes do, and end it."""
    port = ports.free_port()
    probe_env = {**env, "METRICS_PORT": str(port), "METRICS_ADDRESS": "127.0.0.1"}
    with image.running(root, [*ADOPT_FILES, "python", "-m", "config", part], probe_env, port, log) as process:
        wait_for(lambda: is_up(f"http://127.0.0.1:{port}/startedz"), f"the image's {part} had started")
        assert is_up(f"http://127.0.0.1:{port}/livez")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, log.read_text()[-2000:]


def test_its_web_process_is_ready_and_answers(built: dict[str, Any], pooler: Pooler, redis_url: str, tmp_path: Path) -> None:
    with product(tmp_path / "data", through=pooler.urls, REDIS_URL=redis_url) as beside, image.mounted() as root:
        beside.double.respond(lambda request: Answer((Text("From the image."),)))
        member, port, log = Member(beside.url), ports.free_port(), tmp_path / "image.log"
        env = {**own_environment(built), **{name: beside.env[name] for name in (*SHARED_VARIABLES, *OWN_VARIABLES)}}
        command = [*ADOPT_FILES, "python", "-m", "config", "web", "--host", "127.0.0.1", "--port", str(port)]
        with image.running(root, command, env, port, log) as process:
            elsewhere = member.at(f"http://127.0.0.1:{port}")
            wait_for(lambda: elsewhere.http.get("/readyz").is_success, "the image's process was ready")
            probe = elsewhere.http.get("/readyz", headers={"Host": "10.1.2.3:8000"})  # as orchestrators ask
            assert probe.status_code == 200
            with elsewhere.socket() as socket:
                assert shown_text(socket.chunks(socket.send(str(uuid4()), "Hello"))) == "From the image."
            assert elsewhere.http.get("/o/demo/").status_code == 200, log.read_text()[-3000:]
            process.send_signal(signal.SIGTERM)  # uvicorn ends by it, too, after it has drained
            assert process.wait(60) in {0, -signal.SIGTERM}, log.read_text()[-2000:]
