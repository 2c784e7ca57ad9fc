"""The OpenAI-compatible API (SPEC 5.4, docs/api.md): models and chat completions over the organization's agents."""
