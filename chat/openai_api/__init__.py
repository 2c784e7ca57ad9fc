"""The OpenAI-compatible API (SPEC 5.4, docs/api.md): models and chat completions over the organization's agents.

`config.urls` mounts `urls`; chat.mcp_server asks agents by `agent_completion`. `views` answers a request without tools by `agent_completion` (a run of
the chat agent) and one with the caller's tools by `pass_through` (a single model call). Both implement `completion.CompletionSource`.
"""
