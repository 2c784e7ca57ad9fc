"""A provider's own figures beside ours: reading its usage export (`provider_exports.py`), comparing and keeping the result (`comparison.py`).

The admin page and the command `usage_reconcile` call `comparison.py`.
"""
