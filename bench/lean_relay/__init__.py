"""The lean relay: the least with a database that a reasonable developer would write, for comparison with Parley.

It stands for the relay beside which the goals were set (`bench/goals.py`): Django and Channels over uvicorn, sign-in by Django's session,
question and answer stored by the ORM, the model's lines passed on over the WebSocket. It takes and sends those frames of Parley's socket that the benchmark's
client knows.

It lacks everything that makes a product: tenancy, rights, limits, budgets, audit, metrics, streams that resume, answers that survive a
crash, stopping, tools, titles, files, more than one provider. It looks at a session once, when the socket opens.

- `settings`, `models`, `seed`: a Django project with two tables and a user.
- `application`: sign-in, socket and the call of the model.

`bench/stack/lean_relay.py` starts it.
"""
