"""Members of an organization: roles, groups, deactivation, removal and what becomes of what they own, their tokens.

- `services`: changes of members; `roles`: which roles a role may give and take;
  `membership_transactions`: the two that a change needs, for memberships and for what members own.
- `owned_kinds`: what members own, which higher layers add; `ownership`: what becomes of it; `purging`: deletes it in time.
- `owners`: to whom mails about an organization go. `service_accounts`: members without a person. `sign_on`: what accounts.sso writes.
- `admin`, `groups_admin`, `tokens_admin`, with `forms`: the pages; `member_page`: what they share. `errors`: of pages and calls.
"""
