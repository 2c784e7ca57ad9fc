"""SQL of the functions through which the app role reads the index of texts (docs/decisions/0034).

Under row security PostgreSQL uses no GIN index for `@@` and `&&`: they are not leakproof. So these functions run with the rights of the
owner role, and name the organization themselves. They have a fixed search path and full names, and run no text.
"""

from __future__ import annotations

_OWNED = "security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan"


def hits_sql(organization: str, member: str, wanted: str, first: str, last: str, most: str, among: str | None = None) -> str:
    """Return the select that ranks a member's newest hits between two times. The parameters are SQL expressions.

    `among`: an array of conversations, to search only these. It is joined, so that PostgreSQL may begin with the conversations when they
    are few; of an array of thousands it would estimate each element.

    By time, so that a word that stands in many messages is looked for from the newest one on, until there are enough; for a rare one
    PostgreSQL takes the index of words. It chooses by how often the words are, therefore it must know them: force_custom_plan.
    """
    chosen = f"and exists (select from unnest({among}) as chosen (id) where chosen.id = text.conversation_id)" if among else ""
    return f"""
    select found.message_id, found.conversation_id, found.at, ts_rank(found.words, {wanted})
    from (
        select text.message_id, text.conversation_id, text.at, text.words from public.chat_searchtext text
        where text.organization_id = {organization} and text.owner_id = {member} and text.words @@ {wanted}
            and text.at >= {first} and text.at < {last} {chosen}
        order by text.at desc limit {most}
    ) as found"""  # noqa: S608  the expressions are those of this module and of a benchmark


def install() -> str:
    parameters = ("organization", "member", "wanted", "first_at", "last_at", "most")
    return f"""
-- among: the conversations to search; null: all.
create function chat_search_texts(
    member uuid, wanted tsquery, first_at timestamptz, last_at timestamptz, most integer, among uuid[] default null
)
returns table (message_id uuid, conversation_id uuid, at timestamptz, rank real) language plpgsql stable {_OWNED} as $$
#variable_conflict use_column
declare
    organization uuid := current_setting('app.org')::uuid;
begin
    if among is null then
        return query {hits_sql(*parameters)};
    else
        return query {hits_sql(*parameters, "among")};
    end if;
end $$;

-- The member's words that share trigrams with a word, the most similar first: common trigrams by all of both, as pg_trgm counts.
create function chat_search_words(member uuid, wanted text[], least_similar real, most integer)
returns table (word text, similar_to real) language sql stable {_OWNED} as $$
    select word, similar_to from (
        select word, common::real / (cardinality(trigrams) + cardinality(wanted) - common) as similar_to from (
            select word, trigrams, (select count(*) from unnest(trigrams) as each where each = any (wanted)) as common
            from public.chat_searchword
            where organization_id = current_setting('app.org')::uuid and owner_id = member and trigrams && wanted[2:]
        ) as shared
    ) as rated
    where similar_to >= least_similar order by similar_to desc, word limit most
$$;
"""  # noqa: S608  no value is in it


def remove() -> str:
    return """
drop function chat_search_texts(uuid, tsquery, timestamptz, timestamptz, integer, uuid[]);
drop function chat_search_words(uuid, text[], real, integer);
"""
