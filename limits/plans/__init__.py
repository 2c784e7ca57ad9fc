"""Plans: sets of limits and budgets that the platform's operator gives to organizations (docs/decisions/0065).

`services.py` writes an organization's rows, `admin.py` has the pages on the operator's site, and `read_only.py` shows its rows
on the organization's. `counters.py` says which counters they share with the organization's own limits. The modules of limits itself call them.
"""
