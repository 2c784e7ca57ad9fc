"""SQL of the functions through which the app role reads the index of texts (docs/decisions/0034).

Under row security PostgreSQL uses no GIN index for `@@` and `&&`: they are not leakproof. So these functions run with the rights of the
owner role, and name the organization themselves. They have a fixed search path and full names, and run no text.
"""

from __future__ import annotations

NEWEST = 20_000  # messages of a member that are searched first: a frequent word has enough hits there
MOST = 2_000  # hits that are ranked
ENOUGH = 200  # hits among the newest, with which the older ones are not searched

_OWNED = "security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan"


def hits_sql(first: str, last: str, *, organization: str = "organization", member: str = "member", wanted: str = "wanted") -> str:
    """Return the select that finds and ranks a member's messages between two times. The parameters are SQL expressions."""
    return f"""
    select found.message_id, found.conversation_id, found.at, ts_rank(found.words, {wanted})
    from (
        select text.message_id, text.conversation_id, text.at, text.words from public.chat_searchtext text
        where text.organization_id = {organization} and text.owner_id = {member} and text.words @@ {wanted}
            and text.at >= {first} and text.at < {last}
        limit {MOST}
    ) as found"""  # noqa: S608  the expressions are those of this module and of a benchmark


def install() -> str:
    return f"""
create function chat_search_texts(member uuid, wanted tsquery, first_at timestamptz, last_at timestamptz)
returns table (message_id uuid, conversation_id uuid, at timestamptz, rank real) language plpgsql stable {_OWNED} as $$
#variable_conflict use_column
declare
    organization uuid := current_setting('app.org')::uuid;
    horizon timestamptz;
    hits integer;
begin
    select text.at into horizon from public.chat_searchtext text
    where text.organization_id = organization and text.owner_id = member and text.at < last_at
    order by text.at desc offset {NEWEST} limit 1;
    return query {hits_sql("greatest(first_at, horizon)", "last_at")};
    get diagnostics hits = row_count;
    if horizon > first_at and hits < {ENOUGH} then
        return query {hits_sql("first_at", "least(last_at, horizon)")};
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
drop function chat_search_texts(uuid, tsquery, timestamptz, timestamptz);
drop function chat_search_words(uuid, text[], real, integer);
"""
