"""What goes wrong in a soak, a fault each minute in turn. Each returns when the fault is over, not when everybody has noticed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from tests.deploy.stores.sentinels import Sentinels
from tests.deploy.stores.valkeys import PASSWORD
from tests.support.system.product import Product, Web, wait_for
from tests.support.system.product_servers import end, restart
from tools.embedded.children import Child
from tools.embedded.environment import DATABASE_VARIABLES

LOCK_S = 4.0  # longer than a statement waits for a lock
_END_BACKENDS = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database() and usename = current_user"


@dataclass(frozen=True)
class Place:
    """`second_web`, `second_worker`: those that are killed; the others live from the first minute to the last."""

    product: Product
    sentinels: Sentinels
    second_web: Web
    second_worker: Child

    def dead_processes(self) -> list[str]:
        """The names of processes that ended by themselves."""
        children = [*self.product.children, self.second_web.child, self.second_worker]
        return [child.name for child in children if child.process is None or child.process.poll() is not None]


def kill_web(place: Place) -> None:
    end(place.second_web.child, signal.SIGKILL)
    restart(place.second_web.child)


def kill_worker(place: Place) -> None:
    end(place.second_worker, signal.SIGKILL)
    restart(place.second_worker)


def reset_redis(place: Place) -> None:
    """End all connections to Redis."""
    with place.sentinels.primary().client(password=PASSWORD) as client:
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")


def reset_postgres(place: Place) -> None:
    """End all connections to PostgreSQL."""
    for variable in DATABASE_VARIABLES:
        with psycopg.connect(place.product.env[variable], autocommit=True) as connection:
            connection.execute(_END_BACKENDS)


def lock(place: Place) -> None:
    """Lock the tables of answers, as a migration might."""
    with psycopg.connect(place.product.env["DATABASE_OWNER_URL"]) as owner:
        owner.execute("set lock_timeout = 0; lock table chat_run, chat_part in access exclusive mode")
        time.sleep(LOCK_S)
        owner.rollback()


def fail_over(place: Place) -> None:
    """Kill Redis' primary; the former one comes back as a replica."""
    former = place.sentinels.primary()
    former.kill()
    wait_for(lambda: place.sentinels.primary() is not former, "the Sentinels had another primary")
    former.start()


FAULTS: tuple[Callable[[Place], None], ...] = (kill_web, reset_redis, lock, kill_worker, reset_postgres, fail_over)
