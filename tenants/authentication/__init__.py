"""Authentication: by which session or API token a request comes, and how its person proved who they are.

- `sessions`: the session rows and SESSION_ENGINE; `session_auth`: session, user and membership in one query.
- `session_proof`: second factors and recent proofs (a sign-in is one, for 15 minutes); accounts writes them, and the admin sites and REST ask for them.
- `tokens`: API tokens; security.api_tokens makes them.

tenants.access says what somebody may do.
"""
