"""Health checks of a web process: liveness (/healthz) and readiness (/readyz)."""

from __future__ import annotations

import redis.asyncio
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from chat.runs.recovery import is_recovery_alive
from chat.runs.supervisor import RunSupervisor
from tenants.db import in_db
from tenants.errors import Busy


async def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 as long as the process responds. A process that fails this check should be restarted."""
    return JsonResponse({"status": "ok"})


async def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 when database and Redis respond, a worker looks for lost runs, and the process is not draining, else 503.

    503: send this process no traffic for now.
    """
    is_serving = not RunSupervisor.current().is_draining
    services = {
        "database": await _database_is_up(),
        "redis": await _redis_is_up(),
        "recovery": await is_recovery_alive(),
        "process": is_serving,
    }
    is_ready = all(services.values())
    return JsonResponse({"status": "ok" if is_ready else "not ready", **services}, status=200 if is_ready else 503)


async def _database_is_up() -> bool:
    try:
        await in_db(_select_one)
    except (DatabaseError, Busy):
        return False
    return True


def _select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select 1")


async def _redis_is_up() -> bool:
    client = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2)
    try:
        await client.echo("ready")
    except redis.RedisError:
        return False
    finally:
        await client.aclose()
    return True
