"""HTTP tools: their settings, templates and requests.

Called by agents.tools.sources.http, and by agents.api (`request`, `settings`) to try a tool out.
"""
