"""Single sign-on of an organization by its own OpenID Connect provider (docs/decisions/0032).

- `handshake`: the way to the provider and back: what is asked of it, what is kept of that, and what its answer must then have and proves.
- `tokens`, `metadata`: checks of what a provider signs; its addresses and keys. `presets`: what each provider calls things.
- `domains`, `services`, `claim_rules`, `rights`: what the organization sets, and who may; `people`: who comes in, and as what.
- `sign_on_rule`, `direct_sign_ins`: the rule "only by sign-on", and the owner who may come in beside it. `reminders`: of a secret that ends.
- `views`, `entry_points`, `logout`: the pages of people; `admin` with `forms`, `page` and `trial`: the one of admins. `errors`.
"""
