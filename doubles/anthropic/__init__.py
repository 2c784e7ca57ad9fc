"""A strict double of the Claude API: messages (streamed or whole), token counts and models."""

from doubles.anthropic.app import AnthropicDouble

__all__ = ["AnthropicDouble"]
