"""The REST views of the agents app (docs/rest.md, docs/protocol.md).

Only agents.urls imports these modules: `catalog_views` (models and agents), `assistant_views`, `github_views` (GitHub picker),
`key_views` (a member's provider keys), `prompt_preview` (what a model gets of a prompt) and `tool_views` (trying an HTTP tool).
"""
