"""Usage by tool: how often tools ran in chats, how that ended, how long it took and how much text they gave (docs/decisions/0084).

`result_sums.py` is the SQL over the stored results, `rollup.py` adds them up by day, `reading.py` reads sums of a period, `page.py` and
`exports.py` show them. `usage/rollup.py` calls `rollup.py`, `usage/admin.py` the pages.
"""
