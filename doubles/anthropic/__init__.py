"""A strict double of the Claude API: messages (streamed or not), token counts and models.

Called through `AnthropicDouble`; tests also use single modules.

`app` takes a request, checks it (`request_schema`, `config_rules`, `history_rules`, `signatures`, by what `models` take) and plays the
scripted answer (`stream`, `server_tools`, `player`). `request`: what scripts read of it. `errors`: how refusals look.
"""

from doubles.anthropic.app import AnthropicDouble

__all__ = ["AnthropicDouble"]
