"""Invitations to an organization: to a list of addresses, from a CSV file, or by a link.

- `services`: what admins do with them, for their page and the operator's; `acceptance`: what invited people do, for the page of an
  invitation and `session`.
- `admin`, with `forms`: the page of admins.
- `addresses`: lists of addresses as people write them; `tokens`: the links; `mails`; `verified_addresses`: which addresses a user owns.
"""
