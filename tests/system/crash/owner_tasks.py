"""What a forked owner does: it asks a question as the web process does, or takes a run over as a worker does."""

from __future__ import annotations

import asyncio
import signal
from importlib import import_module
from pathlib import Path
from uuid import UUID, uuid4

from celery import current_app
from google.genai import types

from chat.api.client_messages import ClientMessage, MessagePart
from chat.api.frames import ChatOptions, ChatRequest
from chat.api.run_streams import request_post
from chat.runs.recovery import take_over
from chat.runs.supervisor import RunSupervisor
from tenants.access import Actor, actor_for
from tests.system.crash.injection import inject_crash
from tests.system.crash.points import Trigger
from tests.system.crash.processes import OwnerTask

HUNG_S = 60
NOT_CLAIMED = 3
# What a run loads when it first needs it: loaded before the forks, it is loaded once.
_NEEDED_LATER = (
    "agents.providers.google.adapter",
    "anyio._backends._asyncio",
    "celery.canvas",
    "channels_redis.core",
    "google.auth.aio.credentials",
    "kombu.transport.redis",
    "psycopg_pool",
)


def warm_up() -> None:
    for name in _NEEDED_LATER:
        import_module(name)
    current_app.finalize()
    for model in (types.HttpOptions, types.GenerateContentConfig, types.Part, types.UserContent):
        model.model_rebuild()


def run_task(task: OwnerTask) -> int:
    """The exit code: 0 when the run is over, NOT_CLAIMED when it was not free. A process that hangs is ended by SIGALRM."""
    signal.alarm(HUNG_S)
    with inject_crash(Trigger(task.crash), Path(task.letters)):
        if task.run_id:
            return 0 if asyncio.run(_take_over(UUID(task.run_id))) else NOT_CLAIMED
        asyncio.run(_ask(actor_for(user_id=task.user_id, slug=task.slug), task))
        return 0


async def _take_over(run_id: UUID) -> bool:
    is_claimed = await take_over(run_id)
    await RunSupervisor.current().drain(HUNG_S)
    return is_claimed


async def _ask(actor: Actor, task: OwnerTask) -> None:
    message = ClientMessage(id=uuid4().hex, role="user", parts=[MessagePart(type="text", text=task.text)])
    await request_post(actor, ChatRequest(id=task.chat_id, messages=[message], options=ChatOptions(thinking=True)))
    await RunSupervisor.current().drain(HUNG_S)
