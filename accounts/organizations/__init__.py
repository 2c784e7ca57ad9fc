"""The life of an organization: making, name, logo, address, policy, suspension, transfer and deletion."""
