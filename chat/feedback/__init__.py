"""What members think of answers, as admins read it (SPEC 6.2, 8.7): a list with filters, marked as seen and assigned."""
