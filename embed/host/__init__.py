"""Whom a host site signs in: its tokens, and the keys that they are checked with. `embed` uses it, and nobody else.

- `tokens`: JSON Web Tokens, signed with the embed's secret or with a private key of the host.
- `key_sets`: public keys that an admin entered. `fetched_keys`: those that the host publishes at an address.
"""
