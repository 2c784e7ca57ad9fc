"""The chat APIs for browsers and API tokens: the chat socket, server-sent events, REST views and the chat page.

`chat.urls`, `chat.token_urls` and `chat.routing` mount the views and consumers. chat.openai_api uses `run_streams`,
`sends` and `sse`;
`config.api.schema` uses `frames` and `schemas`. `run_streams` and `chat_requests` are shared by the socket and the event streams.
Views parse, call one service or selector, and render; they contain no rules.
"""
