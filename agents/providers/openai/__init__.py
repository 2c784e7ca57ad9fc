"""OpenAI's two APIs: `responses_adapter` for OpenAI's own models, `chat_adapter` for any server with Chat Completions.

Loaded by name through `agents.providers.registry`; nothing else is called from outside.

- Requests: `responses_input`, `chat_messages`, `options`, `conversions` (both APIs), `hosted_tools` (what OpenAI runs itself).
- Answers: `responses_assembler`, `chat_assembler`, both on `entry_drafts`; `think_tags`: reasoning inside a text. `errors`.
"""
