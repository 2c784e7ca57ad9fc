"""The OpenAI-compatible API (SPEC 5.4, docs/api.md): models and chat completions over the organization's agents.

`config.urls` mounts `urls`; chat.mcp_server asks agents by `agent_completion`. `views` answers a request without tools by `agent_completion` (a run of
the chat agent) and one with the caller's tools by `pass_through` (a single model call). Both implement `completion.CompletionSource`.

- `requests`: what a caller sends. `completion_format`, `errors`, `limit_headers`: what it gets. `model_catalogue`: what it may name.
- `agent_questions` stores the question of an `agent_completion`, `answer_text` is its text as it comes.
- `pass_through_text`: the same of a `pass_through`; `stored_tool_calls`: its answers that call the caller's tools, for the next request.
"""
