"""Signing in and up, with limits on guessing, second factors and a trace of each outcome.

The accounts library (django-allauth) does the work; `adapter` answers its questions and has
the texts of refusals ("Try again in …").

- `sign_up_policy`: who may make an account; `profile_fields`, `forms`: what they are asked, and what a sign-up with a known address does
  so that it looks like one with a new address. `demo_logins`, `operators`: accounts made by commands.
- `backends`, `breached_passwords`: passwords; `code_views`: codes by mail; `passkeys`: signing in by a passkey alone;
  `factors`, `factor_removal`: second factors.
- `throttle`: counts guesses and says how long to wait, for every way to sign in; `devices`: those that are known. `signals`: what follows signing in and out.
- `addresses`: addresses of people; `mails`: codes, resets and notices of sign-ins.
- `views`, `security_views`, `proof_views`: pages and REST views that the library does not have, or has otherwise.
"""
