"""Sockets of live documents: members who write one text together (docs/decisions/0069). URLs alone come in, through `chat.routing`.

- `consumer`: one member's socket; `frames`: what it sends.
- `rooms`: the sockets of one document in this process, and what they are told.
- `writing`: changes of several pages, stored together.
- `presence`: who has the document open, in all processes.

Documents, updates and versions are artifacts.live's.
"""
