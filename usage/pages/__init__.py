"""What admins see and download of usage: the page (`overview.py`, its `cards.py`, `table.py` and `figure_texts.py`), exports, the monthly
statement, differences to a provider's figures (`differences.py`).

`usage/admin.py` calls this room; `usage/platform/` and `usage/tools/` take texts of figures and links from it.
"""
