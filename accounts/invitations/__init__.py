"""Invitations to an organization: to a list of addresses, from a CSV file, or by a link."""
