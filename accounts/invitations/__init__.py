"""Invitations to an organization: to a list of addresses, from a CSV file, or by a link.

- `services`: what admins do with them; `acceptance`: what invited people do. Pages, REST views and `session` call these.
- `admin`, with `forms`: the page of admins.
- `addresses`: lists of addresses as people write them; `tokens`: the links; `mails`; `verified_addresses`: which addresses a user owns.
"""
