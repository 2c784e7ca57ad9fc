"""What members think of answers, as admins read it (SPEC 6.2, 8.7): a list with filters, marked as seen and assigned.

`filters` and `selectors` read, `services` marks and assigns, `page` puts the list together; `admin` is its page.
"""
