"""The stack under test: Parley's processes, their data and their CPU cores. The measuring modules of bench use `processes` and `seed`.

- `processes`: starts Parley as `make run` does, in a temporary directory.
- `seed`: the data, made by a process of its own. `cores`: which CPU cores the processes get.
"""
