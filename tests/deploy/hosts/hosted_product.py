"""The product on four hosts: a web process, a worker with beat, the stores, and a web process with a worker. A proxy is in front.

Files are in a directory that all of them see, as over NFS.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from config.processes import beat_arguments, web_arguments, worker_arguments
from doubles.demo import DemoScript, DemoServer
from tests.deploy.hosts.hosts import Host, Network, running_network
from tests.deploy.hosts.proxies import nginx_without_tls
from tests.deploy.probing import is_up
from tests.deploy.stores.valkeys import PASSWORD, Server
from tests.support.agents.gemini import ServedGemini, serve
from tests.support.system.product import PREPARE, Product, wait_for
from tests.support.system.product_servers import end, restart
from tools.embedded import ports
from tools.embedded.children import Child
from tools.embedded.environment import database_urls
from tools.embedded.layout import Layout
from tools.embedded.options import Options
from tools.embedded.postgres import Postgres
from tools.embedded.privileges import postgres_privileges
from tools.embedded.programs import Program
from tools.embedded.stack import Stack, postgres_child

WEB_PORT = 8000


@dataclass
class Hosts:
    """`second`: its answers are written by workers, of which it has one, too."""

    web: Host
    second: Host
    worker: Host
    stores: Host


class HostedProduct:
    """`product`: what this machine sees of it, with the database by a way that no cut concerns. `url`: the proxy's."""

    def __init__(self, product: Product, hosts: Hosts, url: str) -> None:
        self.product, self.hosts, self.url = product, hosts, url

    def is_ready(self) -> bool:
        """Whether both web processes are."""
        for host in (self.hosts.web, self.hosts.second):
            with host.inside():
                if not is_up(f"http://127.0.0.1:{WEB_PORT}/readyz"):
                    return False
        return True


@contextmanager
def hosted_product(folder: Path) -> Iterator[HostedProduct]:
    """It is ready; logs are in `folder`."""
    with ExitStack() as stack:
        network = stack.enter_context(running_network())
        hosts = Hosts(*(network.host(name) for name in ("web", "second", "worker", "stores")))
        double = ServedGemini(keys=None, models=None)
        demo = DemoServer(DemoScript(pace=0), gemini=double)
        double.base_url = stack.enter_context(serve(demo, network.address))
        from_here, from_hosts = stack.enter_context(_stores(hosts.stores, network, folder))
        port = ports.free_port()
        env = _environment(network, folder, f"http://127.0.0.1:{port}", double.base_url)
        layout = Layout(folder / "here")
        layout.make()
        product = Product(Stack(layout, Options(layout.data), port, None, None, None), {**env, **from_here}, double)
        Program("prepare", ["-c", PREPARE], product.env, layout.logs).run()
        stack.enter_context(_processes(hosts, {**env, **from_hosts}, folder))
        upstream = ",".join(f"{host.address}:{WEB_PORT}" for host in (hosts.web, hosts.second))
        stack.enter_context(nginx_without_tls(layout.data, port=port, plain_port=ports.free_port(), upstream=upstream))
        installation = HostedProduct(product, hosts, env["PUBLIC_URL"])
        wait_for(installation.is_ready, "both web processes were ready")
        yield installation


def _environment(network: Network, folder: Path, url: str, provider: str) -> dict[str, str]:
    files = folder / "files"
    files.mkdir()
    return {
        **os.environ,
        "REDIS_PREFIX": "hosts",
        "PUBLIC_URL": url,
        "FILES_URL": "",
        "FILES_DIR": str(files),
        "DEMO_PROVIDER_URL": provider,
        "EGRESS_ALLOW": urlsplit(provider).netloc,
        "FORWARDED_ALLOW_IPS": network.address,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        "DRAIN_S": "5",
        "API_CHATS_PER_MINUTE": "0",
    }


@contextmanager
def _stores(host: Host, network: Network, folder: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """PostgreSQL and Valkey on the host; gives the variables for this machine, which reaches PostgreSQL by its socket, and for hosts."""
    layout = Layout(folder / "stores")
    layout.make()
    postgres = Postgres(layout, postgres_privileges(), listen_addresses=host.address)
    postgres.initialise()
    with (layout.pgdata / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {network.addresses} trust\n")
    child, valkey = postgres_child(postgres), Server(folder / "valkey", "--requirepass", PASSWORD, host=host.address)
    try:
        with host.inside():
            restart(child)
            valkey.start()
        postgres.create_roles()
        urls, redis_url = database_urls(postgres), f"redis://:{PASSWORD}@{host.address}:{valkey.port}"
        remote = {name: _by_tcp(url, host.address) for name, url in urls.items()}
        yield {**urls, "REDIS_URL": redis_url}, {**remote, "REDIS_URL": redis_url}
    finally:
        end(child, child.stop_signal)
        valkey.kill()
        layout.remove_sockets_dir()


def _by_tcp(url: str, address: str) -> str:
    return urlsplit(url)._replace(netloc=f"{urlsplit(url).username}@{address}", query="").geturl()


@contextmanager
def _processes(hosts: Hosts, env: Mapping[str, str], folder: Path) -> Iterator[None]:
    """Web processes, workers and beat, each on its host."""
    web = web_arguments("--host", "0.0.0.0", "--port", str(WEB_PORT))
    address = ("127.0.0.1", WEB_PORT)
    places = [
        (hosts.web, [_child("web", web, env, folder, address)]),
        (hosts.worker, [_child("worker", worker_arguments(), env, folder), _child("beat", beat_arguments(), env, folder)]),
        (
            hosts.second,
            [
                _child("second-web", web, {**env, "RUN_EXECUTOR": "celery"}, folder, address),
                _child("second-worker", worker_arguments(), env, folder),
            ],
        ),
    ]
    try:
        for do in (Child.launch, Child.ready):
            for host, children in places:
                with host.inside():
                    for child in children:
                        do(child)
        yield
    finally:
        for host, children in places:
            host.reconnect()
            for child in children:
                end(child, signal.SIGKILL)


def _child(name: str, arguments: list[str], env: Mapping[str, str], folder: Path, address: tuple[str, int] | None = None) -> Child:
    data = folder / name
    data.mkdir()
    program = Program(name, arguments, {**env, "PARLEY_DATA_DIR": str(data)}, data, address)
    return Child(name, program.start, program.wait_ready, program.log, stop_rank=0, grace_s=10)
