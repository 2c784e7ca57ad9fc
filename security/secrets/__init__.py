"""Secrets: sealed values, and who may open them.

Rooms above call `services` (those of endpoints, tools and sign-on), `registered_secrets` (for tools), `member_keys`, and hold what they get
as `secret_text.SecretText`.

- `vault`: the encryption; `resealing`: seals all under a new key; `lost_keys`: which secrets no key opens; `errors`.
"""
