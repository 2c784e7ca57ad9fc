"""The index of conversations' texts, which finds messages and documents by their words (docs/decisions/0034, 0116).

- `words`: what counts as a word, how it is stored, and what a query asks for.
- `indexing`: brings the index of messages up to date in the background, and takes out what is deleted.
- `documents`: the same for the newest versions of documents.
- `due_rows`: what is to be indexed next, of all organizations in turn.
- `search_sql`: the three functions through which the app role reads the index.
- `snippets`: the piece of a text around what was found.

chat.conversations.search answers members. Called by it, by the services there, and by chat.tasks.
"""
