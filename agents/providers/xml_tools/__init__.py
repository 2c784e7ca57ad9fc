"""Tool calls in plain text (SPEC 2.7), for models whose endpoint drops the tools field.

agents.runtime calls it through `conversion`.

- `conversion`: tools, calls and results as text of a prompt, and the calls in an answer's text as tool calls.
- `parser`: finds calls in text as it arrives.
"""
