"""A strict double of the OpenAI API: models, responses and chat/completions, the last also as compatible servers speak it."""

from doubles.openai.app import OpenAIDouble
from doubles.openai.quirks import ServerQuirks

__all__ = ["OpenAIDouble", "ServerQuirks"]
