"""Web access for tools: reading a page, and asking a search engine. Called by agents.tools.sources (`fetch_url`, `search`)."""
