"""Services of evaluations: what admins change, and the work of experiments."""
