"""Figures of a period: what the address asks for (`query.py`), sums (`facts.py`), percentiles (`times.py`), names (`labels.py`).

The rooms `pages/` and `reconciliation/` read from here. Everything needs the organization's `tenant_tx`.
"""
