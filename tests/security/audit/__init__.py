"""The audit log: which events there are, who reads them, and where else they go."""
