"""Who a visitor is. `embed.api` and `embed.transfer` use it, and nobody else.

- `services`: a visitor is found or made, by a host's checked token or by a random one of their own.
- `bearers`: the bearer of 15 minutes that lets a visitor in, and who is refused.
"""
