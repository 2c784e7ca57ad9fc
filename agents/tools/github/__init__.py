"""GitHub through its MCP server: connections with a member's own token, and the chat's file browser.

Called by agents.api (`browsing`, `connection`) and agents.tools.sources.github (`connection`, `settings`).
"""
