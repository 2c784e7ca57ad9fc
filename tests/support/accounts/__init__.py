"""The people of tests, and what they sign in with: mail, passkeys, and an OpenID provider."""
