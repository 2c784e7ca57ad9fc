"""The distribution's nginx and Caddy with the samples of deploy/, on ports of their own and with a certificate made here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.system.product import wait_for
from tools.embedded.layout import ROOT
from tools.embedded.programs import listening

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    include /etc/nginx/mime.types;
    include {folder}/parley.conf;
}}
"""


def make_certificate(folder: Path, host: str) -> Path:
    """Return a certificate for the host; its key is beside it as privkey.pem."""
    target = folder / "fullchain.pem"
    names = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(target)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    subprocess.run(command, check=True, capture_output=True)
    return target


@contextmanager
def nginx(folder: Path, *, port: int, plain_port: int, upstream: str) -> Iterator[None]:
    """The sample, but for names, ports and paths. `upstream`: one address, or several with commas."""
    sample = (ROOT / "deploy" / "nginx.conf").read_text()
    with _nginx(folder, sample, port, plain_port, upstream, {"/etc/ssl/parley": str(folder)}):
        yield


@contextmanager
def nginx_without_tls(folder: Path, *, port: int, plain_port: int, upstream: str) -> Iterator[None]:
    """The same, for tests in which many clients that know no certificate come."""
    sample = (ROOT / "deploy" / "nginx.conf").read_text().replace("443 ssl http2", "443")
    with _nginx(folder, re.sub(r"    ssl_.*\n", "", sample), port, plain_port, upstream, {}):
        yield


@contextmanager
def _nginx(folder: Path, sample: str, port: int, plain_port: int, upstream: str, more: Mapping[str, str]) -> Iterator[None]:
    sample = re.sub(r"    listen \[::\].*\n", "", sample)
    for original, here in {
        "127.0.0.1:8000": ";\n    server ".join(upstream.split(",")),
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen 80": f"listen 127.0.0.1:{plain_port}",
        "chat.example.org": "localhost",
        **more,
    }.items():
        assert original in sample
        sample = sample.replace(original, here)
    (folder / "parley.conf").write_text(sample)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    with _running(["/usr/sbin/nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)], port):
        yield


@contextmanager
def caddy(folder: Path, *, port: int, plain_port: int, upstream: str) -> Iterator[None]:
    """The sample, but for its certificate, which it would get from a public authority."""
    sample = (ROOT / "deploy" / "Caddyfile").read_text()
    own = f"{{$DOMAIN}} {{\n\ttls {folder}/fullchain.pem {folder}/privkey.pem\n"
    assert "{$DOMAIN} {\n" in sample
    options = f"{{\n\thttp_port {plain_port}\n\tadmin off\n}}\n"
    (folder / "Caddyfile").write_text(options + sample.replace("{$DOMAIN} {\n", own))
    env = {**os.environ, "DOMAIN": f"localhost:{port}", "UPSTREAM": upstream, "HOME": str(folder)}
    with _running([shutil.which("caddy") or "caddy", "run", "--config", str(folder / "Caddyfile")], port, env):
        yield


@contextmanager
def _running(command: list[str], port: int, env: dict[str, str] | None = None) -> Iterator[None]:
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: listening(("127.0.0.1", port)), f"{command[0]} was listening")
        yield
    finally:
        process.terminate()
        process.wait(30)
