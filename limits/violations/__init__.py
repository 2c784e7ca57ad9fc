"""What limits and budgets refused: counted events of the audit log, one for each limit, member and minute (docs/decisions/0071).

`reading.py` adds them up; `limits/admin.py` shows them through `page.py`, and accounts.organizations.refusal_mails tells owners of those
that repeat. The pages of embedded chats and the operator's overview count refusals in statements of their own, by the names in
`reading.py`.
"""
