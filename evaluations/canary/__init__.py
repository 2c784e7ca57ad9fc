"""How a canary does beside the live release, and the rules that end it (docs/decisions/0057).

- `rules`: what admins set: limits and when to decide.
- `sequences`: intervals that hold at every look; pure.
- `sums`: sums over the runs of both releases, in one statement.
- `measures`: what the sums mean: differences, limits, verdicts; pure.
- `decisions`: whether to take back, promote or ask; pure.
- `curves`: how it did over time, as the page draws it.
- `looks`: reads, decides and acts; called by `evaluations.tasks` and by the canary's page.
- `notices`: the mails to owners and admins.
"""
