"""Deletion for good: rows with everything that hangs on them, whole organizations, and users (docs/decisions/0026).

`services` is what callers use; higher layers tell `registry` what the models can't say; `graph` finds rows and their order.
"""
