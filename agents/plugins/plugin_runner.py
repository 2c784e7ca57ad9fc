"""Runs one plugin in one run: guarded and with time limits, so that it can neither break nor block the run.

Its background work runs in order and never outlives the run.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import structlog

from agents.errors import RunError
from agents.plugins.plugin import AskModel, Plugin, PluginContext, PluginRun
from tenants.errors import ParleyError

MAX_QUEUED = 64

BackgroundWork = Callable[[], Awaitable[None]]


class BackgroundQueue:
    """Runs the work of one plugin sequentially, oldest first. The work itself must not raise."""

    def __init__(self) -> None:
        self._queued: deque[BackgroundWork] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_idle(self) -> bool:
        return self._task is None or self._task.done()

    def put(self, work: BackgroundWork) -> bool:
        """Add work. Returns whether there was room; a closed queue accepts everything and does nothing."""
        if self._is_closed:
            return True
        if len(self._queued) >= MAX_QUEUED:
            return False
        self._queued.append(work)
        if self.is_idle:
            self._task = asyncio.create_task(self._run_queue())
        return True

    def close(self) -> None:
        """Discard waiting work, cancel running work and do nothing from now on."""
        self._is_closed = True
        self._queued.clear()
        if self._task is not None:
            self._task.cancel()

    async def wait(self) -> None:
        """Return when all work has ended or was cancelled."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _run_queue(self) -> None:
        while self._queued:
            await self._queued.popleft()()


log = structlog.get_logger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginTimeouts:
    """Time limits in seconds."""

    hook_s: float = 5.0  # for hooks that the run waits for
    background_s: float = 10.0  # for background work
    finish_s: float = 15.0  # for `on_finish`


class PluginRunner:
    """Calls one plugin's hooks. `ask`: the plugin's access to the model. `queue`: its background work."""

    def __init__(self, name: str, plugin: Plugin[Any], *, run: PluginRun, ask: AskModel, limits: PluginTimeouts | None = None) -> None:
        self.name, self.queue = name, BackgroundQueue()
        self._plugin, self._limits = plugin, limits or PluginTimeouts()
        self._context = partial(PluginContext, run=run, ask=ask, run_in_background=partial(self._put, "later"))
        self._ids = {"plugin": name, "organization_id": str(run.organization_id), "run_id": str(run.run_id)}

    @property
    def needs_stored_answer(self) -> bool:
        return self._plugin.needs_stored_answer

    def implements(self, hook: str) -> bool:
        """Return whether the plugin overrides the method of this name."""
        return getattr(type(self._plugin), hook) is not getattr(Plugin, hook)

    async def answer(self, hook: str, step: int, *arguments: object) -> Any:
        """Return the result of the plugin's method; None when it fails or takes too long."""
        limit_s = self._limits.finish_s if hook == "on_finish" else self._limits.hook_s
        return await self._run_guarded(hook, self._call(hook, step, *arguments), limit_s)

    def notify(self, hook: str, step: int, *arguments: object) -> None:
        """Call the plugin's method in the background, after its earlier calls."""
        self._put(hook, partial(self._call, hook, step, *arguments))

    def _call(self, hook: str, step: int, *arguments: object) -> Awaitable[Any]:
        call: Awaitable[Any] = getattr(self._plugin, hook)(self._context(step=step), *arguments)
        return call

    def _put(self, hook: str, work: BackgroundWork) -> None:
        async def limited() -> None:
            await self._run_guarded(hook, work(), self._limits.background_s)

        if not self.queue.put(limited):
            log.warning("plugin_work_dropped", hook=hook, **self._ids)

    async def _run_guarded(self, hook: str, call: Awaitable[Result], limit_s: float) -> Result | None:
        try:
            async with asyncio.timeout(limit_s):
                return await call
        except TimeoutError:
            log.warning("plugin_too_slow", hook=hook, limit_s=limit_s, **self._ids)
        except (RunError, ParleyError) as error:
            reason = str(error) if isinstance(error, ParleyError) else type(error).__name__  # a provider's text may quote the chat
            log.warning("plugin_failed", hook=hook, code=error.code, reason=reason, **self._ids)
        except Exception:  # a plugin is foreign code: its bug must not end the run
            log.exception("plugin_failed", hook=hook, **self._ids)
        return None
