"""One plugin at one run: its calls are limited and guarded, so that it can neither break the run nor hold it up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import structlog

from agents.engine.errors import RunError
from agents.plugins.base import Ask, Plugin, PluginContext, RunFacts
from agents.plugins.lanes import Lane, Work
from tenants.errors import ParleyError

log = structlog.get_logger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds. `answer`: of a hook that the run waits for. `background`: of one that it does not."""

    answer_s: float = 5.0
    background_s: float = 10.0
    finish_s: float = 15.0


class Participant:
    """`ask`: the plugin's own way to ask the model. `lane`: its background work."""

    def __init__(self, name: str, plugin: Plugin[Any], *, run: RunFacts, ask: Ask, limits: Limits | None = None) -> None:
        self.name, self.lane = name, Lane()
        self._plugin, self._limits = plugin, limits or Limits()
        self._context = partial(PluginContext, run=run, ask=ask, later=partial(self._put, "later"))
        self._ids = {"plugin": name, "organization_id": str(run.organization_id), "run_id": str(run.run_id)}

    def takes(self, hook: str) -> bool:
        """Whether the plugin overrides the method of this name."""
        return getattr(type(self._plugin), hook) is not getattr(Plugin, hook)

    async def answer(self, hook: str, step: int, *arguments: object) -> Any:
        """What the plugin's method gives; None when it fails or takes too long."""
        limit_s = self._limits.finish_s if hook == "on_finish" else self._limits.answer_s
        return await self._guarded(hook, self._call(hook, step, *arguments), limit_s)

    def tell(self, hook: str, step: int, *arguments: object) -> None:
        """Call the plugin's method in the background, after its earlier calls."""
        self._put(hook, partial(self._call, hook, step, *arguments))

    def _call(self, hook: str, step: int, *arguments: object) -> Awaitable[Any]:
        call: Awaitable[Any] = getattr(self._plugin, hook)(self._context(step=step), *arguments)
        return call

    def _put(self, hook: str, work: Work) -> None:
        async def limited() -> None:
            await self._guarded(hook, work(), self._limits.background_s)

        if not self.lane.put(limited):
            log.warning("plugin_work_dropped", hook=hook, **self._ids)

    async def _guarded(self, hook: str, call: Awaitable[Result], limit_s: float) -> Result | None:
        try:
            async with asyncio.timeout(limit_s):
                return await call
        except TimeoutError:
            log.warning("plugin_too_slow", hook=hook, limit_s=limit_s, **self._ids)
        except (RunError, ParleyError) as error:
            log.warning("plugin_failed", hook=hook, code=error.code, reason=str(error), **self._ids)
        except Exception:  # a plugin is foreign code: its bug must not end the run
            log.exception("plugin_failed", hook=hook, **self._ids)
        return None
