"""Web access for tools: reading a page (`pages`), and asking a search engine (`search`); `cache` keeps both.

Called by agents.tools.sources (`fetch_url`, `search`).
"""
