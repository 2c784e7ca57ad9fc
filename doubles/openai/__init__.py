"""A strict double of the OpenAI API: models, responses and chat/completions, the last also in the dialects of compatible servers.

Called through `OpenAIDouble` and `ServerQuirks`; tests also use single modules.
"""

from doubles.openai.app import OpenAIDouble
from doubles.openai.quirks import ServerQuirks

__all__ = ["OpenAIDouble", "ServerQuirks"]
