"""What limits and budgets refused: counted events of the audit log, one for each limit, member and minute (docs/decisions/0071).

`reading.py` adds them up; `limits/admin.py` shows them through `page.py`, and accounts.organizations.refusal_mails tells owners of those
that repeat. Nobody else calls this room.
"""
