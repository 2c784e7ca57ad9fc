"""Streams: entries as AI SDK chunks, and the event log in Redis that viewers follow.

`chunks`, `tool_chunks` and `delta_merging` are pure; chat.runs, chat.conversations, chat.api and chat.openai_api use them. chat.runs
writes event logs through `log_writer`, whose flushes `log_flusher` sends. chat.api and chat.openai_api follow them through `hub`, as a
`viewer`.
`hub` reads logs through a `log_reader`. `event_log` holds the format of the log and the signals to a run's owner; chat.storage takes its `LeaseLost`.
"""
