"""Single sign-on of an organization by its own OpenID Connect provider (docs/decisions/0032).

- `metadata`, `tokens`, `handshake`: the protocol, as strict as its specification allows. `presets`: what each provider calls things.
- `domains`, `services`, `rules`, `rights`: what the organization sets, and who may; `people`: who comes in, and as what.
- `sign_on_rule`, `direct_sign_ins`: the rule "only by sign-on", and the owner who may come in beside it. `reminders`: of a secret that ends.
- `views`, `entry_points`, `logout`: the pages of people; `admin` with `forms`, `page` and `trial`: the one of admins. `errors`.
"""
