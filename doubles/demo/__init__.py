"""The demo provider: the strict doubles with a built-in script, for people who have no key yet (SPEC 2.8).

    uvicorn doubles.demo:application    # the wires of Gemini, Anthropic and OpenAI at one address

DEMO_PACE: 1 (default) is a real model's pace, 2 twice as fast, 0 as fast as the client reads (tests, benchmarks).

- `server`: the wires at one address. `replies`: which part answers a request. `conversation`: what a request says so far.
- The chat agent: `chat` chooses among the scenes (`tool_scenes`, `own_tools`, `admin_tools`, `provider_scenes`,
  `interjections`), the prepared answers (`samples`, `showcase`) and the calls of other agents
  (`artifact_calls`). `titles` names chats.
- The agents that write: `artifact_texts`, from `documents`, `programs` and `diagrams`, which also change what is there.
- What tools find: `web_pages`. What the model draws: `pictures`.
"""

from __future__ import annotations

import os

from doubles.demo.replies import DemoScript
from doubles.demo.server import DemoServer


def demo_pace() -> float:
    """Return DEMO_PACE of the environment. Raises ValueError naming it when it is not a number from 0 to 1000."""
    value = os.environ.get("DEMO_PACE", "1")
    try:
        pace = float(value)
    except ValueError:
        pace = -1.0
    if not 0 <= pace <= 1000:
        raise ValueError(f"DEMO_PACE must be a number from 0 to 1000, not {value!r}.")
    return pace


application = DemoServer(DemoScript(pace=demo_pace()))

__all__ = ["DemoScript", "DemoServer", "application", "demo_pace"]
