"""Sharing by link (SPEC 7.9, docs/decisions/0047): a page that shows a conversation, an answer or an artifact to whoever has its address.

- `services` (writes), `selectors` (who may open a link, own links), `policy` (what the organization allows), `tokens`: links.
- `models`: the tables.
- `content`, `markdown`, `formulas`: what a link shows, as HTML; which kinds of entries that may be, `chat.conversations.plain_branch` decides.
- `checks`: what an owner should look at before sharing.
- `continuing`: a member's own conversation made from a shared one.
- `rights`: what named people may do; `comments/`: what they say. `people`: whom a link can name.
- `pages/`: the page at `/s/<token>/` and those below it; `shapes`, `views`, `urls`: the REST API; `admin`: the page of the organization's admins.
"""
