"""A strict double of the Claude API: messages (streamed or not), token counts and models.

Called through `AnthropicDouble`; tests also use single modules.
"""

from doubles.anthropic.app import AnthropicDouble

__all__ = ["AnthropicDouble"]
