"""`manage.py` commands of usage."""
