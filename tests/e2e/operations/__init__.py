"""What owners, admins and the operator look after: the overview, the board of operations, the audit log, retention, organizations."""
