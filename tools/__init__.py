"""Tools around the product: first start, front end build, lock files and the embedded servers.

`bootstrap`, `frontend` and `lock` use the standard library only.
"""
