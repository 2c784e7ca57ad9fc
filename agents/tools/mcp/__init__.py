"""Talking with MCP servers: connections, definitions that were reviewed, answers that fit a model."""
