"""The empty conversation's greeting and starters."""

from __future__ import annotations

WELCOME = {
    "title": "What shall we work on?",
    "prompts": [
        {"title": "Write a document", "text": "Write a document about the history of tea, with a short table of the main kinds."},
        {"title": "Explain something", "text": "Explain how a database index works, with a small example in SQL."},
        {"title": "Compare options", "text": "Compare three ways to store passwords in a table, and say which one to choose."},
        {"title": "Draft a letter", "text": "Draft a friendly letter that asks a supplier for a better delivery date."},
    ],
}
