import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export type SearchFilters = {
  /** How many days back; null: any time. */
  readonly days: number | null
  readonly hasArtifact: boolean
  /** Archived chats are searched, too. */
  readonly withArchived: boolean
  /** The name of an agent that has worked in the conversation; null: any. */
  readonly agent: string | null
  readonly projectId: string | null
}

export const NO_FILTERS: SearchFilters = { days: null, hasArtifact: false, withArchived: false, agent: null, projectId: null }
export const PERIODS: readonly { readonly days: number | null; readonly label: MessageDescriptor }[] = [
  { days: null, label: msg`Any time` },
  { days: 7, label: msg`Last 7 days` },
  { days: 30, label: msg`Last 30 days` },
  { days: 90, label: msg`Last 90 days` },
  { days: 365, label: msg`Last year` },
]

const DAY_MS = 86_400_000

/** Whether the server is asked at all: without words and filters the page shows the chats that it knows. */
export const isAsked = (query: string, filters: SearchFilters): boolean => query !== '' || filters.withArchived || isFiltered(filters)

/** Whether less is found than without filters. */
export const isFiltered = (filters: SearchFilters): boolean => filters.days !== null || filters.hasArtifact || filters.agent !== null || filters.projectId !== null

/** The first day of the period (UTC), as the server reads it. */
export const firstDay = (days: number | null, now: number): string | null => (days === null ? null : new Date(now - days * DAY_MS).toISOString().slice(0, 10))
