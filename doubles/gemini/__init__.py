"""A strict double of the Gemini API (v1 and v1beta): models, generateContent and streamGenerateContent.

Called through `GeminiDouble`; bench also uses `stream` to render an answer's bytes, and tests use single modules.

`app` takes a request, checks it (`request_schema` by `proto`, `config_rules`, `history_rules`, `signatures`, by what `models` take) and plays
the scripted answer (`stream`, `server_tools`, `player`). `request`: what scripts read of it. `errors`: how refusals look.
"""

from doubles.gemini.app import GeminiDouble

__all__ = ["GeminiDouble"]
