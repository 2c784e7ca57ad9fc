"""Web access for tools: reading a page (`pages`), and asking a search engine (`search`); `cache` keeps both. The
HTML and the documents of a page are read by `files.readers`.

Called by agents.tools.sources (`fetch_url`, `search`).
"""
