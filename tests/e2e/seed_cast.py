"""`python -m tests.e2e.seed_cast`, in the product's environment: the cast of the tenancy tests, each organization with its demo provider."""

from __future__ import annotations

import django
from django.db import transaction

if __name__ == "__main__":
    django.setup()
    from accounts.sso.domains import domain_prove_by_operator
    from admin_config.defaults.platform import CHAT_AGENT, agent_key
    from admin_config.defaults.providers import DEMO_PROVIDER
    from admin_config.models import AgentConfig, AgentTool, ToolSource
    from admin_config.services.configuration import organization_seed, release_publish
    from tenants.context import database_alias, tenant_tx
    from tenants.models import Membership, Organization, User
    from tests.support.accounts.cast import PASSWORD, make_cast

    with transaction.atomic(using="owner"), database_alias("owner"):
        cast = make_cast()
        User.objects.create_user("nina@example.org", PASSWORD, name="Nina")  # of no organization yet
        frank = User.objects.create_user("frank@example.org", PASSWORD, name="Frank")  # of test_accounts
        Membership.objects.create(organization=cast.other, user=frank, role=Membership.Role.MEMBER)
        carol = User.objects.create_user("carol@example.org", PASSWORD, name="Carol")  # of test_new_chats
        Membership.objects.create(organization=cast.other, user=carol, role=Membership.Role.MEMBER)
        kestrel = Organization.objects.create(name="Kestrel", slug="kestrel")  # of test_owner_pages, then of test_sign_on, which closes it
        for name, role in {"erik": Membership.Role.OWNER, "petra": Membership.Role.MEMBER}.items():
            person = User.objects.create_user(f"{name}@kestrel.example", PASSWORD, name=name.capitalize())
            Membership.objects.create(organization=kestrel, user=person, role=role)
        finch = Organization.objects.create(name="Finch", slug="finch")  # of test_publishing
        greta = User.objects.create_user("greta@example.org", PASSWORD, name="Greta")
        Membership.objects.create(organization=finch, user=greta, role=Membership.Role.OWNER)
    for organization in (cast.acme, cast.other, kestrel, finch):
        with tenant_tx(organization.pk):
            organization_seed(organization_id=organization.pk)
    domain_prove_by_operator(organization_id=kestrel.pk, domain="kestrel.example", by_user_id=None)
    with tenant_tx(cast.other.pk):  # of test_new_chats: a tool that members switch
        stock = ToolSource.objects.create(
            name="stock",
            kind="http",
            settings={
                "method": "GET",
                "url": "https://stock.example/",
                "description": "Looks at the stock.",
                "input_schema": {"type": "object"},
            },
            member_switch=ToolSource.MemberSwitch.STARTS_OFF,
            switch_label="Use stock system",
            switch_hint="Live numbers from the warehouse",
        )
        AgentTool.objects.create(agent=AgentConfig.objects.get(key=agent_key(CHAT_AGENT, DEMO_PROVIDER)), source=stock)
        release_publish(organization_id=cast.other.pk)
