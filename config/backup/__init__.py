"""`manage.py backup` and `manage.py restore`: the database and the files in one encrypted directory (docs/decisions/0059).

- `sealing`: encryption of a part while it is written and read.
- `archive`: the directory, its manifest and its check.
- `programs`: PostgreSQL's own pg_dump and pg_restore.
- `making`, `restoring`: what the commands call.
"""
