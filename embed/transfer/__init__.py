"""How a visitor's conversations become somebody else's: the visitor's whom the page signs in, or a member's who signs in here (docs/decisions/0087).

- `services`: the move, in one transaction.
- `codes`: what names a visitor to the page on which a member takes over. `page`: that page.

`embed/api/session_view.py` and `embed/api/views.py` call `services` and `codes`; URLs alone lead to `page`.
In the browser `frontend/src/embed/transfer.ts` asks for the code and opens the page.
"""
