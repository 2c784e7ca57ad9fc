"""GitHub through its MCP server: connections with a member's own token, and what the chat's file browser asks of it."""
