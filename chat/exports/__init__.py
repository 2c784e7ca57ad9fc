"""A whole conversation as a file: Markdown, PDF, Word, or a ZIP with its documents (SPEC 7.9, docs/decisions/0066).

- `contents`: which messages and versions an export has, and reads of them, each small and in a transaction of its own.
- `pieces`: what a message and a document become, the same for all formats. `markdown`, `documents`, `archive`: the formats.
- `views`: the REST call, through chat/urls.py.

All of it as JSON, for programs and for a member's own export, is `chat.conversations.export`.
"""
