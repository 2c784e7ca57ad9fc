"""Figures of a period: what the address asks for (`query.py`), sums (`sums.py`), percentiles of times (`percentiles.py`), names (`labels.py`),
pages for programs (`lists.py`), sums by conversation (`conversations.py`), *My usage* (`summary.py`), what calls without a price
cost by later prices (`later_prices.py`).

The rooms `pages/`, `reconciliation/`, `savings/` and `tools/`, and `usage/views.py`, read from here.
Everything needs the organization's `tenant_tx`.
"""
