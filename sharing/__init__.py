"""Sharing by link (SPEC 7.9, docs/decisions/0047): a page that shows a conversation or an artifact to whoever has its address.

- `services` (writes), `selectors` (who may open a link, own links), `policy` (what the organization allows), `tokens`: links.
- `content` and `markdown`: what a link shows, as HTML. `checks`: what an owner should look at before sharing.
- `continuing`: a member's own conversation made from a shared one.
- `rights`: what named people may do; `comments/`: what they say. `cards`: the picture that messengers show.
- `people`: whom a link can name. `passwords`: the password of a link for anyone. `bare_pages`: pages without script and cookie.
- `page`: the page at `/s/<token>/`; `shapes`, `views`, `urls`: the REST API; `admin`: the page of the organization's admins.
"""
