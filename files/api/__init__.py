"""The REST API of files: upload, list, text and bytes (docs/protocol.md). `files.urls` mounts `views`.

- `schemas`: a file as JSON, also for agents.api; `uploads`: handlers that limit uploads while they arrive, also for other forms.
- `origin`: the middleware of a separate origin (FILES_URL).
"""
