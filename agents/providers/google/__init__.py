"""Google's Gemini API: `adapter` sends a request and streams the answer, the other modules convert both directions.

Loaded by name through `agents.providers.registry`; nothing else is called from outside.
"""
