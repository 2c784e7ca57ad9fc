"""The REST views of conversations, messages, runs and what belongs to them (docs/rest.md), one module for each subject.

`chat.urls` mounts them. `schemas` holds their queries, bodies and answers; config.api.schema describes them from there.
"""
