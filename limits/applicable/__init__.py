"""What applies to one member's messages, for admins: "why was Jonas refused?" (SPEC 8.5).

`limits.py` and `budgets.py` read it, with the row that each comes from. `page.py` says it in words, tightest first. Nobody but
`limits.admin` calls this room.
"""
