"""What pages and jobs cost over a great many rows, each as a command with a PostgreSQL of its own (docs/performance.md).

`python -m bench.many_rows.overview`, `explorer`, `usage`, `month` and `canary` fill it by `generated_calls`; `search` makes conversations.
"""
