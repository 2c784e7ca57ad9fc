"""Streams: entries as AI SDK chunks, and the event log in Redis that viewers follow.

`chunks`, `tool_chunks` and `delta_merging` are pure; chat.runs, chat.conversations, chat.api and chat.openai_api use them.

- `event_log`: the format of the log, and the signals to a run's owner; chat.storage takes its `LeaseLost`.
- The owner's side: `log_writer` numbers and shows chunks, and closes the log, after whose end nothing follows;
  `log_flusher` sends them to Redis through `log_append`, `log_takeover` reads what a former owner left,
  `shown_length` says how much text viewers have.
- The viewers' side: `hub` follows logs for all viewers of this process through a `log_reader`; a `viewer` gets each chunk once, in order,
  and pulls from the log what it has missed.
"""
