"""A strict double of the OpenAI API: models, responses and chat/completions, the last also in the dialects of compatible servers.

Called through `OpenAIDouble` and `ServerQuirks`; tests also use single modules.

- `app`: routes, keys and checks, then the scripted answer, which `player` plays. `request`: what scripts read of a request.
- Rules for requests: `responses_request`, `responses_history`, `chat_request`, `chat_history`; for both APIs `common_rules`,
  `answer_formats` and `validators`. `models`: what each model takes. `errors`: how refusals look.
- Answers: `responses_stream` with `responses_items` and `encrypted_reasoning`, `chat_stream` with `quirks`.
"""

from doubles.openai.app import OpenAIDouble
from doubles.openai.quirks import ServerQuirks

__all__ = ["OpenAIDouble", "ServerQuirks"]
