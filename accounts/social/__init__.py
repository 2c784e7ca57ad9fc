"""Sign-in with Google, Microsoft and GitHub, by the accounts library (docs/accounts.md).

The operator switches each on by its client id and secret. An account is entered by its link to the provider's account, which is made while
signed in; by its address alone only where the provider runs that mailbox itself.

`adapter`: what the accounts library asks us; `transport`: its requests, sent by `security.egress`; `views`: the pages.
`linked_accounts`: the accounts elsewhere by which somebody comes in, also those at an organization's sign-on.
"""
