"""SQL of the functions through which the app role reads the index of texts (docs/decisions/0034).

Under row security PostgreSQL uses no GIN index for `@@` and `&&`: they are not leakproof. So these functions run with the rights of the
owner role, and name the organization themselves. They have a fixed search path and full names, and run no text.
"""

from __future__ import annotations

_OWNED = "security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan"
# A chat's messages are mostly in memory, or near each other on a disk that has no head to move. With PostgreSQL's default of 4 it would
# read the index of words anew for each of a hundred chats.
_NEAR_PAGES = "set random_page_cost = 1.1"
_WITH_DOCUMENT = """and exists (
                select from public.artifacts_artifact document where document.organization_id = chat.organization_id
                    and document.conversation_id = chat.id and document.deleted_at is null
            )"""


COMMON_ONE_IN = 3
"""A word is common when at least one of so many messages has it."""
_SAMPLE = 100  # of the newest messages


def hits_sql(
    organization: str,
    member: str,
    query: str,
    first: str,
    last: str,
    most: str,
    agents: str,
    project: str,
    *,
    with_document: bool,
    indexed: str = "",
    common: str = "",
    archived: str = "",
) -> str:
    """Return the select that ranks a member's hits between two times, those of the newest conversations. The parameters are SQL expressions.

    `agents`, `project`: null for all. By conversations: for a frequent word PostgreSQL walks from the newest one on and reads its messages
    until there are enough, so a filter costs a look at each conversation's row and no more; for a rare word it takes the index of words
    first. It chooses by how often the words are, therefore it must know them: force_custom_plan. The times of the conversation spare those
    that can have no message in the period; clocks of web servers may differ by a day.

    `archived`: whether archived conversations are searched, too; without it they are. `indexed`, `common`: the words of `query` that the index may look for, and those that are only looked for in the rows, or null. As a
    call instead of an operator, the latter say nothing to the index.
    """
    return f"""
    select found.message_id, found.conversation_id, found.at, ts_rank(found.words, {query})
    from (
        select text.message_id, text.conversation_id, text.at, text.words
        from public.chat_conversation chat
        join public.chat_searchtext text on text.organization_id = chat.organization_id and text.conversation_id = chat.id
        where chat.organization_id = {organization} and chat.owner_id = {member} and chat.deleted_at is null and chat.listed
            and chat.updated_at >= {first}::timestamptz - interval '1 day' and chat.created_at < {last}::timestamptz + interval '1 day'
            and ({agents} is null or chat.agent_keys && {agents}) and ({project} is null or chat.project_id = {project})
            {f"and ({archived} or chat.archived_at is null)" if archived else ""}
            {_WITH_DOCUMENT if with_document else ""}
            and text.organization_id = {organization} and text.owner_id = {member} and text.words @@ {indexed or query}
            {f"and ({common} is null or pg_catalog.ts_match_vq(text.words, {common}))" if common else ""}
            and text.at >= {first} and text.at < {last}
        order by chat.updated_at desc limit {most}
    ) as found"""  # noqa: S608  the expressions are those of this module and of a benchmark


def document_hits_sql(
    organization: str, member: str, query: str, first: str, last: str, most: str, agents: str, project: str, *, archived: str
) -> str:
    """Return the select that ranks a member's documents whose newest version was written between two times, those of the newest conversations.

    The parameters are those of `hits_sql`, and so is the order: filters of the conversation spare the words of its documents, which may be
    many and lie beside the row.
    """
    return f"""
    select found.artifact_id, found.conversation_id, found.at, ts_rank(found.words, {query})
    from (
        select text.artifact_id, text.conversation_id, text.at, text.words
        from public.chat_conversation chat
        join public.chat_searchdocument text on text.organization_id = chat.organization_id and text.conversation_id = chat.id
        where chat.organization_id = {organization} and chat.owner_id = {member} and chat.deleted_at is null and chat.listed
            and ({agents} is null or chat.agent_keys && {agents}) and ({project} is null or chat.project_id = {project})
            and ({archived} or chat.archived_at is null)
            and text.organization_id = {organization} and text.owner_id = {member} and text.words @@ {query}
            and text.at >= {first} and text.at < {last}
        order by chat.updated_at desc limit {most}
    ) as found"""  # noqa: S608  the expressions are those of this module and of a benchmark


def install() -> str:
    parameters = ("organization", "member", "wanted", "first_at", "last_at", "most", "agents", "project")
    words = {"indexed": "rare", "common": "common", "archived": "with_archived"}
    return f"""
-- agents, project: null: all. with_document: only in conversations that have one. with_archived: in archived ones, too.
-- For a word that very many messages have, the index would list all of them before it joins the lists. When the query has rare words, too,
-- the index looks for these alone, and the common ones are looked for in the messages found. The newest messages say which they are.
create or replace function chat_search_texts(
    member uuid, wanted tsquery, first_at timestamptz, last_at timestamptz, most integer,
    agents varchar[] default null, project uuid default null, with_document boolean default false,
    with_archived boolean default true
)
returns table (message_id uuid, conversation_id uuid, at timestamptz, rank real) language plpgsql stable {_OWNED} {_NEAR_PAGES} as $$
#variable_conflict use_column
declare
    organization uuid := current_setting('app.org')::uuid;
    each_word text[] := string_to_array(wanted::text, ' & ');
    rare tsquery;
    common tsquery;
begin
    if cardinality(each_word) > 1 then
        select string_agg(counted.word, ' & ') filter (where not is_common), string_agg(counted.word, ' & ') filter (where is_common)
        into rare, common
        from (
            select asked.word, count(*) filter (where newest.words @@ asked.word::tsquery) * {COMMON_ONE_IN} >= count(*) as is_common
            from unnest(each_word) as asked (word), (
                select words from public.chat_searchtext where organization_id = organization and owner_id = member
                order by at desc limit {_SAMPLE}
            ) as newest
            group by asked.word
        ) as counted;
    end if;
    if rare is null then
        rare := wanted;
        common := null;
    end if;
    if with_document then
        return query {hits_sql(*parameters, with_document=True, **words)};
    else
        return query {hits_sql(*parameters, with_document=False, **words)};
    end if;
end $$;

-- The same for the member's documents: the newest version of each.
create or replace function chat_search_documents(
    member uuid, wanted tsquery, first_at timestamptz, last_at timestamptz, most integer, agents varchar[], project uuid, with_archived boolean
)
returns table (artifact_id uuid, conversation_id uuid, at timestamptz, rank real) language plpgsql stable {_OWNED} {_NEAR_PAGES} as $$
#variable_conflict use_column
declare
    organization uuid := current_setting('app.org')::uuid;
begin
    return query {document_hits_sql(*parameters, archived="with_archived")};
end $$;

-- The member's words that share trigrams with a word, the most similar first: common trigrams by all of both, as pg_trgm counts.
create or replace function chat_search_words(member uuid, wanted text[], least_similar real, most integer)
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
drop function chat_search_texts(uuid, tsquery, timestamptz, timestamptz, integer, varchar[], uuid, boolean, boolean);
drop function chat_search_documents(uuid, tsquery, timestamptz, timestamptz, integer, varchar[], uuid, boolean);
drop function chat_search_words(uuid, text[], real, integer);
"""
