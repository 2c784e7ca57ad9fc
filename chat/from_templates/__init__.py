"""Artifacts made from templates of the gallery (docs/decisions/0055), in a new conversation or in one that is there.

- `services`: makes them. `views`: the REST call, through chat/urls.py.
"""
