"""The chat APIs for browsers and API tokens: the chat socket, server-sent events, REST views and the chat page.

`chat.urls`, `chat.token_urls` and `chat.routing` mount the views and consumers. chat.openai_api uses `run_streams`, `sends` and `sse`,
chat.mcp_server `sse`, evaluations `sends`; the sockets of chat.live and embed build on `member_socket` and `consumers`; config.api.schema
uses `frames` and `rest.schemas`. Views parse, call one service or selector, and render; they contain no rules.

- `consumers`: the sockets, on `member_socket`, with `socket_limits`, `group_renewal` and `access_watch` (two `periodic_checks`); `sse`: event
  streams.
- `chat_requests`, `run_streams`: what both share; `sends`, `questions`, `edits`: a send and its run; `frames`, `client_messages`: what
  clients send.
- `rest`: the REST views; `page`, `boot`: the chat page; `trial_views`: the trial of a draft.
"""
