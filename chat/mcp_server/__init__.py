"""The MCP server (SPEC 5.5, docs/api.md, docs/decisions/0083): agents as tools, documents as resources and saved prompts as prompts.

`config.urls` mounts `urls`; nothing else imports this package. `views` lets an API token in and hands the request to the official SDK,
which `sdk_bridge` runs inside the view. `server` names the handlers: `tools`, `resources` and `prompts`, which learn from `requests`
who asks.
"""
