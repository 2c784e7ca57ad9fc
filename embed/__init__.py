"""Chats of an organization's agents on other people's web pages (SPEC 5.7, docs/embedding.md, docs/decisions/0054).

- `models`, `services`: an organization's embeds and their visitors; what admins change. `keys`: the public key of an embed.
- `visitors`, `host/`, `access`: who a visitor is: a host site's signed token or a random one, and the bearer made of it.
- `transfer/`: what a visitor wrote goes along at sign-in.
- `session_view`, `views`, `consumers` with `waiting_sockets`: the ways in for visitors, all of them below /embed/, none of them with a
  cookie. `visible`: what a visitor gets of an answer. `titles`: tells the socket the title that a model wrote. `schemas`: the JSON.
- `page`: the script for other people's pages, and the page of its frame.
- `earlier_messages`: a conversation that begins with what the page says was said.
- `admin`, `forms`, `limit_rows`, `statistics`: the admins' page.

URLs alone lead here: `urls` and `routing`. Nothing imports this package but config.
"""
