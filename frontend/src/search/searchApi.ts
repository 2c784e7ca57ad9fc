import { queryString, request } from '../api/client'
import type { SearchAgents, SearchPage } from '../api/generated'
import type { SearchFilters } from './filters'
import { firstDay } from './filters'

export const searchApi = {
  search: (query: string, { days, hasArtifact, withArchived, agent, projectId }: SearchFilters, cursor: string | null = null) =>
    request<SearchPage>('GET', `search/${queryString({ q: query, from: firstDay(days, Date.now()), hasArtifact: hasArtifact ? 'true' : null, withArchived: withArchived ? null : 'false', agent, projectId, cursor })}`),
  agents: () => request<SearchAgents>('GET', 'search/agents/'),
}
