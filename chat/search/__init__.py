"""The index of conversations' texts, which finds messages by their words (docs/decisions/0034).

- `words`: what counts as a word, how it is stored, and what a query asks for.
- `indexing`: brings the index up to date in the background, and takes out what is deleted.
- `search_sql`: the two functions through which the app role reads the index.
- `snippets`: the piece of a text around what was found.

chat.conversations.search answers members. Called by it, by the services there, and by chat.tasks.
"""
