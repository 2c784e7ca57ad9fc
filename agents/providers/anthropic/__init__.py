"""Anthropic's Messages API: `adapter` sends a request and streams the answer, the other modules convert both directions.

Loaded by name through `agents.providers.registry`. agents.runtime also reads `model_traits`, to tell which options a model accepts.
"""
