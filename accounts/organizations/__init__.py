"""The life of an organization: making, name, logo, address, policy, suspension, transfer and deletion.

- `services`: making, name, address, looks and deletion; `former_slugs`: the middleware that leads from a former address to today's; `suspension`, `operator_deletion`: by the operator.
- `member_policy`: what owners and admins decide about members; `second_factor`: of whom one is asked, and from when on. Who has none in time is
  turned away by tenants.authentication.session_proof.
- `admin`, with `forms`: the organization's own page; `operator_admin`: the operator's pages; `own_page`: where somebody makes their own.
- `views`: REST. `budget_mails`, `refusal_mails`: what limits tells owners.
"""
