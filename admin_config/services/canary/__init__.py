"""Canaries: a release that some members get before everybody else (docs/decisions/0057).

- `choice`: which release a member gets, as SQL; selectors.py and chat.storage.send_facts read with it.
- `lifecycle`: begins, promotes and takes back; called by the admin's pages and by evaluations.canary.
"""
