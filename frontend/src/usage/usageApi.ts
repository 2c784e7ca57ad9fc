import { queryString, request } from '../api/client'
import type { ConversationUsage, UsageSummary } from '../api/generated'

export const fetchConversationUsage = (conversationId: string, runIds: readonly string[]): Promise<ConversationUsage> =>
  request('GET', `conversations/${conversationId}/usage/${queryString({ runs: runIds.join(',') || null })}`)

export const fetchUsageSummary = (from: string, to: string): Promise<UsageSummary> => request('GET', `usage/summary/${queryString({ from, to })}`)
