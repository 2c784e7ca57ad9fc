"""The REST API as a whole: its root URLs, OpenAPI schema, documentation page and error handlers.

`config.urls` mounts `urls` and `rest_urls` and names the handlers in `errors`. The settings name `inspector.RestSchema`. The REST
views themselves live in the apps.
"""
