"""`manage.py` commands of accounts."""
