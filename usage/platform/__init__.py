"""What the platform's operator sees of all organizations: figures alone, no texts.

`usage/admin.py` alone calls this room, through `overview.py`.
"""
