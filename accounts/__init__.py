"""Accounts: how people come in, prove who they are, join organizations and leave them (SPEC section 1).

Imports admin_config, security and tenants. Users, organizations, memberships and groups are models of tenants.
"""
