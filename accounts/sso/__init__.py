"""Single sign-on of an organization by its own OpenID Connect provider (docs/decisions/0032).

- `metadata`, `tokens`, `handshake`: the protocol, as strict as its specification allows.
- `domains`, `services`, `rules`: what the organization sets; `people`: who comes in, and as what.
- `views`, `logout`, `admin`: the pages.
"""
