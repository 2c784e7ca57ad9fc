"""Accounts: how people come in, prove who they are, join organizations and leave them (SPEC section 1).

Imports limits, admin_config, security and tenants. Users, organizations, memberships and groups are models of tenants.

- `sign_in`: signing in and up; `social`, `sso`: by way of others; `sessions`: where somebody is signed in.
- `invitations`, `members`, `organizations`: who belongs to an organization, and its life.
- `profile`: what people say of themselves, and the end of their account. `mail`: the outbox.
- `network_rate`: how often one network may do something without signing in. `deletion`: what goes with a user.
- `tasks`: mails are sent, with those about budgets and refusals; deletions whose days are over, checks of domains and client secrets,
  the ends of sessions, personal exports.
- `models`, `admin`, `urls`, `management`: tables, Django's entry points and commands.
"""
