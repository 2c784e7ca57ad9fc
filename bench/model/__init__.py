"""The model of a benchmark: a server that costs little, and the relay that passes its bytes on. `bench/stack/processes.py` starts both.

- `server`, `scheduler`: the server, with one timer for all streams.
- `answer_bytes`: what it sends, with tokens that carry their time.
- `relay`: the simplest possible product, for comparison.
"""
