"""Comments of members on what is shared with them by name, and the page on which they read, write and edit.

- `services`: writes and reads of comments. `shapes`, `views`: the REST calls, through sharing/urls.py. `notices`: what open pages are told; `mails`: what owners and commenters are.
"""
