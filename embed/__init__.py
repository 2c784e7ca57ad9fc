"""Chats of an organization's agents on other people's web pages (SPEC 5.7, docs/embedding.md, docs/decisions/0054).

- `models`, `services`: an organization's embeds and their visitors; what admins change. `keys`: the public key of an embed.
- `host/`: whom a host site signs in. `visitors/`: who a visitor is, and the bearer made of it.
- `transfer/`: what a visitor wrote goes along at sign-in.
- `api/`: the ways in for visitors: the frame's page, the session, REST calls and the socket.
- `admin/`: the admins' page. `tasks`: visitors who stay away are deleted.

URLs alone lead here: `urls` and `routing`. Nothing imports this package but config, and `retention`, which reads the rows.
"""
