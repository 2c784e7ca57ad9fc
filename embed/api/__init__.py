"""The ways in for visitors: all of them below /embed/, none of them with a cookie. `embed.urls` and `embed.routing` mount them.

config.api takes the shapes of JSON from `schemas`. Nobody else calls this room.

- `page`: the script for other people's pages, and the page of its frame.
- `session_view`: a host's token or a visitor's own becomes a bearer. `views`: REST calls with it.
- `consumers`: the socket, with `waiting_sockets` (those that have not said whose they are) and `titles` (what it says unasked).
- `visibility`: what a visitor gets of an answer. `earlier_messages`: a conversation that begins with what the page says was said.
- `schemas`: the JSON.
"""
