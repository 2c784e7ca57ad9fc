"""docs/deploy.md, "One Debian machine": each line of its block, on a Debian that has nothing yet."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.deploy.installation.machine import Machine, block, fresh_machine, run_before_boot, running_machine
from tools.embedded.layout import ROOT

EMAIL, PASSWORD, ORGANIZATION = "you@example.org", "seven green umbrellas", "your-company"
LAST_WITH_NETWORK = "/tmp/node/bin/python"
DEMO = "DEMO_PROVIDER_URL=http://127.0.0.1:8900\nEGRESS_ALLOW=127.0.0.1:8900"
# What can't be as it is written: there is no repository to clone, no provider in reach, and nobody who types the password.
INSTEAD = {
    "git clone https://git.example.org/parley.git /opt/parley && ": "",
    "GEMINI_API_KEY=your-key": DEMO,
    "runuser -u parley -- .venv/bin/python -m config operator_create": f"echo '{PASSWORD}' | runuser -u parley -- .venv/bin/python -m config operator_create",
}
READY = """
for attempt in $(seq 120); do
    .venv/bin/python -c 'from urllib.request import urlopen; urlopen("http://127.0.0.1:8000/readyz")' 2>/dev/null && exit
    sleep 0.5
done
journalctl --no-pager --unit 'parley-*' --lines 100
exit 1
"""


def commands() -> tuple[str, str]:
    """The block up to the last line that needs a network, and the rest."""
    lines = block("deploy.md", "one machine")
    text = "\n".join(lines)
    for original, here in INSTEAD.items():
        assert original in text
        text = text.replace(original, here)
    lines = text.splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith(LAST_WITH_NETWORK)) + 1
    return "\n".join(lines[:end]), "\n".join(lines[end:])


@contextmanager
def demo_provider(machine: Machine) -> Iterator[None]:
    command = machine.beside("-m", "uvicorn", "doubles.demo:application", "--port", "8900", "--log-level", "warning")
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


def visit(machine: Machine) -> dict[str, Any]:
    certificate = machine.root / "etc" / "ssl" / "parley" / "fullchain.pem"
    command = machine.beside("-m", "tests.deploy.visitor", "https://chat.example.org", str(certificate), EMAIL, PASSWORD, ORGANIZATION)
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150)
    assert result.returncode == 0, result.stderr[-3000:]
    return dict(json.loads(result.stdout))


def test_from_nothing_to_tls_and_a_streamed_answer(tmp_path: Path) -> None:
    (with_network, without), update = commands(), block("deploy.md", "update")[-1]
    assert update.startswith("systemctl start parley-migrate")
    root = fresh_machine()
    run_before_boot(root, with_network, tmp_path / "install.log")
    with running_machine(root, tmp_path / "machine.log") as machine, demo_provider(machine):
        machine.run(without, log := tmp_path / "set-up.log")
        output = log.read_text()
        assert "0 errors" in output
        assert "https://chat.example.org/o/your-company/" in output
        for _ in range(2):  # the second time after the last line of an update; the others need a network
            machine.run(READY, log)
            report = visit(machine)
            assert report["page"] == 200
            assert report["events"]["spread_s"] > 0.3, report
            assert report["socket"]["pieces"] > 3, report
            machine.run(f"{update}\nsystemctl is-active parley-web@8000 parley-worker@1 parley-beat", log)
