"""`manage.py doctor`: whether this installation can work, and what to do where it can't (SPEC 9; docs/operations.md).

- `findings`: the type of a result.
- `settings`, `proxy`, `database`, `files`, `redis`, `services`: the checks. None changes what is stored, and none lasts longer than a few seconds.
"""
