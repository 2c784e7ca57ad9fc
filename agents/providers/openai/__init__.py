"""OpenAI's two APIs: `responses_adapter` for OpenAI's own models, `chat_adapter` for any server with Chat Completions.

Loaded by name through `agents.providers.registry`; nothing else is called from outside.
"""
