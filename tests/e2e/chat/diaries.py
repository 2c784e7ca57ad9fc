"""Long conversations of one member's notes, which no model has to answer."""

from __future__ import annotations

from uuid import UUID

import psycopg

from tests.support.system.product import Product

_ROWS = """
with owner as (
    select m.organization_id, m.id from tenants_membership m
    join tenants_organization o on o.id = m.organization_id join tenants_user u on u.id = m.user_id
    where o.slug = 'acme' and u.email = 'alice@example.org'
), conversation as (
    insert into chat_conversation (id, organization_id, owner_id, client_id, title, title_source, listed, created_at, updated_at)
    select gen_random_uuid(), organization_id, id, '', 'A diary', 'user', true, now(), now() from owner
    returning id, organization_id
), numbered as (
    select n, gen_random_uuid() as id, timestamptz '2025-12-31 10:00Z' + (n - 1) / %(a_day)s * interval '1 day' as at
    from generate_series(1, %(days)s * %(a_day)s) n
), messages as (
    insert into chat_message (id, organization_id, conversation_id, parent_id, role, client_msg_id, created_at)
    select numbered.id, c.organization_id, c.id, before.id, 'user', '', numbered.at
    from conversation c, numbered left join numbered before on before.n = numbered.n - 1
    order by numbered.n
), parts as (
    insert into chat_part (id, organization_id, message_id, position, step, kind, content, created_at)
    select gen_random_uuid(), c.organization_id, numbered.id, 0, 0, 'user_message', json_build_object('text', text), at
    from conversation c, numbered, lateral (select 'Note ' || n || case n %% %(a_day)s when 1 then ': the **Quokka** slept. The quokka woke.' else '' end) as t (text)
)
select conversation.id, conversation.organization_id, (select id from numbered order by n desc limit 1) from conversation
"""


def add_diary(product: Product, days: int, messages_of_a_day: int) -> UUID:
    """Give Alice a conversation of notes, "Note 1" and so on; the first of a day says "quokka" twice. Returns its id."""
    with psycopg.connect(product.env["DATABASE_OWNER_URL"]) as owner:
        row = owner.execute(_ROWS, {"days": days, "a_day": messages_of_a_day}).fetchone()
        assert row is not None
        conversation, organization, newest = row
        owner.execute(
            "update chat_conversation set head_id = %s where id = %s and organization_id = %s", [newest, conversation, organization]
        )
    return UUID(str(conversation))
