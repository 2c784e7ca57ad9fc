"""What the platform's operator sees of all organizations: figures alone, no texts.

- `overview`: the page. `attention`: what needs the operator. `organizations`, `filters`, `organization_health`: the table. `exports`: the same as a file.
- `storage`: counts how much room files take.

`usage/admin.py` calls this room through `overview.py` and `exports.py`, `usage/tasks.py` and the command `usage_rebuild` through
`storage.py`.
"""
